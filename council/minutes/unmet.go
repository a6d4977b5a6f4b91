package minutes

import (
	"slices"

	"github.com/council-engine/council/council"
)

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
