package secrets

import (
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// maxApart bounds how far a value may stand from its name.
const maxApart = 256

// onNextLine finds a value that stands alone on the line after its name: `password:`, and the value below.
func onNextLine(v *view, start, end int, _ looks.Noun) (span, bool) {
	s := v.text
	i := end
	for k := 0; i < len(s) && k < 4 && (isQuote(s[i]) || s[i] == '*'); k++ {
		i++
	}
	if i += blanks(s[i:]); i >= len(s) || s[i] != ':' && s[i] != '=' {
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
	if lines == 0 || lines > 2 || !beginsSetting(s, start) && s[max(0, start-1)] != '"' && !heading(lineBefore(s, start)) {
		return span{}, false
	}
	n := 0
	for i+n < len(s) && s[i+n] > ' ' && n < maxValue {
		n++
	}
	after := i + n + blanks(s[i+n:])
	if after < len(s) && s[after] != '\n' && s[after] != '\r' {
		return span{}, false
	}
	if word := strings.TrimRight(s[i:i+n], "\"'`,"); word != "" && strings.IndexByte(":={(,;", word[len(word)-1]) < 0 &&
		looks.TraitsOf(word).Digit > 0 {
		return span{i, i + len(word), looks.Line}, true
	}
	return span{}, false
}

// heading reports whether what stands before a name on its line is a few words, as in "API token:".
func heading(before string) bool {
	words := strings.Fields(before)
	for _, w := range words {
		if looks.Letters.Run(w, len(w)) != len(w) {
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
	holders = strings.Fields(`name key id variable parameterkey parametername param parameter property setting field header
		option env string term`)
	contents = []string{"value", "parametervalue", "default", "defaultvalue", "content", "val", "stringvalue",
		"secretvalue", "password", "data"}
)

// apart finds the value of a name that is itself a value: `name: DB_PASSWORD`, and `value: …` next to it; a variable of
// Terraform and its default; an element of XML whose attribute or key is the name.
func apart(v *view, start, end int, _ looks.Noun) (span, bool) {
	s := v.text
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
		n := looks.Letters.Run(window[i:], len(window))
		word := strings.ToLower(window[i : i+n])
		if i += n; i >= len(window) {
			break
		}
		if !slices.Contains(contents, word) &&
			(!slices.Contains(holders, word) || strings.IndexByte(":=\"'", window[i]) < 0) {
			continue
		}
		at := end + i
		for k := 0; at < len(s) && k < 3 && isQuote(s[at]); k++ {
			at++
		}
		at += blanks(s[at:])
		if at >= len(s) || s[at] != ':' && s[at] != '=' {
			continue
		}
		if !slices.Contains(contents, word) {
			break // another name
		}
		at++
		at += blanks(s[at:])
		if at+1 < len(s) && isQuote(s[at]) {
			return quoted(s, at, looks.Quoted, false), true
		}
		if n := lineRun(s, at); n > 0 {
			if inCapitals(s[start:end]) {
				return span{at, at + n, looks.Quoted}, true
			}
			return span{at, at + n, looks.Line}, true
		}
		return span{at, at + bareRun(s[at:]), looks.Bare}, true
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
	if isQuote(s[at-1]) {
		return quoted(s, at-1, looks.Quoted, false), true
	}
	return span{at, at + lineRun(s, at), looks.Line}, true
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
	if sign == len(before) && !strings.HasSuffix(before, "variable") &&
		!strings.HasSuffix(before[:len(before)-trailing(before)], "<") {
		return false
	}
	word := before[len(before)-trailing(before):]
	return slices.Contains(holders, word)
}

func trailing(s string) int {
	n := 0
	for n < len(s) && looks.Letters[s[len(s)-1-n]] {
		n++
	}
	return n
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
			if n < 0 || !looks.Letters[s[i+1]] && s[i+1] != '/' {
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
	return span{i, i + n, looks.Line}, true
}

// maxManifest bounds how far the data of a Secret may stand from its kind.
const maxManifest = 8 << 10

// manifest finds what a Secret of Kubernetes holds: the values below data: and stringData:, whatever their names.
func manifest(v *view, at int) []candidate {
	s := v.text
	if at < v.held {
		return nil
	}
	from, stop := max(0, at-maxManifest), min(len(s), at+maxManifest)
	if strings.TrimSpace(s[at:min(len(s), at+lineLeft(s[at:]))]) != s[at:at+len("kind: secret")] {
		return nil // SecretProviderClass
	}
	from += max(0, strings.LastIndex(s[from:at], "\n---"))
	if i := strings.Index(s[at:stop], "\n---"); i >= 0 {
		stop = at + i
	}
	v.held = stop
	var found []candidate
	below := -1 // the column of data:
	for i := from; i < stop; {
		line, _, _ := strings.Cut(s[i:stop], "\n")
		column := len(line) - len(strings.TrimLeft(line, " "))
		name, said, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(said) == "" && (strings.HasSuffix(name, "data") || strings.HasSuffix(name, "stringData")):
			below = column
		case column <= below && strings.TrimSpace(line) != "":
			below = -1
		case below >= 0 && ok:
			begin := i + len(name) + 1
			found = append(found, v.cut(begin, said, looks.Password, looks.Quoted)...)
		}
		i += len(line) + 1
	}
	return found
}
