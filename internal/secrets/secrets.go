package secrets

import (
	"cmp"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/secrets/text"
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
	seen := text.Seen(s)
	v := &view{View: seen}
	found := append(v.search(), v.encoded()...)
	if plain, ok := seen.Plain(); ok {
		seen = plain
		v := &view{View: plain}
		found = append(found, v.search()...)
	}
	if joined, ok := seen.Joined(); ok {
		v := &view{View: joined}
		found = append(found, v.search()...)
		found = append(found, v.encoded()...)
	}
	return settle(found)
}

// Cut returns s with a mark, such as "[cut: aws-access-key]", in the place of every secret, and what was cut by kind, in
// alphabetical order. The result has as many lines as s. Without a secret it is s.
func Cut(s string) (string, []Count) {
	found := Find(s)
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
