package secrets

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/issued"
	"github.com/council-engine/council/internal/secrets/text"
	"github.com/council-engine/council/internal/secrets/value"
)

// token matches what has the form of an issuer.
type token struct{ issued.Form }

func (t token) match(v *view, at int) (candidate, bool) {
	s := v.Text
	begin := at + len(t.Prefix)
	if s[at:begin] != t.Prefix || !v.beginsAt(at, t.Prefix) {
		return candidate{}, false
	}
	limit := t.Max
	if limit == 0 {
		limit = t.Min
	}
	end := begin + t.Body.Run(s[begin:], limit)
	if end-begin < t.Min || end < len(s) && t.Max == 0 && t.Body[s[end]] && v.Omitted(end) == "" && !sentenceEnd(s[end:]) {
		return candidate{}, false
	}
	if t.Max > 0 {
		end = v.untilProse(begin+t.Min, end)
	}
	for end-begin > t.Min && s[end-1] == '.' {
		end--
	}
	check := t.Check
	if check == nil {
		check = value.Drawn
	}
	if !check(s[begin:end]) {
		return candidate{}, false
	}
	return v.found(t.Kind, at, end, byForm), true
}

// beginsAt reports whether a word with this prefix can begin at a place: not in the middle of another. Short
// ones such as "sk-" are parts of many a word with hyphens.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.Omitted(at) != "" {
		return true
	}
	c := v.Text[at-1]
	return !text.Alnum(c) && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// sentenceEnd reports whether a dot or a hyphen ends a sentence rather than going on with a word.
func sentenceEnd(s string) bool {
	return s[0] == '.' && (len(s) == 1 || !text.Alnum(s[1]))
}

// untilProse shortens a word that was put together over line ends, beyond its shortest length, to what does not look like
// the beginning of the next line.
func (v *view) untilProse(shortest, end int) int {
	for at := v.NextBreak(shortest-1, end); at < end; {
		next := v.NextBreak(at, end)
		if t := value.TraitsOf(v.Text[at:next]); t.Turns < 2 && (t.Digit == 0 || t.Turns == 0) || next-at >= 12 && value.Reference(v.Text[at:next]) && !strings.ContainsAny(v.Omitted(at), "\"'") {
			return at
		}
		at = next
	}
	return end
}

func (v *view) found(kind string, start, end int, r rank) candidate {
	from, to := v.Origin(start, end)
	return candidate{Finding{kind, from, to}, r}
}
