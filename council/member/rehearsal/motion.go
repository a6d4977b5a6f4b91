package rehearsal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/internal/hostile"
)

// maxMotions is how many motions a phase may see before members only try once more at its very end.
const maxMotions = 3

// move makes a motion when one is due.
func (m seat) move() (council.Turn, bool) {
	if !m.due() {
		return council.Turn{}, false
	}
	wants := m.motionWants()
	failed := m.lastFailed()
	if failed != nil && !slices.ContainsFunc(wants, func(w concern.Want) bool { return !slices.Contains(failed.Wants, w) }) {
		return council.Turn{}, false // it would be the same motion again
	}
	return m.motion(wants, failed), true
}

// due reports whether it is this member's business to move a motion now. The leader moves first, early enough that an
// amended motion can follow; whoever helped to defeat one amends it; the last seats see to it that no phase ends
// without a vote.
func (m seat) due() bool {
	if m.Phase == nil || m.Log.CarriedIn(m.Visit) != nil {
		return false
	}
	rounds, seats := m.Phase.StopConditions.MaxRounds, len(m.Seats)
	last := m.Round >= rounds
	attempts := 0
	var latest *mind.MotionNote
	for _, n := range m.Log.Motions {
		if n.Visit == m.Visit {
			attempts++
			latest = n
		}
	}
	if attempts == 0 {
		first := min(rounds, 2+min(1, rounds/4))
		leads := m.Me.ID == m.Leader
		switch {
		case m.Round < first:
			return leads && m.Round > 1 && m.quiet()
		case last:
			return leads && m.Turn > seats/2 || m.Turn >= seats-1
		}
		return leads || m.Round > first
	}
	if last && m.Turn == seats {
		return true
	}
	if attempts >= maxMotions {
		return false
	}
	since := (m.Round-latest.Round)*seats + m.Turn - latest.Turn
	objected := slices.ContainsFunc(latest.Votes, func(v mind.Vote) bool { return v.By == m.Me.ID && v.Choice != council.ChoiceYes })
	return since >= 2 && objected || since >= seats && m.Me.ID == m.Leader || last && since >= 1 && m.Turn >= seats-1
}

// quiet reports whether most of the round before passed.
func (m seat) quiet() bool {
	passed := 0
	for _, e := range m.Events {
		if _, ok := e.Payload.(council.TurnPassed); ok && e.Seq > m.Log.Since && e.Round == m.Round-1 {
			passed++
		}
	}
	return passed > len(m.Seats)/2
}

func (m seat) lastFailed() *mind.MotionNote {
	for _, n := range slices.Backward(m.Log.Motions) {
		if n.Visit == m.Visit {
			if n.Failed() {
				return n
			}
			return nil
		}
	}
	return nil
}

// motionWants are the conditions of a motion: those of the one that failed and what was missed in it, or else the
// mover's own and a few that others raised, the ones nearest to its heart.
func (m seat) motionWants() []concern.Want {
	var wants []concern.Want
	add := func(w concern.Want) {
		if !slices.Contains(wants, w) && len(wants) < 6 {
			wants = append(wants, w)
		}
	}
	mine, hasMine := m.currentWant()
	if failed := m.lastFailed(); failed != nil {
		for _, w := range failed.Wants {
			add(w)
		}
		if hasMine {
			add(mine)
		}
		missed := 1 + len(m.Seats)/4 // no motion can please everybody
		for _, v := range failed.Votes {
			for _, w := range v.Wants {
				if v.Choice != council.ChoiceYes && missed > 0 && !slices.Contains(wants, w) {
					missed--
					add(w)
				}
			}
		}
		return wants
	}
	if hasMine {
		add(mine)
	}
	others := m.OpenWants()
	slices.SortStableFunc(others, func(a, b mind.Raise) int { return cmp.Compare(m.likes(b), m.likes(a)) })
	for _, r := range others[:min(len(others), 3, m.generosity())] {
		add(r.Want)
	}
	if len(wants) == 0 {
		add(concern.Want{Theme: m.Me.Lead(), N: m.Me.Shift % 3})
	}
	return wants
}

// generosity is how many conditions of others a first motion takes up: not always enough to carry.
func (m seat) generosity() int {
	n := int(concern.Pick(m.Topic.Text, string(m.Me.ID), string(m.Ask.ID), "generosity") % 10)
	switch {
	case n < 4:
		return len(m.Seats) / 3
	case n < 8:
		return len(m.Seats) / 2
	}
	return 1 + len(m.Seats)/2
}

func (m seat) likes(r mind.Raise) float64 {
	return m.Me.Weights[r.Theme] + 0.8*concern.Chance(string(m.Ask.ID), string(r.By), m.Topic.Text)
}

