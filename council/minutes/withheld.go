package minutes

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
)

// CutOf counts the secrets, or hidden characters, of one kind in what one member replied, or looked up.
type CutOf struct {
	Member council.MemberID `json:"member"`
	Kind   string           `json:"kind"`
	Count  int              `json:"count"`
}

// CutKind counts those of one kind in what the council was given, in what its members replied, and in what they looked
// up.
type CutKind struct {
	Kind    string `json:"kind"`
	Given   int    `json:"given"`
	Replies int    `json:"replies"`
	Lookups int    `json:"lookups,omitempty"`
}

// withheld counts what was taken out of texts, or found hidden in them.
type withheld struct{ replies, lookedUp texts }

// texts counts what was found in all replies of each member, or in all results that it looked up.
type texts struct {
	cut, hidden map[council.MemberID][]council.Cut
}

func (w *withheld) take(e council.Event) {
	a, _ := e.Answered()
	w.replies.note(e.Actor, a.Cut, a.Hidden)
	for _, u := range a.Tools {
		w.lookedUp.note(e.Actor, cuts(u.Secrets), cuts(u.Hidden))
	}
}

func (t *texts) note(of council.MemberID, cut, hidden []council.Cut) {
	if len(cut)+len(hidden) == 0 {
		return
	}
	if t.cut == nil {
		t.cut, t.hidden = map[council.MemberID][]council.Cut{}, map[council.MemberID][]council.Cut{}
	}
	t.cut[of], t.hidden[of] = council.AddCuts(t.cut[of], cut), council.AddCuts(t.hidden[of], hidden)
}

func cuts(found []council.Found) []council.Cut {
	var all []council.Cut
	for _, f := range found {
		all = append(all, council.Cut{Kind: f.Kind, Count: f.Count})
	}
	return all
}

// CutReplies counts the secrets that were cut out of replies, by member and kind.
func (m *Minutes) CutReplies() []CutOf { return byMember(m.counted().replies.cut) }

// HiddenReplies counts the hidden characters in replies, by member and kind.
func (m *Minutes) HiddenReplies() []CutOf { return byMember(m.counted().replies.hidden) }

// CutLookups counts the secrets that were cut out of what was looked up, by member and kind.
func (m *Minutes) CutLookups() []CutOf { return byMember(m.counted().lookedUp.cut) }

// HiddenLookups counts the hidden characters in what was looked up, by member and kind.
func (m *Minutes) HiddenLookups() []CutOf { return byMember(m.counted().lookedUp.hidden) }

func byMember(of map[council.MemberID][]council.Cut) []CutOf {
	var all []CutOf
	for m, cuts := range of {
		for _, c := range cuts {
			all = append(all, CutOf{Member: m, Kind: c.Kind, Count: c.Count})
		}
	}
	slices.SortFunc(all, func(a, b CutOf) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

func byKind(given []council.Cut, replied, lookedUp []CutOf) []CutKind {
	kinds := map[string]*CutKind{}
	of := func(kind string) *CutKind {
		if kinds[kind] == nil {
			kinds[kind] = &CutKind{Kind: kind}
		}
		return kinds[kind]
	}
	for _, c := range given {
		of(c.Kind).Given += c.Count
	}
	for _, c := range replied {
		of(c.Kind).Replies += c.Count
	}
	for _, c := range lookedUp {
		of(c.Kind).Lookups += c.Count
	}
	var all []CutKind
	for _, k := range kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b CutKind) int { return cmp.Compare(a.Kind, b.Kind) })
	return all
}
