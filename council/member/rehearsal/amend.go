package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// stand adds to the answer of a member where it stands, where that is asked. All members but the last after the
// mover propose to add what they ask for, if the motion does not hold it.
func (s seat) stand(b council.Second) council.Second {
	if s.Phase == nil || !s.Phase.Governance.Debate {
		return b
	}
	b.Second = b.Second && s.Phase.Governance.RequireSeconding
	b.Stand = council.StandOppose
	if s.held() {
		b.Stand = council.StandSupport
		return b
	}
	n := len(s.Seats)
	after := (slices.Index(s.Seats, s.Seat.ID) - slices.Index(s.Seats, s.Motion.Mover) + n) % n
	if !s.Phase.Governance.Amends() || len(s.Motion.Options) > 0 || after > n-2 {
		return b
	}
	last := s.Motion.Text[strings.LastIndexByte(s.Motion.Text, '\n')+1:]
	add := &council.Amendment{Strike: last,
		Insert: last + "\n- " + s.focus.asks + ", for " + s.focus.name + ", as " + s.name(s.Seat.ID) + " asks"}
	if _, problem := s.Motion.Wording().Amended(*add); problem == "" {
		b.Stand, b.Amendment = council.StandAmend, add
	}
	return b
}

// amend accepts, as the mover, the first amendment, and leaves the others to the vote; everybody else seconds them.
func (s seat) amend() council.Body {
	b := council.Amend{Rationale: "The council should decide on it."}
	for _, p := range s.Proposed {
		if p.By != s.Seat.ID {
			b.Amendments = append(b.Amendments, p.ID)
		}
	}
	if s.Motion.Mover == s.Seat.ID && len(b.Amendments) > 0 {
		b.Amendments, b.Rationale = b.Amendments[:1], "The first takes nothing from what I ask for."
	}
	return b
}

// ballotOnAmendment votes for what only adds to the motion; the mover holds that enough was added.
func (s seat) ballotOnAmendment() council.Ballot {
	if s.Motion.Mover == s.Seat.ID {
		return council.Ballot{Ballot: council.ChoiceNo, Rationale: "The motion holds enough."}
	}
	return council.Ballot{Ballot: council.ChoiceYes, Rationale: "It adds to the motion, and takes nothing away."}
}
