package secrets

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ofAPI matches a mention of an API behind the name of a key: "clé d'API", "ключ API".
var ofAPI = lazy(`(?i)^([ _-]?(?:d['’]|de |da |do |dell['’])?api)(?:[^a-z]|$)`)

// foreignKey returns the end of a name in another language: [apiKey] if "API" is before or behind it, else nothing, or
// a password unchanged.
func (v *view) foreignKey(start, end int, n noun) (int, noun) {
	if m := ofAPI().FindStringSubmatchIndex(v.text[end:min(len(v.text), end+12)]); m != nil {
		return end + m[3], apiKey
	}
	if n == password {
		return end, n
	}
	flat := flatName(v.text[max(0, start-len("API ")):end])
	if i := strings.LastIndex(flat, "api"); i >= 0 && nounAtEnd(flat[i+len("api"):]) == keyAbroad && len(flat)-i < 20 {
		return end, apiKey
	}
	return end, nothing
}

// label returns a name of two or three words: "Secret access key", "mot de passe".
func (v *view) label(start, end int) (from int, n noun) {
	from = start
	for range 2 {
		for _, article := range []string{"d'", "d’", "l'", "l’"} {
			if strings.HasSuffix(v.text[:from], article) {
				from -= len(article)
			}
		}
		if from < 2 || v.text[from-1] != ' ' || v.broken(from) {
			break
		}
		r, size := utf8.DecodeLastRuneInString(v.text[:from-1])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		if from, _ = v.name(from - 1 - size); from > 0 && v.text[from-1] == '<' {
			break
		}
		if n := nounOf(v.text[from:end]); n != nothing && n != key {
			return from, n
		}
	}
	return start, nothing
}

// alphabet is the script that a name continues in: Latin, also of names in programs, or another.
type alphabet int

const (
	noLetter alphabet = iota
	latin
	foreignLetter
	anyLetter // digits, signs and marks, which go with both
)

// asciiAlphabet is [alphabetOf] for ASCII.
var asciiAlphabet = func() (of [utf8.RuneSelf]alphabet) {
	for c := range of {
		switch {
		case letters[c]:
			of[c] = latin
		case nameText[c]:
			of[c] = anyLetter
		}
	}
	return of
}()

func alphabetOf(r rune) alphabet {
	switch {
	case r < utf8.RuneSelf:
		return asciiAlphabet[r]
	case !unicode.IsLetter(r) && !unicode.IsMark(r):
		return noLetter
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Inherited, r):
		return anyLetter
	}
	return foreignLetter
}

// name returns the word around at. It ends where the script changes.
func (v *view) name(at int) (start, end int) {
	s := v.text
	r, _ := utf8.DecodeRuneInString(s[at:])
	of := alphabetOf(r)
	start, end = at, at
	for start > 0 && at-start < maxName && !v.broken(start) {
		r, n := rune(s[start-1]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeLastRuneInString(s[:start])
		}
		if !goesWith(alphabetOf(r), of) && v.omitted(start) == "" {
			break
		}
		start -= n
	}
	for end < len(s) && end-at < maxName && !v.broken(max(end, at+1)) {
		r, n := rune(s[end]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[end:])
		}
		if !goesWith(alphabetOf(r), of) {
			break
		}
		end += n
	}
	return start, end
}

// goesWith reports whether two letters can be in one name.
func goesWith(a, b alphabet) bool {
	return a != noLetter && (a == b || a == anyLetter || b == anyLetter)
}

// sameScript returns the length of an unquoted value up to a sentence in another script: 密码：X请保管.
func sameScript(value string) int {
	for i := range len(value) {
		if value[i] < utf8.RuneSelf {
			continue
		}
		r, _ := utf8.DecodeRuneInString(value[i:])
		if i >= leastValue && (alphabetOf(r) == foreignLetter || unicode.Is(unicode.Po, r) && r > 0x600) {
			return i
		}
		if i < leastValue {
			break
		}
	}
	return len(value)
}

// touchingValue finds a value that directly follows its name in a script without spaces: 密码是X.
func touchingValue(v *view, start, end int, n noun) (span, bool) {
	s := v.text
	if last, _ := utf8.DecodeLastRuneInString(s[:end]); alphabetOf(last) != foreignLetter || end == len(s) {
		return span{}, false
	}
	if isQuote(s[end]) {
		return literal(s, end, quoted, false), true
	}
	value := s[end : end+bareRun(s[end:])]
	value = value[:sameScript(value)]
	if value == "" || !base62[value[0]] || translated(value) {
		return span{}, false
	}
	t := traitsOf(value)
	return span{end, end + len(value), line}, len(value) >= leastValue && t.digit > 0 && t.lower+t.upper > 0 &&
		t.turns > 2 && (!expression(value) || numbered(value) > 1) && !anyHex.only(value)
}

// translated reports whether a word is part of a program's message in any language.
func translated(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 0x80 && unicode.IsLetter(r) }) ||
		holdsAny(word, []string{"%0", "%.", "%%"})
}

// notInWords reports whether a character is neither a letter nor an apostrophe.
func notInWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}
