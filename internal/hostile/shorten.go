package hostile

import (
	"strings"
	"unicode/utf8"
)

// Shorten returns s if it has at most n characters, and otherwise its beginning and "…", which together have at most n.
func Shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:n-1]), " \n\t") + "…"
}

// Head returns the beginning of s: at most n bytes, and no part of a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
