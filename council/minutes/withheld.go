package minutes

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
)

// Withheld counts, by member and kind, the secrets that were cut out of what members replied and looked up, and the
// hidden characters in it.
type Withheld struct {
	CutReplies    []CutOf `json:"cutReplies,omitempty"`
	HiddenReplies []CutOf `json:"hiddenReplies,omitempty"`
	CutLookups    []CutOf `json:"cutLookups,omitempty"`
	HiddenLookups []CutOf `json:"hiddenLookups,omitempty"`
}

// CutOf counts the secrets, or hidden characters, of one kind in what one member replied, or looked up.
type CutOf struct {
	Member council.MemberID `json:"member"`
	Kind   string           `json:"kind"`
	Count  int              `json:"count"`
}

// Withheld returns what was withheld so far, until the next event is taken in.
func (m *Minutes) Withheld() Withheld { return m.counted().withheld }

func (w *Withheld) take(e council.Event) {
	a, _ := e.Answered()
	note(&w.CutReplies, e.Actor, a.Cut)
	note(&w.HiddenReplies, e.Actor, a.Hidden)
	for _, u := range a.Tools {
		note(&w.CutLookups, e.Actor, u.Secrets)
		note(&w.HiddenLookups, e.Actor, u.Hidden)
	}
}

// note adds what was found to a list in the order of members and kinds.
func note(all *[]CutOf, of council.MemberID, found []council.Cut) {
	for _, f := range found {
		at, known := slices.BinarySearchFunc(*all, CutOf{Member: of, Kind: f.Kind}, func(a, b CutOf) int {
			return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
		})
		if !known {
			*all = slices.Insert(*all, at, CutOf{Member: of, Kind: f.Kind})
		}
		(*all)[at].Count += f.Count
	}
}

// CutKind counts those of one kind in what the council was given, in what its members replied, and in what they looked
// up.
type CutKind struct {
	Kind    string `json:"kind"`
	Given   int    `json:"given"`
	Replies int    `json:"replies"`
	Lookups int    `json:"lookups,omitempty"`
}

func byKind(given []council.Cut, replied, lookedUp []CutOf) []CutKind {
	var all []CutKind
	of := func(kind string) *CutKind {
		at, known := slices.BinarySearchFunc(all, kind, func(k CutKind, kind string) int { return cmp.Compare(k.Kind, kind) })
		if !known {
			all = slices.Insert(all, at, CutKind{Kind: kind})
		}
		return &all[at]
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
	return all
}

// Lookups tells how often one member called tools, and what came back.
type Lookups struct {
	Member council.MemberID `json:"member"`
	Calls  int              `json:"calls"`
	Failed int              `json:"failed"` // calls that came to nothing
	Bytes  int              `json:"bytes"`  // that the member was told, also of why a call failed
}

// lookups counts the calls of tools by member.
type lookups struct {
	of    map[council.MemberID]Lookups
	older bool // a call was recorded by a version that did not count the bytes
}

func (l *lookups) take(e council.Event) {
	a, _ := e.Answered()
	for _, u := range a.Tools {
		if l.of == nil {
			l.of = map[council.MemberID]Lookups{}
		}
		n := l.of[e.Actor]
		n.Calls++
		n.Bytes += u.Bytes
		if u.Failed {
			n.Failed++
		}
		l.of[e.Actor] = n
		l.older = l.older || u.Bytes == 0
	}
}

// Lookups counts the calls of each member that has tools, in turn order. It is nil where none was called, and where the
// record does not tell of every call how much came back, so that records of older versions are rendered as they were.
func (m *Minutes) Lookups() []Lookups {
	if len(m.counted().looked.of) == 0 || m.counted().looked.older {
		return nil
	}
	charter := &m.Started.Charter
	var all []Lookups
	for _, id := range charter.Seats() {
		if seat := charter.Member(id); seat != nil && seat.Tools != nil {
			n := m.counted().looked.of[id]
			n.Member = id
			all = append(all, n)
		}
	}
	return all
}

// Unmet lists what a decision leaves open, each part in the order of the log. The zero Unmet leaves nothing open.
type Unmet struct {
	Requirements []Requirement   `json:"requirements"`
	Blockers     []RaisedBlocker `json:"blockers"` // those that no later draft answers
	Dissents     []Dissent       `json:"dissents"`
}

// Requirement is something that the charter requires of a phase and the record did not show when the phase ended last.
type Requirement struct {
	Phase council.PhaseID `json:"phaseId"`
	What  string          `json:"requirement"`
}

// Dissent is the opinion of a member that did not vote with the side that prevailed.
type Dissent struct {
	By    council.MemberID `json:"member"`
	Event string           `json:"event"`
	Text  string           `json:"dissent"`
}

// Empty reports whether nothing is open.
func (u Unmet) Empty() bool { return len(u.Requirements)+len(u.Blockers)+len(u.Dissents) == 0 }

// Unmet returns what the decision leaves open.
func (m *Minutes) Unmet() Unmet {
	u := Unmet{[]Requirement{}, []RaisedBlocker{}, []Dissent{}}
	for _, v := range m.Visits {
		if v.End == nil {
			continue
		}
		u.Requirements = slices.DeleteFunc(u.Requirements, func(r Requirement) bool { return r.Phase == v.Phase })
		for _, what := range v.Missing {
			u.Requirements = append(u.Requirements, Requirement{v.Phase, what})
		}
	}
	for _, d := range m.Drafts {
		for _, b := range m.Raised(d) {
			if b.Answer == "" || b.Answer == council.AnswerUnanswered {
				u.Blockers = append(u.Blockers, b)
			}
		}
	}
	for _, e := range m.Dissents {
		p, _ := e.Payload.(council.DissentWritten)
		u.Dissents = append(u.Dissents, Dissent{e.Actor, e.Seq.ID(), p.Dissent.Dissent})
	}
	return u
}

// Unanswered lists the ids of the blockers that no later draft answers.
func (m *Minutes) Unanswered() []string {
	var ids []string
	for _, b := range m.Unmet().Blockers {
		ids = append(ids, b.ID)
	}
	return ids
}
