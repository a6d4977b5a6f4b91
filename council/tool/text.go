package tool

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Compact is a value as JSON on one line, with the fields of objects in the order of their names. HTML is not escaped. It
// is "null" for what JSON cannot hold.
func Compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Bound cuts s to at most n bytes, not within a character, and says whether there was more.
func Bound(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
