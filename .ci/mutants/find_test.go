package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFind_EveryKindOfMutantIsFound(t *testing.T) {
	const src = `package p

const fixed = 1 + 2

func f(a, b int, s string) int {
	if a < b && s != "" {
		a++
	}
	for a <= b {
		a = a * 2
		println("a: " + s)
	}
	switch {
	case a == 0:
		b, a = a, b
	}
	c := a - b
	return c
}
`
	found, err := find("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		got = append(got, strings.TrimPrefix(m.String(), "p.go:")+" => "+line(src[:m.start]+m.with+src[m.end:], m.line))
	}
	want := []string{
		`6: never a < b && s != "" => if (a < b && s != "") && false {`,
		`6: always a < b && s != "" => if (a < b && s != "") || true {`,
		`6: || for && in a < b && s != "" => if a < b || s != "" {`,
		`6: <= for < in a < b => if a <= b && s != "" {`,
		`6: == for != in s != "" => if a < b && s == "" {`,
		`7: without a++ => `,
		`9: never a <= b => for (a <= b) && false {`,
		`9: < for <= in a <= b => for a < b {`,
		`10: without a = a * 2 => `,
		`11: without println("a: " + s) => `,
		`10: / for * in a * 2 => a = a / 2`,
		`14: never a == 0 => case (a == 0) && false:`,
		`14: always a == 0 => case (a == 0) || true:`,
		`15: without b, a = a, b => `,
		`14: != for == in a == 0 => case a != 0:`,
		`17: + for - in a - b => c := a + b`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func line(text string, n int) string { return strings.TrimSpace(strings.Split(text, "\n")[n-1]) }
