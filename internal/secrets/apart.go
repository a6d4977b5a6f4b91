package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/measure"
	"github.com/council-engine/council/internal/secrets/naming"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

// maxApart bounds how far a value may stand from its name.
const maxApart = 256

// onNextLine finds a value that stands alone on the line after its name: `password:`, and the value below.
func onNextLine(v *view, start, end int, _ naming.Noun) (span, bool) {
	s := v.Text
	i := end
	for k := 0; i < len(s) && k < 4 && (text.Quote(s[i]) || s[i] == '*'); k++ {
		i++
	}
	if i += measure.Blanks(s[i:]); i >= len(s) || s[i] != ':' && s[i] != '=' {
		return span{}, false
	}
	for i++; i < len(s) && strings.IndexByte("*|>-\\ \t\r", s[i]) >= 0 && i < end+maxName; {
		i++
	}
	lines := 0
	for ; i < len(s) && i < end+maxApart && strings.IndexByte(" \t\r\n>`\"'", s[i]) >= 0; i++ {
		if s[i] == '\n' {
			lines++
		}
	}
	if lines == 0 || lines > 2 || !measure.Setting(s, start) && s[max(0, start-1)] != '"' && !heading(measure.LineBefore(s, start)) {
		return span{}, false
	}
	n := 0
	for i+n < len(s) && s[i+n] > ' ' && n < measure.MaxValue {
		n++
	}
	after := i + n + measure.Blanks(s[i+n:])
	if after < len(s) && s[after] != '\n' && s[after] != '\r' {
		return span{}, false
	}
	if word := strings.TrimRight(s[i:i+n], "\"'`,"); word != "" && strings.IndexByte(":={(,;", word[len(word)-1]) < 0 && value.TraitsOf(word).Digit > 0 {
		return span{i, i + len(word), value.Line}, true
	}
	return span{}, false
}

// heading reports whether what stands before a name on its line is a few words, as in "API token:".
func heading(before string) bool {
	words := strings.Fields(before)
	for _, w := range words {
		if value.Letters.Run(w, len(w)) != len(w) {
			return false
		}
	}
	return len(words) < 4
}

// titled reports whether a heading stands before a name: "LDAP bind".
func titled(before string) bool {
	return before != "" && before[0] >= 'A' && before[0] <= 'Z' && heading(before)
}

// holders are what a name may be the value of, and contents what then holds the name's value, in small letters.
var (
	holders  = strings.Fields("name key id variable parameterkey parametername param parameter property setting field header option env string term")
	contents = []string{"value", "parametervalue", "default", "defaultvalue", "content", "val", "stringvalue", "secretvalue", "password", "data"}
)

// apart finds the value of a name that is itself a value: `name: DB_PASSWORD`, and `value: …` next to it; a variable of
// Terraform and its default; an element of XML whose attribute or key is the name.
func apart(v *view, start, end int, _ naming.Noun) (span, bool) {
	s := v.Text
	window := s[end:min(len(s), end+maxApart)]
	cell := strings.TrimLeft(window, "'\"]")
	within, tag := held(s, start), strings.IndexByte(window, '>')
	inTable := strings.HasPrefix(cell, "</t") || strings.HasPrefix(cell, "</dt")
	if !within && !opened(window) && !inTable {
		return span{}, false
	}
	switch text, ok := elementText(s, end+len(window)-len(cell)); {
	case ok && (inTable || within && strings.HasPrefix(cell, "</")):
		return text, true
	case tag >= 0 && tag < 24 && window[0] != '>' && cell != window:
		if text, ok := elementText(s, end+tag+1); ok {
			return text, true
		}
	}
	if where, ok := ahead(s, start); ok && within {
		return where, true
	}
	for i := 0; i < len(window); i++ {
		n := value.Letters.Run(window[i:], len(window))
		word := strings.ToLower(window[i : i+n])
		if i += n; i >= len(window) {
			break
		}
		if !isOne(word, contents) && (!isOne(word, holders) || strings.IndexByte(":=\"'", window[i]) < 0) {
			continue
		}
		at := end + i
		for k := 0; at < len(s) && k < 3 && text.Quote(s[at]); k++ {
			at++
		}
		at += measure.Blanks(s[at:])
		if at >= len(s) || s[at] != ':' && s[at] != '=' {
			continue
		}
		if !isOne(word, contents) {
			break // another name
		}
		at++
		at += measure.Blanks(s[at:])
		if at+1 < len(s) && text.Quote(s[at]) {
			return quoted(s, at, value.Quoted, false), true
		}
		if n := measure.LineRun(s, at); n > 0 {
			if measure.Upper(s[start:end]) {
				return span{at, at + n, value.Quoted}, true
			}
			return span{at, at + n, value.Line}, true
		}
		return span{at, at + measure.BareRun(s[at:]), value.Bare}, true
	}
	return span{}, false
}

