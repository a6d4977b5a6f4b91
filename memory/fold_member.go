package memory

import (
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

const markStance = "stance"

var results = map[quorum.Result]string{
	quorum.Carried:  "was carried",
	quorum.Lost:     "was lost",
	quorum.NoQuorum: "had no quorum",
}

// addStance remembers a member's position before the debate. It supersedes its stance in the session that this one
// reopens.
func (f *bookFold) addStance(e *wire.Entry, p council.Position) {
	s := newClaim(e, KindPreference, 3, p.Position, join(
		fmt.Sprintf("Its position before the debate%s, %.0f %% sure.", f.minutes.onTopic(), p.Confidence*100),
		f.endingSentence()))
	s.rule, s.mark, s.replacesDetail, s.confidence = matchOnTopic, markStance, true, p.Confidence
	at := f.remember(s)
	for old := range f.book.Records {
		if r := &f.book.Records[old]; at >= 0 && r.hasTag(markStance) && f.reopens(r) {
			f.supersede(at, old, eventTime(e))
		}
	}
	for _, known := range p.Overlooked {
		f.remember(newClaim(e, KindAssumption, 3, known,
			fmt.Sprintf("It said that others may overlook this%s.", f.minutes.onTopic())))
	}
}

// memberVote returns the member's vote on the last resolution of the session; empty without either.
func (f *bookFold) memberVote() council.Choice {
	o := f.minutes.Outcome
	if o == nil || o.Last() == nil {
		return ""
	}
	if m := f.minutes.Motion(o.Last().Motion); m != nil {
		for _, b := range m.Ballots {
			if b.Member == f.book.Member && b.Fault == "" {
				return council.Choice(b.Ballot)
			}
		}
	}
	return ""
}

// endingSentence returns a sentence on the end of the session and the member's vote.
func (f *bookFold) endingSentence() string {
	o := f.minutes.Outcome
	switch {
	case o == nil:
		return ""
	case o.Rehearsed:
		return "In the end nothing was decided, because it was a rehearsal."
	case len(o.Resolutions) == 0:
		return "In the end nothing was resolved."
	}
	decision := resolutions(*o)
	if decision != "" {
		decision = " " + decision
	}
	switch vote := f.memberVote(); vote {
	case "":
		return fmt.Sprintf("In the end the council resolved%s, without its vote.", decision)
	case council.ChoiceAbstain:
		return fmt.Sprintf("In the end the council resolved%s; it abstained.", decision)
	default:
		return fmt.Sprintf("In the end the council resolved%s; it voted %s.", decision, vote)
	}
}

// addOwnMotion remembers the fate of a motion in the book of its mover.
func (f *bookFold) addOwnMotion(e *wire.Entry, id council.MotionID, became string) {
	moved := f.minutes.Motion(id)
	if moved == nil || moved.Mover == "" || moved.Mover != f.book.Member {
		return
	}
	summary := ""
	if name := clip(moved.Title, maxTopic); name != "" {
		summary = fmt.Sprintf("Its motion “%s” %s.", name, became)
	}
	f.remember(newFact(e, KindOutcome, 2, summary, withLabel("It would have decided", moved.Decision)))
}
