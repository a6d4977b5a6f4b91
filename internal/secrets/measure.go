package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// maxValue bounds a value, in bytes.
const maxValue = 512

// nameText is what names are made of.
var nameText = looks.NewClass("_-.\xc3\xb1", "09", "az", "AZ")

// pastType skips the type between a name and its sign: `password: string = "x"`, `const password string = "x"`.
func pastType(s string, at int) int {
	i := at
	if i < len(s) && s[i] == ':' {
		i++
	}
	i += blanks(s[i:])
	if n := strings.IndexByte(s[i:min(len(s), i+32)], '}'); n > 0 && s[i] == '{' { // { get; set; } of C#
		i += n + 1
	}
	for i < len(s) && i-at < 32 && (nameText[s[i]] || strings.IndexByte("&*?[]|' ", s[i]) >= 0) {
		i++
	}
	if i > at+1 && i+1 < len(s) && s[i] == '=' && s[i+1] == ' ' {
		return i
	}
	return at
}

// opening measures what may stand before the quotes of a literal.
func opening(s string) int {
	n := 0
	for n < len(s) && n < 2 && strings.IndexByte(`\@`, s[n]) >= 0 {
		n++
	}
	if strings.HasPrefix(s[n:], "[]byte(") {
		n += len("[]byte(")
	}
	if n+1 < len(s) && isQuote(s[n+1]) && strings.IndexByte("NbrfuB[(", s[n]) >= 0 {
		n++
	}
	return n
}

// beginsSetting reports whether nothing but the beginning of a setting stands before a name on its line.
func beginsSetting(s string, start int) bool {
	line := s[strings.LastIndexByte(s[max(0, start-64):start], '\n')+1+max(0, start-64) : start]
	switch strings.TrimSpace(line) {
	case "", "-", "*", "+", "#", "//", "export", "set", "ENV", "env", "declare -x", "setx", "$env:", "SET", "ARG", "local":
		return start < 64 || len(line) < 64
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

// quotedRun measures a literal at the beginning of s, up to its first blank, where it may not hold any.
func quotedRun(s string, q byte, spaced bool) int {
	n := 0
	for n < len(s) && n < maxValue {
		c := s[n]
		if c == q || c < ' ' || c == ' ' && !spaced || c == '\\' && n+1 < len(s) && isQuote(s[n+1]) {
			return n
		}
		n++
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
func blanks(s string) int { return blankText.Run(s, 40) }

var blankText = looks.NewClass(" \t")

// lineBefore returns what stands before a place on its line.
func lineBefore(s string, at int) string {
	from := max(0, at-160)
	return s[from+strings.LastIndexByte(s[from:at], '\n')+1 : at]
}

// inCapitals reports whether s is in capitals.
func inCapitals(s string) bool { return strings.ToUpper(s) == s }

// nameRun measures the name at the beginning of s.
func nameRun(s string) int { return nameText.Run(s, len(s)) }

// shellWord finds the next word of a command from i on, on this line or after one that a backslash ends.
func shellWord(s string, i, stop int) (begin, end int, word string) {
	for i < stop && (s[i] == ' ' || s[i] == '\t' || s[i] == '\\' && i+1 < stop && s[i+1] == '\n' ||
		s[i] == '\n' && s[i-1] == '\\') {
		i++
	}
	begin = i
	q := byte(0)
	for ; i < stop && s[i] != '\n'; i++ {
		switch c := s[i]; {
		case q != 0 && c == q:
			q = 0
		case q == 0 && isQuote(c):
			q = c
		case q == 0 && (c == ' ' || c == '\t'):
			return begin, i, quoteless(s[begin:i])
		}
	}
	return begin, i, quoteless(s[begin:i])
}

// quoteless is s without quotes around it.
func quoteless(s string) string { return strings.Trim(s, "\"'`") }

// lineLeft measures the rest of a line, without blanks at its end.
func lineLeft(s string) int {
	n := strings.IndexByte(s[:min(len(s), maxValue)], '\n')
	if n < 0 {
		n = min(len(s), maxValue)
	}
	return len(strings.TrimRight(s[:n], " \t\r"))
}
