package secrets

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/looks"
)

// Finding is a secret in a text.
type Finding struct {
	Kind       string // such as "aws-access-key"; see [Kinds]
	Start, End int    // its bytes
}

// Count says how many secrets of a kind there were.
type Count struct {
	Kind string
	N    int
}

// Find lists the secrets in s in their order. No two share a byte.
func Find(s string) []Finding {
	v := seen(s)
	found := append(v.search(), v.encoded()...)
	if plain, ok := v.plain(); ok {
		v = plain
		found = append(found, v.search()...)
	}
	if joined, ok := v.joined(); ok {
		found = append(found, joined.search()...)
		found = append(found, joined.encoded()...)
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
type matcher func(v *view, at int) []candidate

// index is everything that is looked for, by the words that begin, name or stand in what may be a secret.
type index struct {
	words  [][]needle
	bucket [1 << (5 * indexed)]uint16 // of the hash of a word's beginning: one more than the place in words, or 0
	kinds  []string
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
	word     string // in small letters
	matchers []matcher
}

var all = newIndex()

func newIndex() *index {
	byWord, kinds := map[string][]matcher{}, map[string]bool{}
	for _, f := range looks.Forms() {
		for _, prefix := range strings.Fields(f.Prefixes) {
			w := lowerAll(prefix)
			byWord[w] = append(byWord[w], token{f, prefix}.match)
		}
		kinds[f.Kind] = true
	}
	for _, s := range slices.Concat(markedShapes, addressShapes, headerShapes, statedShapes, commandShapes()) {
		for _, w := range s.words {
			byWord[w] = append(byWord[w], s.match)
		}
		for _, k := range s.kinds {
			kinds[k] = true
		}
	}
	byWord["kind: secret"] = append(byWord["kind: secret"], manifest)
	for _, w := range looks.NameParts {
		byWord[w] = append(byWord[w], named)
	}
	for _, k := range looks.Kinds() {
		kinds[k] = true
	}
	x := &index{kinds: slices.Sorted(maps.Keys(kinds))}
	for _, w := range slices.Sorted(maps.Keys(byWord)) {
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
			x.words[*b-1] = append(x.words[*b-1], needle{w, byWord[w]})
		}
	}
	return x
}

// Kinds lists every kind of secret that can be found, in alphabetical order.
func Kinds() []string { return slices.Clone(all.kinds) }

// search lists what is found in a view, in its source.
func (v *view) search() []candidate {
	found := v.prefixed()
	text, bucket, key := v.text, &all.bucket, 0
	for end := 1; end < len(text)+indexed; end++ {
		c := byte(0) // beyond the end
		if end <= len(text) {
			c = text[end-1]
		}
		key = hash(key, c)
		at := end - indexed
		if bucket[key] == 0 || at < 0 {
			continue
		}
		for i := range all.words[bucket[key]-1] {
			needle := &all.words[bucket[key]-1][i]
			if len(text)-at >= len(needle.word) && foldsTo(text[at:], needle.word) {
				for _, match := range needle.matchers {
					found = append(found, match(v, at)...)
				}
			}
		}
	}
	return found
}

// lower maps a capital letter of ASCII to the small one, and other bytes to themselves.
var lower = func() (l [256]byte) {
	for i := range l {
		l[i] = byte(i)
	}
	for c := 'A'; c <= 'Z'; c++ {
		l[c] = byte(c - 'A' + 'a')
	}
	return l
}()

func lowerAll(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower[b[i]]
	}
	return string(b)
}

// foldsTo reports whether s begins with a word in small letters, or in capital ones.
func foldsTo(s, small string) bool {
	for i := range len(small) {
		if lower[s[i]] != small[i] {
			return false
		}
	}
	return true
}
