package rules

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
)

// MinConfidence is the least confidence at which a sealed position counts as settled, where only contested questions
// are debated.
const MinConfidence = 0.8

// early tracks whether a debate is over before its rounds are.
type early struct {
	given        *citation.Given // nil where the charter does not ask
	cited        map[string]bool // citations of turns so far
	newCitations int             // citations in this round that no turn had before
	stance       council.Stance  // of the first position; all that count agree with it
	differ       bool            // a member sealed another stance, none, or is not sure
	agreed       bool            // all members agree, as far as the record shows
	leaderFirst  bool            // the leader has the first turn of this round
}

// noteCitable takes in documents, files and events that can be cited from now on.
func (s *Session) noteCitable(e council.Event) {
	if !s.charter.Deliberation.ContestedOnly {
		return
	}
	if s.early.given == nil {
		s.early.given, s.early.cited = citation.NewGiven(), map[string]bool{}
	}
	s.early.given.Take(e)
}

// stanceOf returns the stance to record: "" where the charter does not ask for one.
func (s *Session) stanceOf(named string) string {
	if !s.charter.AsksStances() {
		return ""
	}
	return named
}

func (s *Session) memberInTurn(turn int) council.MemberID {
	switch {
	case s.phase.Turns == council.TurnsRotate && !s.early.leaderFirst:
		return s.seats[(turn+s.round-2)%len(s.seats)]
	case !s.early.leaderFirst:
		return s.seats[turn-1]
	}
	leads := slices.Index(s.seats, s.leader)
	switch {
	case turn == 1:
		return s.leader
	case turn <= leads+1:
		return s.seats[turn-2]
	}
	return s.seats[turn-1]
}

// movedUncontested reports whether a motion that carries was moved by the leader at once, of one mind with everybody.
func (s *Session) movedUncontested() bool {
	return s.early.agreed && s.early.leaderFirst && s.turn == 1
}

// firstCited lists, sorted, the existing citations of a turn that no turn had before. Lines that the member looked up
// for it count as cited.
func (s *Session) firstCited(a council.Answered, texts ...string) []string {
	if s.early.given == nil {
		return nil
	}
	var first []string
	for _, use := range a.Tools {
		for _, l := range use.Given {
			if cite := fmt.Sprintf("%s:%d-%d", l.File, l.From, l.To); !s.early.cited[cite] {
				first = append(first, cite)
			}
		}
	}
	for _, text := range texts {
		at := citation.Moment{AsOf: a.AsOf, Event: council.Seq(len(s.log) + 1)}
		for _, c := range citation.Find(text, s.early.given, at) {
			if c.Fault == "" && !s.early.cited[c.Text] {
				first = append(first, c.Text)
			}
		}
	}
	slices.Sort(first)
	return slices.Compact(first)
}

// noteCited takes in the first citations of a turn.
func (s *Session) noteCited(cites []string) {
	for _, c := range cites {
		s.early.cited[c] = true
	}
	s.early.newCitations += len(cites)
}
