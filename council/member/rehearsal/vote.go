package rehearsal

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/council/stance"
)

// second says whether the motion under way deserves a vote.
func (m seat) second() council.Second {
	note, s := m.MotionNow(), m.Speak()
	mine, has := m.currentWant()
	slots := m.VoteSlots(note, mine)
	held := has && slices.Contains(note.Wants, mine)
	near := slices.ContainsFunc(note.Wants, func(w concern.Want) bool { return m.Me.Weights[w.Theme] >= 0.5 })
	late := m.Phase == nil || m.Round >= m.Phase.StopConditions.MaxRounds
	yes := held || near || concern.Chance(string(m.Ask.ID), m.Topic.Text) < map[bool]float64{true: 0.7, false: 0.4}[late]
	switch {
	case held:
		s.MustOf(wording.SecondsFor, slots, m.HasRaised(mine))
	case yes:
		s.MustOf(wording.SecondsAnyway, slots, false)
	default:
		s.MustOf(wording.SecondsAgainst, slots, m.HasRaised(mine))
	}
	return council.Second{Rationale: s.Done(), Second: yes}
}

// ballot votes on the motion of the view.
func (m seat) ballot() council.Ballot {
	note, s := m.MotionNow(), m.Speak()
	mine, _ := m.currentWant()
	choice, reason := m.judge(note, mine)
	slots := m.VoteSlots(note, mine)
	spoke := m.HasRaised(mine)
	if choice != council.ChoiceYes && slices.Contains(note.Wants, mine) {
		// What this member stood for is in it: name the next thing.
		if w, ok := m.NextWant(func(w concern.Want) bool { return slices.Contains(note.Wants, w) || m.TakenUp(w) }); ok {
			slots, spoke = m.VoteSlots(note, w), false
		}
	}
	s.MustOf(reason, slots, spoke)
	b := council.Ballot{Rationale: s.Done(), Ballot: choice}
	if stance.Asked(m.Charter) {
		b.Stance = m.Me.Stance.String()
		if choice == council.ChoiceYes && m.Deciding() {
			b.Stance = m.StanceIn(note).String()
		}
	}
	return b
}

// judge weighs a motion: what it holds of this member's demands, whether its answer is the member's own, and how easy
// the member is to please.
func (m seat) judge(note *mind.MotionNote, mine concern.Want) (choice council.Choice, reason wording.Bank) {
	if note.Mover == m.Me.ID {
		return council.ChoiceYes, wording.YesMover
	}
	held := slices.Contains(note.Wants, mine)
	score := 0.14 + 0.16*m.Me.Temper + 0.2*(concern.Chance(string(m.Ask.ID), m.Topic.Text)-0.5)
	if held {
		score += 0.5
	}
	beside := 0.0
	for _, w := range note.Wants {
		if w != mine {
			beside += 0.2 * m.Me.Weights[w.Theme]
		}
	}
	score += min(0.3, beside)
	if note.Seconder == m.Me.ID {
		score += 0.2
	}
	if m.Phase != nil && m.Round >= m.Phase.StopConditions.MaxRounds {
		score += 0.08 // rather this than nothing
	}
	gap := 0
	if m.Deciding() {
		gap = int(m.StanceIn(note)) - int(m.Me.Stance)
		score += map[int]float64{0: 0.15, 1: 0, 2: -0.2}[max(gap, -gap)]
	}
	switch {
	case score >= 0.5 && held:
		return council.ChoiceYes, wording.YesFor
	case score >= 0.5:
		return council.ChoiceYes, wording.YesAnyway
	case score >= 0.4:
		return council.ChoiceAbstain, wording.Abstains
	case gap > 1 || gap > 0 && held:
		return council.ChoiceNo, wording.NoStance
	case gap < -1 || gap < 0 && held:
		return council.ChoiceNo, wording.NoCautious
	}
	return council.ChoiceNo, wording.NoMissing
}
