package prompt

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// place is where the protocol stands after an event, as far as a question depends on it. It is derived from the log
// alone, so that the question of an ask that was answered long ago can be written again.
type place struct {
	leader    council.MemberID
	agreed    bool           // the sealed positions agree, and no vote has shown another mind since
	phase     *council.Phase // under way; nil between phases
	last      *council.Phase // the last one entered: its governance is that of votes on drafts
	carried   string         // the event of the motion that carried last in this visit
	motion    string         // the event of the motion before the council
	mover     council.MemberID
	options   []string // of the choice before the council
	motionSeq council.Seq
	decided   bool // the last phase that voted carried something
	blocks    bool // the draft was approved, and the member did not vote YES on it
	draft     int  // version of the document that was submitted last; 0 before any
	draftSeq  council.Seq
	blockers  []string // ids of the blockers of the last vote that failed
}

// place returns where the protocol stands after the events read so far.
func (s *scribe) place() place {
	m := &s.minutes
	p := place{agreed: m.Agreed, decided: m.Decided()}
	if m.Leader != nil {
		p.leader = m.Leader.Member
	}
	if v := m.Visit(); v != nil {
		p.last = s.charter.Phase(v.Phase)
		if v.End == nil {
			p.phase = p.last
		}
		if v.Carried != nil {
			p.carried = v.Carried.Event
		}
	}
	if n := len(m.Motions); n > 0 && m.Motions[n-1].Status == minutes.MotionOpen {
		p.motion, p.mover, p.motionSeq = m.Motions[n-1].Event, m.Motions[n-1].Mover, m.Motions[n-1].Seq
		p.options = m.Motions[n-1].Options
	}
	if d := m.LastDraft(); d != nil {
		p.draft, p.draftSeq = d.Version, d.Seq
		p.blocks = d.Approved() && !slices.ContainsFunc(d.Ballots, func(b minutes.Ballot) bool {
			return b.Member == s.me && b.Ballot == string(council.ChoiceYes)
		})
	}
	for _, d := range slices.Backward(m.Drafts) {
		if d.Vote == nil {
			continue
		}
		for _, b := range m.Raised(d) {
			p.blockers = append(p.blockers, b.ID)
		}
		break
	}
	return p
}