// currentWant is what this member stands for in this phase: what it asked for last, if no resolution holds it.
func (m seat) currentWant() (concern.Want, bool) {
	settled := m.Log.Settled()
	for _, r := range m.MyWants() {
		if !slices.Contains(settled, r.Want) {
			return r.Want, true
		}
	}
	return m.NextWant(m.TakenUp)
}

// motion writes the motion.
func (m seat) motion(wants []concern.Want, failed *mind.MotionNote) council.Turn {
	s := m.Speak()
	var needs, steps []string
	for _, w := range wants {
		needs = append(needs, m.Demand(w).Need)
		steps = append(steps, m.Demand(w).Step)
	}
	question := "“" + mind.Words(m.Question.Text) + "”"
	stand := m.councilStance()
	slots := m.Slots("{needs}", mind.NumberedList(needs), "{question}", question, "{step}", steps[0])
	bank, titles, decided := wording.For("answers", m.Question.Form, stand), wording.Bank(""), wording.For("decisions", stand)
	if !m.Deciding() {
		bank, titles, decided = wording.Frames, wording.FrameTitles, wording.FrameDecisions
		if m.Visit > 1 {
			bank, titles = wording.Narrows, wording.NarrowTitles
		}
	}
	ground := m.ground()
	if m.Question.Form == mind.Open && m.Deciding() {
		q := question
		if ground != "" {
			q = ground
		}
		slots = append(slots, "{q}", q)
	}
	s.Must(bank, slots...)
	if failed != nil {
		s.Must(wording.Amending, m.amendment(wants, failed)...)
	} else if ground != "" && !strings.Contains(s.Text(), ground) {
		s.Must(wording.Resting, "{q}", ground)
	}
	if before := m.Log.CarriedIn(m.Visit - 1); before != nil && len(before.Wants) > 0 {
		s.Must(wording.Upholding, "{e}", mind.At(before.DecidedAt))
	}
	title := m.title(stand, titles)
	if failed != nil {
		title += ", amended"
	}
	d := m.Speak()
	d.Must(decided, slots...)
	return council.Turn{Action: council.ActionCallVote, MotionTitle: title, MotionText: s.Done(), DecisionIfPass: d.Done()}
}

func (m seat) amendment(wants []concern.Want, failed *mind.MotionNote) []string {
	var added, from []string
	for i, w := range wants {
		if !slices.Contains(failed.Wants, w) {
			added = append(added, "("+strconv.Itoa(i+1)+")")
		}
	}
	points := "point " + mind.List(added)
	if len(added) > 1 {
		points = "points " + mind.List(added)
	}
	for _, v := range failed.Votes {
		if v.Choice != council.ChoiceYes && len(from) < 3 {
			from = append(from, mind.At(v.Seq))
		}
	}
	votes := "in the debate"
	if len(from) > 0 {
		votes = "in " + mind.List(from)
	}
	return []string{"{title}", "“" + mind.Words(mind.Cut(hostile.Line(failed.Title), 100)) + "”", "{points}", points, "{votes}", votes}
}

func (m seat) title(stand concern.Stance, titles wording.Bank) string {
	if titles != "" {
		return mind.Choose(titles, m.Topic.Text, string(m.Ask.ID))
	}
	about := map[concern.Stance]string{concern.GoAhead: "", concern.Trial: "A first step: ", concern.Wait: "Not yet: "}[stand]
	switch m.Question.Form {
	case mind.Proposal:
		return strings.TrimSpace(mind.UpperFirst(about + mind.Cut(hostile.Line(m.Question.Action), 90)))
	case mind.Choice:
		a, _ := m.Sides()
		return mind.UpperFirst(about + mind.Cut(hostile.Line(a), 90))
	}
	answers := map[mind.Form][3]string{mind.Verdict: {"not as it stands", "yes, in part", "yes, on conditions"}, mind.Open: {"left open", "a first answer", "an answer"}}
	return mind.UpperFirst(mind.Cut(hostile.Line(m.Question.Short), 90) + ": " + answers[m.Question.Form][stand])
}

// ground is a passage that others have quoted already and that speaks most to the topic, or "".
func (m seat) ground() string {
	for _, r := range m.Rank(1, "", func(e *mind.Entry) bool { return m.Quoted(e) && mind.Statement(e) }) {
		return m.Quote(r.Entry)
	}
	for _, r := range m.Best(1, "") {
		return m.Quote(r.Entry)
	}
	return ""
}

// councilStance is where most of the members stand, as far as their words show; between two, the more careful one.
func (m seat) councilStance() concern.Stance {
	var count [3]int
	for i := range m.Players {
		count[m.StanceOf(&m.Players[i])]++
	}
	best := concern.Trial
	for _, s := range []concern.Stance{concern.Wait, concern.Trial, concern.GoAhead} {
		if count[s] > count[best] || s == concern.Wait && count[s] == count[best] && m.Me.Stance == concern.Wait {
			best = s
		}
	}
	return best
}
