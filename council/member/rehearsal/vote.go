package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// second says whether the motion under way deserves a vote.
func (m *mind) second() council.Second {
	note, s := m.motionNow(), m.speak()
	mine, has := m.currentWant()
	slots := m.voteSlots(note, mine)
	held := has && slices.Contains(note.wants, mine)
	near := slices.ContainsFunc(note.wants, func(w want) bool { return m.me.weights[w.theme] >= 0.5 })
	late := m.Phase == nil || m.Round >= m.Phase.StopConditions.MaxRounds
	yes := held || near || chance(string(m.Ask.ID), m.Topic.Text) < map[bool]float64{true: 0.7, false: 0.4}[late]
	switch {
	case held:
		s.sayOf(secondsFor, slots, m.hasRaised(mine))
	case yes:
		s.sayOf(secondsFor[2:], slots, false)
	default:
		s.sayOf(secondsAgainst, slots, m.hasRaised(mine))
	}
	return council.Second{Rationale: s.done(), Second: yes}
}

// sayOf is must for banks in which some phrases point to an event of the speaker's own, which may not exist.
func (s *speech) sayOf(bank []string, slots []string, spoke bool) {
	if !spoke {
		bank = slices.DeleteFunc(slices.Clone(bank), func(p string) bool { return strings.Contains(p, "{mine}") })
	}
	s.must(bank, slots...)
}

func (m *mind) hasRaised(w want) bool { return m.raisedAt(w) != 0 }

// raisedAt is where this member asked for w last, or 0.
func (m *mind) raisedAt(w want) council.Seq {
	for _, r := range m.myWants() {
		if r.want == w {
			return r.seq
		}
	}
	return 0
}

// motionNow is the note on the motion of the view, or one made of it when the log does not hold it.
func (m *mind) motionNow() *motionNote {
	if m.Motion == nil {
		return &motionNote{}
	}
	if note := m.log.motion(m.Motion.ID); note.ID != "" {
		return note
	}
	return &motionNote{Motion: *m.Motion, wants: m.wantsIn(m.Motion.Text + " " + m.Motion.Decision)}
}

func (m *mind) voteSlots(note *motionNote, mine want) []string {
	d := m.demand(mine)
	var needs []string
	for _, w := range note.wants[:min(2, len(note.wants))] {
		needs = append(needs, m.demand(w).need)
	}
	about := "“" + words(cut(hostile.Line(note.Title), 80)) + "”"
	if len(needs) > 0 {
		about = list(needs)
	}
	return []string{
		"{need}", d.need, "{Need}", upperFirst(d.need), "{without}", d.without, "{about}", m.themes[mine.theme].about,
		"{needs}", about, "{mover}", m.name(note.Mover), "{mine}", m.raisedAt(mine).ID(), "{e}", note.Seq.ID(),
	}
}

// ballot votes on the motion or the draft of the view.
func (m *mind) ballot() council.Ballot {
	if m.Motion == nil && m.Draft != nil {
		return m.ballotOnDraft()
	}
	note, s := m.motionNow(), m.speak()
	mine, _ := m.currentWant()
	choice, reason := m.judge(note, mine)
	slots := m.voteSlots(note, mine)
	spoke := m.hasRaised(mine)
	if choice != council.ChoiceYes && slices.Contains(note.wants, mine) {
		// What this member stood for is in it: name the next thing.
		if w, ok := m.nextWant(func(w want) bool { return slices.Contains(note.wants, w) || m.takenUp(w) }); ok {
			slots, spoke = m.voteSlots(note, w), false
		}
	}
	s.sayOf(reason, slots, spoke)
	return council.Ballot{Rationale: s.done(), Ballot: choice}
}

// judge weighs a motion: what it holds of this member's demands, whether its answer is the member's own, and how easy
// the member is to please.
func (m *mind) judge(note *motionNote, mine want) (council.Choice, []string) {
	if note.Mover == m.me.ID {
		return council.ChoiceYes, yesMover
	}
	held := slices.Contains(note.wants, mine)
	score := 0.14 + 0.16*m.me.temper + 0.2*(chance(string(m.Ask.ID), m.Topic.Text)-0.5)
	if held {
		score += 0.5
	}
	beside := 0.0
	for _, w := range note.wants {
		if w != mine {
			beside += 0.2 * m.me.weights[w.theme]
		}
	}
	score += min(0.3, beside)
	if note.seconder == m.me.ID {
		score += 0.2
	}
	if m.Phase != nil && m.Round >= m.Phase.StopConditions.MaxRounds {
		score += 0.08 // rather this than nothing
	}
	gap := 0
	if m.deciding() {
		gap = int(m.stanceIn(note)) - int(m.me.stance)
		score += map[int]float64{0: 0.15, 1: 0, 2: -0.2}[max(gap, -gap)]
	}
	switch {
	case score >= 0.5 && held:
		return council.ChoiceYes, yesFor
	case score >= 0.5:
		return council.ChoiceYes, yesAnyway
	case score >= 0.4:
		return council.ChoiceAbstain, abstains
	case gap > 1 || gap > 0 && held:
		return council.ChoiceNo, noStance
	case gap < -1 || gap < 0 && held:
		return council.ChoiceNo, noCautious
	}
	return council.ChoiceNo, noMissing
}

// stanceIn reads how far a motion goes.
func (m *mind) stanceIn(note *motionNote) stance {
	text := strings.ToLower(note.Title + " " + note.Text)
	for _, sign := range []string{"not yet", "not to ", "for now", "not as it stands", "neither", "leave “", "come back when"} {
		if strings.Contains(text, sign) {
			return wait
		}
	}
	for _, sign := range []string{"one small step", "a first step: ", "small part", "begin with", "a first answer", "a trial of", "a pilot"} {
		if strings.Contains(text, sign) {
			return trial
		}
	}
	return goAhead
}
