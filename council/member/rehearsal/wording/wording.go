// Package wording holds what rehearsed members say, as banks of sentences with slots such as {need}. The sentences
// stand in the text files beside this one, so that a person can read and improve them without reading Go.
package wording

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed *.txt
var files embed.FS

// Bank names sentences that serve the same purpose; one of them is said.
type Bank string

// For is the bank for a purpose in one of its cases, such as the stances on a proposal by somebody who would wait.
func For(purpose string, cases ...fmt.Stringer) Bank {
	for _, c := range cases {
		purpose += " " + c.String()
	}
	return Bank(purpose)
}

// Lines are the sentences of the bank, at least one. A bank that does not exist is a mistake in the program: it panics.
func (b Bank) Lines() []string {
	lines := banks()[b]
	if len(lines) == 0 {
		panic(fmt.Sprintf("wording: there is no bank %q", b))
	}
	return lines
}

var banks = sync.OnceValue(func() map[Bank][]string {
	all := map[Bank][]string{}
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, entry := range entries {
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		bank := Bank("")
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				bank = Bank(strings.Trim(line, "[]"))
			default:
				all[bank] = append(all[bank], line)
			}
		}
	}
	return all
})
