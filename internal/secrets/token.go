package secrets

// token is a family that is told by its prefix.
type token struct {
	kind   string
	prefix string
	body   *class
	min    int               // characters of the body
	max    int               // 0: as many as min, no fewer and no more
	check  func(string) bool // of the body; nil: [drawn]
}

// longest bounds the body of a token that has no length of its own.
const longest = 1024

func (t *token) match(v *view, at int) (candidate, bool) {
	s := v.text
	begin := at + len(t.prefix)
	if s[at:begin] != t.prefix || !v.beginsAt(at, t.prefix) {
		return candidate{}, false
	}
	limit := t.max
	if limit == 0 {
		limit = t.min
	}
	end := begin + t.body.run(s[begin:], limit)
	if end-begin < t.min || end < len(s) && t.max == 0 && t.body[s[end]] && v.omitted(end) == "" && !sentenceEnd(s[end:]) {
		return candidate{}, false
	}
	if t.max > 0 {
		end = v.untilProse(begin+t.min, end)
	}
	for end-begin > t.min && s[end-1] == '.' {
		end--
	}
	check := t.check
	if check == nil {
		check = drawn
	}
	if !check(s[begin:end]) {
		return candidate{}, false
	}
	return v.found(t.kind, at, end, byForm), true
}

// beginsAt reports whether a word with this prefix can begin at a place: not in the middle of another. Short
// ones such as "sk-" are parts of many a word with hyphens.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.omitted(at) != "" {
		return true
	}
	c := v.text[at-1]
	return !alnum(c) && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// sentenceEnd reports whether a dot or a hyphen ends a sentence rather than going on with a word.
func sentenceEnd(s string) bool {
	return s[0] == '.' && (len(s) == 1 || !alnum(s[1]))
}

// untilProse shortens a word that was put together over line ends, beyond its shortest length, to what does not look like
// the beginning of the next line.
func (v *view) untilProse(shortest, end int) int {
	for at := v.nextBreak(shortest-1, end); at < end; {
		next := v.nextBreak(at, end)
		if t := traitsOf(v.text[at:next]); t.turns < 2 && (t.digit == 0 || t.turns == 0) {
			return at
		}
		at = next
	}
	return end
}

func (v *view) found(kind string, start, end int, r rank) candidate {
	from, to := v.origin(start, end)
	return candidate{Finding{kind, from, to}, r}
}
