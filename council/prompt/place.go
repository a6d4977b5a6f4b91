package prompt

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// place is where the protocol stands after an event, as far as a question depends on it. It is derived from the log
// alone, so that the question of an ask that was answered long ago can be written again. Templates see the exported
// fields.
type place struct {
	leader     council.MemberID
	agreed     bool           // the sealed positions agree, and no vote has shown another mind since
	phase      *council.Phase // under way; nil between phases
	last       *council.Phase // the last one entered: its governance is that of votes on drafts
	Standing   []string       // the events of the motions that stand in this visit, or, after it, of those resolved
	mayAsk     bool           // a turn may put a question
	Question   string         // the event of the question that was put last
	asker      council.MemberID
	After      string // the words of the convener's question after the close
	Motion     string // the event of the motion before the council
	mover      council.MemberID
	options    []string // of the choice before the council
	proposed   bool     // its options are members' words
	motionSeq  council.Seq
	amendments []*minutes.Amendment // to the motion before the council: all, or the one on which ballots are cast
	Decided    bool                 // the last phase that voted carried something
	Blocks     bool                 // the draft was approved, and the member did not vote YES on it
	Draft      int                  // version of the document that was submitted last; 0 before any
	draftSeq   council.Seq
	Blockers   []string // ids of the blockers of the last vote that failed
}

// place returns where the protocol stands after the events read so far.
func (s *scribe) place() place {
	m := &s.minutes
	p := place{agreed: m.Agreed, Decided: len(m.Resolved()) > 0}
	if m.Leader != nil {
		p.leader = m.Leader.Member
	}
	if v := m.Visit(); v != nil {
		p.last = s.charter.Phase(v.Phase)
		stand := m.Resolved()
		if v.End == nil {
			p.phase, stand = p.last, v.Standing
		}
		for _, on := range stand {
			p.Standing = append(p.Standing, on.Event)
		}
		p.mayAsk = p.last != nil && v.Asked < p.last.StopConditions.MaxQuestions
	}
	if q := m.Question; q != nil {
		if p.Question, p.asker = q.Seq.ID(), q.By; q.By == council.Convener {
			p.After = q.Text
		}
	}
	if n := len(m.Motions); n > 0 && m.Motions[n-1].Status == minutes.MotionOpen {
		open := m.Motions[n-1]
		p.Motion, p.mover, p.motionSeq, p.amendments = open.Event, open.Mover, open.Seq, open.Amendments
		if pending := open.Pending(); open.Weighed && pending != nil {
			p.amendments = []*minutes.Amendment{pending}
		} else if open.Weighed {
			p.amendments = nil
		}
		p.options, p.proposed = open.Options, p.mover != ""
		for _, id := range open.Of {
			p.motionSeq, p.proposed = min(p.motionSeq, m.Motion(id).Seq), true
		}
	}
	if d := m.LastDraft(); d != nil {
		p.Draft, p.draftSeq = d.Version, d.Seq
		p.Blocks = d.Approved() && !slices.ContainsFunc(d.Ballots, func(b minutes.Ballot) bool {
			return b.Member == s.me && b.Ballot == string(council.ChoiceYes)
		})
	}
	for _, d := range slices.Backward(m.Drafts) {
		if d.Vote == nil {
			continue
		}
		for _, b := range m.Raised(d) {
			p.Blockers = append(p.Blockers, b.ID)
		}
		break
	}
	return p
}