// ahead finds a value that stands before its name: `- value: …`, and `name: DB_PASSWORD` below.
func ahead(s string, start int) (span, bool) {
	from := max(0, start-maxApart)
	item := from + max(strings.LastIndex(s[from:start], "{"), strings.LastIndex(s[from:start], "- "))
	at := item + 1 + len(s[item+1:start]) - len(strings.TrimLeft(s[item+1:start], " \"'\n\t"))
	if item < from || !strings.HasPrefix(s[at:start], "value") {
		return span{}, false
	}
	at += len("value")
	at += len(s[at:start]) - len(strings.TrimLeft(s[at:start], " \"':="))
	if text.Quote(s[at-1]) {
		return quoted(s, at-1, value.Quoted, false), true
	}
	return span{at, at + measure.LineRun(s, at), value.Line}, true
}

// opened reports whether what a name is given begins on another line, or in braces.
func opened(s string) bool {
	s = strings.TrimLeft(s, "\"' \t")
	if s == "" || s[0] != ':' && s[0] != '=' {
		return false
	}
	s = strings.TrimLeft(s[1:], " \t")
	return s != "" && (s[0] == '{' || s[0] == '\n')
}

// held reports whether the name that begins at start is the value of something that holds names.
func held(s string, start int) bool {
	before := strings.ToLower(s[max(0, start-24):start])
	before = strings.TrimRight(before, "\"'`\\ >")
	sign := len(before)
	before = strings.TrimRight(before, ":= \"'")
	if sign == len(before) && !strings.HasSuffix(before, "variable") && !strings.HasSuffix(before[:len(before)-trailing(before)], "<") {
		return false
	}
	word := before[len(before)-trailing(before):]
	return isOne(word, holders)
}

func trailing(s string) int {
	n := 0
	for n < len(s) && value.Letters[s[len(s)-1-n]] {
		n++
	}
	return n
}

func isOne(word string, of []string) bool {
	for _, w := range of {
		if w == word {
			return true
		}
	}
	return false
}

// elementText finds the text of an element of XML that begins at i, behind up to three tags.
func elementText(s string, i int) (span, bool) {
	limit := min(len(s), i+maxApart)
	tags := 0
	for i < limit {
		switch c := s[i]; {
		case c <= ' ':
			i++
			continue
		case c == '<' && tags < 3:
			n := strings.IndexByte(s[i:limit], '>')
			if n < 0 || !value.Letters[s[i+1]] && s[i+1] != '/' {
				return span{}, false
			}
			i += n + 1
			tags++
			continue
		}
		break
	}
	n := 0
	for i+n < limit && s[i+n] > ' ' && s[i+n] != '<' {
		n++
	}
	if n == 0 || i+n >= len(s) || s[i+n] != '<' && (tags == 0 || s[i+n] > ' ') {
		return span{}, false
	}
	return span{i, i + n, value.Line}, true
}
