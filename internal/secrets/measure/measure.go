// Package measure says how far values reach from a place in a text, in each way to write them.
package measure

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

// MaxValue bounds a value, in bytes.
const MaxValue = 512

// NameText is what names are made of.
var NameText = value.NewClass("_-.\xc3\xb1", "09", "az", "AZ")

// PastType skips the type between a name and its sign: `password: string = "x"`, `const password string = "x"`.
func PastType(s string, at int) int {
	i := at
	if i < len(s) && s[i] == ':' {
		i++
	}
	i += Blanks(s[i:])
	if n := strings.IndexByte(s[i:min(len(s), i+32)], '}'); n > 0 && s[i] == '{' { // { get; set; } of C#
		i += n + 1
	}
	for i < len(s) && i-at < 32 && (NameText[s[i]] || strings.IndexByte("&*?[]|' ", s[i]) >= 0) {
		i++
	}
	if i > at+1 && i+1 < len(s) && s[i] == '=' && s[i+1] == ' ' {
		return i
	}
	return at
}

// Opening measures what may stand before the quotes of a literal.
func Opening(s string) int {
	n := 0
	for n < len(s) && n < 2 && strings.IndexByte(`\@`, s[n]) >= 0 {
		n++
	}
	if strings.HasPrefix(s[n:], "[]byte(") {
		n += len("[]byte(")
	}
	if n+1 < len(s) && text.Quote(s[n+1]) && strings.IndexByte("NbrfuB[(", s[n]) >= 0 {
		n++
	}
	return n
}

// Setting reports whether nothing but the beginning of a setting stands before a name on its line.
func Setting(s string, start int) bool {
	line := s[strings.LastIndexByte(s[max(0, start-64):start], '\n')+1+max(0, start-64) : start]
	switch strings.TrimSpace(line) {
	case "", "-", "*", "+", "#", "//", "export", "set", "ENV", "env", "declare -x", "setx", "$env:", "SET", "ARG", "local":
		return start < 64 || len(line) < 64
	}
	return false
}

// LineRun measures the one word that is the rest of a line; 0: it is more than that, or goes on.
func LineRun(s string, at int) int {
	n := 0
	for at+n < len(s) && s[at+n] > ' ' && n < MaxValue {
		n++
	}
	rest := at + n + Blanks(s[at+n:])
	if n == 0 || rest < len(s) && s[rest] != '\n' && s[rest] != '\r' && (s[rest] != '#' || rest == at+n) || strings.IndexByte(`,;{(\"'`+"`", s[at+n-1]) >= 0 {
		return 0
	}
	return n
}

// QuotedRun measures a literal at the beginning of s, up to its first blank, where it may not hold any.
func QuotedRun(s string, q byte, spaced bool) int {
	n := 0
	for n < len(s) && n < MaxValue {
		c := s[n]
		if c == q || c < ' ' || c == ' ' && !spaced || c == '\\' && n+1 < len(s) && text.Quote(s[n+1]) {
			return n
		}
		n++
	}
	return n
}

// BareRun measures a value without quotes at the beginning of s.
func BareRun(s string) int {
	n := 0
	for n < len(s) && n < MaxValue && s[n] > ' ' && strings.IndexByte(",;)}]\"'`<>|&([", s[n]) < 0 {
		if s[n] == '\\' && n+1 < len(s) && text.Quote(s[n+1]) {
			break
		}
		n++
	}
	return n
}

// Blanks measures the blanks at the beginning of s.
func Blanks(s string) int {
	n := 0
	for n < len(s) && n < 40 && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	return n
}

// LineBefore is what stands before a place on its line.
func LineBefore(s string, at int) string {
	from := max(0, at-160)
	return s[from+strings.LastIndexByte(s[from:at], '\n')+1 : at]
}

// Upper reports whether s is in capitals.
func Upper(s string) bool { return strings.ToUpper(s) == s }

// NameRun measures the name at the beginning of s.
func NameRun(s string) int {
	n := 0
	for n < len(s) && (NameText[s[n]] || s[n] == '.') {
		n++
	}
	return n
}

// ShellWord finds the next word of a command from i on, on this line or after one that a backslash ends.
func ShellWord(s string, i, stop int) (begin, end int, word string) {
	for i < stop && (s[i] == ' ' || s[i] == '\t' || s[i] == '\\' && i+1 < stop && s[i+1] == '\n' || s[i] == '\n' && s[i-1] == '\\') {
		i++
	}
	begin = i
	q := byte(0)
	for ; i < stop && s[i] != '\n'; i++ {
		switch c := s[i]; {
		case q != 0 && c == q:
			q = 0
		case q == 0 && text.Quote(c):
			q = c
		case q == 0 && (c == ' ' || c == '\t'):
			return begin, i, Quoteless(s[begin:i])
		}
	}
	return begin, i, Quoteless(s[begin:i])
}

// Quoteless is s without quotes around it.
func Quoteless(s string) string { return strings.Trim(s, "\"'`") }

// LineLeft measures the rest of a line, without blanks at its end.
func LineLeft(s string) int {
	n := strings.IndexByte(s[:min(len(s), MaxValue)], '\n')
	if n < 0 {
		n = min(len(s), MaxValue)
	}
	return len(strings.TrimRight(s[:n], " \t\r"))
}
