// Package unmet folds a session's log into what its decision leaves open: requirements of the charter that the record
// does not show, blockers that no draft answers, and dissents.
package unmet

import (
	"slices"

	"github.com/council-engine/council/council"
)

// List is what a session leaves open, each part in the order of the log. The zero List leaves nothing open.
type List struct {
	Requirements []Requirement
	Blockers     []Blocker
	Dissents     []Dissent
}

// Requirement is something that the charter requires of a phase and the record does not show when the phase ended last.
type Requirement struct {
	Phase council.PhaseID
	What  string
}

// Blocker is a critical blocker of a draft that no later draft answers.
type Blocker struct {
	By    council.MemberID
	Draft int
	council.Blocker
}

// Dissent is the opinion of a member that did not vote with the side that prevailed.
type Dissent struct {
	By   council.MemberID
	Text string
}

// Empty reports whether nothing is open.
func (l List) Empty() bool { return len(l.Requirements)+len(l.Blockers)+len(l.Dissents) == 0 }

// Of returns what the events of a session leave open.
func Of(events []council.Event) List {
	var l List
	for _, e := range events {
		switch p := e.Payload.(type) {
		case council.PhaseEnded:
			l.Requirements = slices.DeleteFunc(l.Requirements, func(r Requirement) bool { return r.Phase == p.Phase })
			for _, what := range p.Missing {
				l.Requirements = append(l.Requirements, Requirement{p.Phase, what})
			}
		case council.ReviewGiven:
			for _, b := range p.CriticalBlockers {
				l.Blockers = append(l.Blockers, Blocker{e.Actor, p.Version, b})
			}
		case council.DraftWritten:
			l.Blockers = slices.DeleteFunc(l.Blockers, func(b Blocker) bool {
				return slices.ContainsFunc(p.Responses, func(r council.BlockerResponse) bool {
					return r.BlockerID == b.ID && r.Answer != council.AnswerUnanswered
				})
			})
		case council.DissentWritten:
			if p.Dissent.Dissent != "" {
				l.Dissents = append(l.Dissents, Dissent{e.Actor, p.Dissent.Dissent})
			}
		}
	}
	return l
}
