package minutes

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
)

// AmendmentStatus tells what became of an amendment.
type AmendmentStatus string

// The statuses of an amendment; one that was voted on has the result of the vote. One that was put waits for it.
const (
	AmendmentProposed AmendmentStatus = "PROPOSED"
	AmendmentAccepted AmendmentStatus = "ACCEPTED" // by the mover
	AmendmentPut      AmendmentStatus = "PUT"
	AmendmentDied     AmendmentStatus = "DIED" // without a second
	AmendmentFell     AmendmentStatus = "FELL" // what was decided before it left nothing to amend so
)

// Amendment is a change that a member proposed to a motion.
type Amendment struct {
	Event  council.AmendmentID `json:"event"`
	Member council.MemberID    `json:"proposedBy"`
	council.Amendment
	Status  AmendmentStatus   `json:"status"`
	Vote    *council.Decision `json:"vote,omitempty"`
	Ballots []Ballot          `json:"ballots,omitempty"`

	Before, After council.Wording `json:"-"` // what the motion said before it was taken in and after; empty if it was not
}

// Wording returns what was moved in the words of motions.
func (m *Moved) Wording() council.Wording {
	return council.Wording{MotionTitle: m.Title, MotionText: m.Text, DecisionIfPass: m.Decision}
}

// Pending returns the amendment on which ballots are cast, or nil.
func (m *Motion) Pending() *Amendment {
	for _, a := range m.Amendments {
		if a.Status == AmendmentPut {
			return a
		}
	}
	return nil
}

// proposed lists the amendments among the answers that the last event opened.
func (m *Minutes) proposed() []*Amendment {
	var out []*Amendment
	for _, e := range m.Heard {
		if p, ok := e.Payload.(council.SecondAnswered); ok && p.Amendment != nil {
			out = append(out, &Amendment{
				Event: council.AmendmentID(e.Seq.ID()), Member: e.Actor, Amendment: *p.Amendment, Status: AmendmentProposed,
			})
		}
	}
	seats := m.Seats()
	slices.SortStableFunc(out, func(a, b *Amendment) int {
		return cmp.Compare(slices.Index(seats, a.Member), slices.Index(seats, b.Member))
	})
	return out
}

// weigh takes in what becomes of the amendments to a motion.
func (m *Minutes) weigh(p council.AmendmentsWeighed) {
	m.onMotion(p.Motion, func(on *Motion) {
		on.Weighed = true
		for _, a := range on.Amendments {
			switch a.Status = AmendmentDied; {
			case slices.Contains(p.Accepted, a.Event):
				a.Status = AmendmentAccepted
			case slices.Contains(p.Put, a.Event):
				a.Status = AmendmentPut
			}
		}
	})
}

func (m *Minutes) onAmendment(motion council.MotionID, id council.AmendmentID, change func(*Motion, *Amendment)) {
	m.onMotion(motion, func(of *Motion) {
		if a := of.Amendment(id); a != nil {
			change(of, a)
		}
	})
}

// Amendment returns the amendment that an event proposed, or nil.
func (m *Motion) Amendment(id council.AmendmentID) *Amendment {
	i := slices.IndexFunc(m.Amendments, func(a *Amendment) bool { return a.Event == id })
	if i < 0 {
		return nil
	}
	return m.Amendments[i]
}
