package secrets

import "strings"

// form is how the tokens of one issuer look: a prefix and a body.
type form struct {
	kind, prefix string
	body         *class
	least, most  int               // characters of the body; if they are equal, no more follow
	is           func(string) bool // what the body must be
}

// match finds a token at a place.
func (f *form) match(v *view, at int, prefix string) []candidate {
	s := v.text
	begin := at + len(prefix)
	if s[at:begin] != prefix || !v.beginsAt(at, prefix) {
		return nil
	}
	end := begin + f.body.run(s[begin:], f.most)
	exact := f.least == f.most
	if end-begin < f.least || exact && end < len(s) && f.body[s[end]] && v.omitted(end) == "" && !sentenceEnd(s[end:]) {
		return nil
	}
	if !exact {
		end = v.untilProse(begin+f.least, end)
	}
	for end-begin > f.least && s[end-1] == '.' {
		end--
	}
	if !f.is(s[begin:end]) {
		return nil
	}
	return []candidate{v.found(f.kind, at, end, byForm)}
}

// beginsAt reports whether a word with this prefix can begin at a place: not in the middle of another. Short
// ones such as "sk-" are parts of many a word with hyphens.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.omitted(at) != "" {
		return true
	}
	c := v.text[at-1]
	return !base62[c] && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// sentenceEnd reports whether a dot ends a sentence rather than going on with a word.
func sentenceEnd(s string) bool { return s[0] == '.' && (len(s) == 1 || !base62[s[1]]) }

// prefixed finds what has the looks of a key of an issuer that is not known: a short prefix or more of them, and a long
// word drawn by lot.
func (v *view) prefixed() []candidate {
	var found []candidate
	s := v.text
	for i := 0; i < len(s); i++ {
		n := prefixText.run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#%&", s[i-1]) < 0) &&
			(i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); opens(word) && v.whole(i, i+len(word)) {
				found = append(found, v.found("token", i, i+len(word), byName))
			}
		}
		i += n
	}
	return found
}

// whole reports whether nothing was left out of text[from:to].
func (v *view) whole(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if v.omitted(i) != "" {
			return false
		}
	}
	return true
}
