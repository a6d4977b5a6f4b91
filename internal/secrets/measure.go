package secrets

import (
	"strings"
)

// nameText is what names are made of, and runText what may belong to a key, an account and its address.
var (
	nameText  = newClass("0-9a-zA-Z_.\xc3\xb1-")
	blankText = newClass(" \t")
	runText   = func() *class {
		var c class
		for i := '!'; i < 256; i++ {
			c[i] = !strings.ContainsRune("\"'`=<>(),;[]{}|", i)
		}
		return &c
	}()
)

// beginsSetting reports whether nothing but the beginning of a setting stands before a name on its line.
func beginsSetting(s string, start int) bool {
	before := lineBefore(s, start)
	switch strings.TrimSpace(before) {
	case "", "-", "*", "+", "#", "//", "export", "set", "ENV", "env", "declare -x", "setx", "$env:", "SET", "ARG", "local":
		return len(before) < 64
	}
	return false
}

// lineRun measures the one word that is the rest of a line; 0: it is more than that, or goes on.
func lineRun(s string, at int) int {
	n := 0
	for at+n < len(s) && s[at+n] > ' ' && n < maxValue {
		n++
	}
	rest := at + n + blanks(s[at+n:])
	if n == 0 || rest < len(s) && s[rest] != '\n' && s[rest] != '\r' && (s[rest] != '#' || rest == at+n) ||
		strings.IndexByte(`,;{(\"'`+"`", s[at+n-1]) >= 0 {
		return 0
	}
	return n
}

// bareRun measures a value without quotes at the beginning of s.
func bareRun(s string) int {
	n := 0
	for n < len(s) && n < maxValue && s[n] > ' ' && strings.IndexByte(",;)}]\"'`<>|&([", s[n]) < 0 {
		if s[n] == '\\' && n+1 < len(s) && isQuote(s[n+1]) {
			break
		}
		n++
	}
	return n
}

// blanks measures the blanks at the beginning of s.
func blanks(s string) int { return blankText.run(s, 40) }

// lineBefore returns what stands before a place on its line.
func lineBefore(s string, at int) string {
	from := max(0, at-160)
	return s[from+strings.LastIndexByte(s[from:at], '\n')+1 : at]
}

// lineLeft measures the rest of a line, without blanks at its end.
func lineLeft(s string) int {
	row, _, _ := strings.Cut(s[:min(len(s), maxValue)], "\n")
	return len(strings.TrimRight(row, " \t\r"))
}
