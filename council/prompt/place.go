package prompt

import "github.com/council-engine/council/council"

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
	motionSeq council.Seq
	draft     int // version of the document that was submitted last; 0 before any
	draftSeq  council.Seq
	blockers  []string // ids of the blockers of the last vote that failed
}

// after returns the place after e.
func (p place) after(e council.Event, c *council.Charter) place {
	switch b := e.Payload.(type) {
	case council.PositionsOpened:
		p.agreed = b.Agreed
	case council.LeaderElected:
		p.leader = b.Leader
	case council.PhaseStarted:
		p.phase = c.Phase(b.Phase)
		p.last, p.carried = p.phase, ""
	case council.PhaseEnded:
		p.phase = nil
	case council.MotionMade:
		p.motion, p.mover, p.motionSeq = e.Seq.ID(), e.Actor, e.Seq
	case council.MotionDied:
		p.agreed = false
		p.motion, p.mover, p.motionSeq = "", "", 0
	case council.MotionDecided:
		if b.Result == carried {
			p.carried = p.motion
		}
		p.agreed = p.agreed && b.Result == carried && b.Count.Yes == len(c.Members)
		p.motion, p.mover, p.motionSeq = "", "", 0
	case council.DraftWritten:
		p.draft, p.draftSeq = b.Version, e.Seq
	case council.DraftDecided:
		p.blockers = nil
	case council.ReviewGiven:
		// Clipped: places before and after share the list.
		p.blockers = p.blockers[:len(p.blockers):len(p.blockers)]
		for _, blocker := range b.CriticalBlockers {
			p.blockers = append(p.blockers, blocker.ID)
		}
	}
	return p
}
