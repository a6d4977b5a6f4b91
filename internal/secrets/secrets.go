package secrets

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Finding is a secret in a text.
type Finding struct {
	Kind       string // such as "aws-access-key"
	Start, End int    // its bytes
}

// Count says how many secrets of a kind there were.
type Count struct {
	Kind string
	N    int
}

// Find lists the secrets in s in their order. No two share a byte.
func Find(s string) []Finding {
	v, _ := (&view{text: s, source: s}).rewritten(notASCII, hidden)
	found := append(v.search(), v.encoded()...)
	v, encoded := v.rewritten(codeStart, encodedChar)
	if encoded {
		found = append(found, v.search()...)
	}
	if v, _ = v.rewritten(gapStart, gap); v.places != nil {
		found = append(found, v.search()...)
		found = append(found, v.encoded()...)
	}
	return settle(found)
}

// Listed is the kind of what further expressions match.
const Listed = "policy"

// Cut returns s with a mark, such as "[cut: aws-access-key]", in the place of every secret and of every match of the
// further expressions, and what was cut by kind, in alphabetical order. The result has as many lines as s. Without a
// secret it is s.
func Cut(s string, further ...*regexp.Regexp) (string, []Count) {
	found := Find(s)
	if len(further) > 0 {
		var all []candidate
		for _, f := range found {
			all = append(all, candidate{f, byForm})
		}
		for _, exp := range further {
			for _, at := range exp.FindAllStringIndex(s, -1) {
				all = append(all, candidate{Finding{Listed, at[0], at[1]}, byForm})
			}
		}
		found = settle(all)
	}
	if len(found) == 0 {
		return s, nil
	}
	var b strings.Builder
	counts := map[string]int{}
	last := 0
	for _, f := range found {
		b.WriteString(s[last:f.Start])
		b.WriteString(mark + f.Kind + "]")
		b.WriteString(strings.Repeat("\n", strings.Count(s[f.Start:f.End], "\n")))
		counts[f.Kind]++
		last = f.End
	}
	b.WriteString(s[last:])
	return b.String(), tally(counts)
}

// mark begins what stands in a secret's place.
const mark = "[cut: "

func tally(counts map[string]int) []Count {
	var all []Count
	for kind, n := range counts {
		all = append(all, Count{kind, n})
	}
	slices.SortFunc(all, func(a, b Count) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}

// candidate is a finding before those that overlap are settled.
type candidate struct {
	Finding
	rank rank
}

// rank says how sure the kind is: by the secret's own form, by what stands around it, or by a name alone.
type rank int

const (
	byName rank = iota
	byPlace
	byForm
)

// settle makes one finding of those that overlap: of the surest kind, over all their bytes.
func settle(found []candidate) []Finding {
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(b.rank, a.rank))
	})
	var settled []candidate
	for _, c := range found {
		if n := len(settled); n > 0 && c.Start < settled[n-1].End {
			last := &settled[n-1]
			if c.rank > last.rank {
				last.Kind, last.rank = c.Kind, c.rank
			}
			last.End = max(last.End, c.End)
			continue
		}
		settled = append(settled, c)
	}
	all := make([]Finding, len(settled))
	for i, c := range settled {
		all[i] = c.Finding
	}
	return all
}

// matcher looks at a place where its word stands.
type matcher func(v *view, at int, word string) []candidate

// index is everything that is looked for, by the words that begin, name or stand in what may be a secret.
type index struct {
	words  [][]needle
	bucket [1 << (5 * indexed)]uint16 // of the hash of a word's beginning: one more than the place in words, or 0
}

// indexed is how many bytes at the beginning of a word have a part in its hash.
const indexed = 3

// hash adds a byte to the hash of those before it. It is the same for capital letters and small ones.
func hash(before int, c byte) int {
	h := c & 31
	if c < '@' { // a blank is met often: not in one bucket with "@"
		h ^= 21
	}
	return (before<<5 | int(h)) & (1<<(5*indexed) - 1)
}

type needle struct {
	word  string // a small letter stands for the capital one too
	match matcher
}

var all = newIndex()

func newIndex() *index {
	x := &index{}
	for i := range forms {
		x.add([]string{forms[i].prefix}, forms[i].match)
	}
	for i, rules := range [][]*rule{placeRules, formRules} {
		for _, r := range rules {
			x.add(strings.Split(r.words, "|"), func(v *view, at int, word string) []candidate {
				return r.match(v, at, word, byPlace+rank(i))
			})
		}
	}
	x.add([]string{"kind: secret"}, manifest)
	x.add(nameParts, named)
	return x
}

func (x *index) add(words []string, match matcher) {
	for _, w := range words {
		key, free := 0, 5*max(0, indexed-len(w)) // a shorter word goes into the buckets of all that may follow
		for i := range min(len(w), indexed) {
			key = hash(key, w[i])
		}
		for rest := range 1 << free {
			b := &x.bucket[key<<free|rest]
			if *b == 0 {
				x.words = append(x.words, nil)
				*b = uint16(len(x.words))
			}
			x.words[*b-1] = append(x.words[*b-1], needle{w, match})
		}
	}
}

// search lists what is found in a view, in its source.
func (v *view) search() []candidate {
	v.done = map[*rule]int{}
	found := v.prefixed()
	text, key := v.text, 0
	for end := 1; end < len(text)+indexed; end++ {
		c := byte(0) // beyond the end
		if end <= len(text) {
			c = text[end-1]
		}
		key = hash(key, c)
		at := end - indexed
		bucket := all.bucket[key]
		if bucket == 0 || at < 0 {
			continue
		}
		for i := range all.words[bucket-1] {
			if n := &all.words[bucket-1][i]; begins(text[at:], n.word) {
				found = append(found, n.match(v, at, n.word)...)
			}
		}
	}
	return found
}

func (v *view) found(kind string, start, end int, r rank) candidate {
	from, to := v.origin(start, end)
	return candidate{Finding{kind, from, to}, r}
}

// begins reports whether s begins with a word, whose small letters stand for capital ones too.
func begins(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if c := s[i]; c != word[i] && (c < 'A' || c > 'Z' || c+'a'-'A' != word[i]) {
			return false
		}
	}
	return true
}
