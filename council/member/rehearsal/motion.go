package rehearsal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// maxMotions is how many motions a phase may see before members only try once more at its very end.
const maxMotions = 3

// move makes a motion when one is due.
func (m *mind) move() (council.Turn, bool) {
	if !m.due() {
		return council.Turn{}, false
	}
	wants := m.motionWants()
	failed := m.lastFailed()
	if failed != nil && !slices.ContainsFunc(wants, func(w want) bool { return !slices.Contains(failed.wants, w) }) {
		return council.Turn{}, false // it would be the same motion again
	}
	return m.motion(wants, failed), true
}

// due reports whether it is this member's business to move a motion now. The leader moves first, early enough that an
// amended motion can follow; whoever helped to defeat one amends it; the last seats see to it that no phase ends
// without a vote.
func (m *mind) due() bool {
	if m.Phase == nil || m.log.carriedIn(m.Visit) != nil {
		return false
	}
	rounds, seats := m.Phase.StopConditions.MaxRounds, len(m.Seats)
	last := m.Round >= rounds
	attempts := 0
	var latest *motionNote
	for _, n := range m.log.motions {
		if n.visit == m.Visit {
			attempts++
			latest = n
		}
	}
	if attempts == 0 {
		first := min(rounds, 2+min(1, rounds/4))
		leads := m.me.ID == m.Leader
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
	since := (m.Round-latest.round)*seats + m.Turn - latest.turn
	objected := slices.ContainsFunc(latest.votes, func(v vote) bool { return v.by == m.me.ID && v.choice != council.ChoiceYes })
	return since >= 2 && objected || since >= seats && m.me.ID == m.Leader || last && since >= 1 && m.Turn >= seats-1
}

// quiet reports whether most of the round before passed.
func (m *mind) quiet() bool {
	passed := 0
	for _, e := range m.Events {
		if _, ok := e.Payload.(council.TurnPassed); ok && e.Seq > m.log.since && e.Round == m.Round-1 {
			passed++
		}
	}
	return passed > len(m.Seats)/2
}

func (m *mind) lastFailed() *motionNote {
	for _, n := range slices.Backward(m.log.motions) {
		if n.visit == m.Visit {
			if n.failed() {
				return n
			}
			return nil
		}
	}
	return nil
}

// motionWants are the conditions of a motion: those of the one that failed and what was missed in it, or else the
// mover's own and a few that others raised, the ones nearest to its heart.
func (m *mind) motionWants() []want {
	var wants []want
	add := func(w want) {
		if !slices.Contains(wants, w) && len(wants) < 6 {
			wants = append(wants, w)
		}
	}
	mine, hasMine := m.currentWant()
	if failed := m.lastFailed(); failed != nil {
		for _, w := range failed.wants {
			add(w)
		}
		if hasMine {
			add(mine)
		}
		missed := 1 + len(m.Seats)/4 // no motion can please everybody
		for _, v := range failed.votes {
			for _, w := range v.wants {
				if v.choice != council.ChoiceYes && missed > 0 && !slices.Contains(wants, w) {
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
	others := m.openWants()
	slices.SortStableFunc(others, func(a, b raise) int { return cmp.Compare(m.likes(b), m.likes(a)) })
	for _, r := range others[:min(len(others), 3, m.generosity())] {
		add(r.want)
	}
	if len(wants) == 0 {
		add(want{m.me.lead(), m.me.shift % 3})
	}
	return wants
}

// generosity is how many conditions of others a first motion takes up: not always enough to carry.
func (m *mind) generosity() int {
	n := int(pick(m.Topic.Text, string(m.me.ID), string(m.Ask.ID), "generosity") % 10)
	switch {
	case n < 4:
		return len(m.Seats) / 3
	case n < 8:
		return len(m.Seats) / 2
	}
	return 1 + len(m.Seats)/2
}

func (m *mind) likes(r raise) float64 {
	return m.me.weights[r.theme] + 0.8*chance(string(m.Ask.ID), string(r.by), m.Topic.Text)
}

// openWants are what others asked for in this phase and no resolution holds.
func (m *mind) openWants() []raise {
	settled := m.log.settled()
	var all []raise
	for _, r := range m.log.raised {
		if r.visit == m.Visit && r.by != m.me.ID && !slices.Contains(settled, r.want) {
			all = append(all, r)
		}
	}
	return all
}

// currentWant is what this member stands for in this phase: what it asked for last, if no resolution holds it.
func (m *mind) currentWant() (want, bool) {
	settled := m.log.settled()
	for _, r := range m.myWants() {
		if !slices.Contains(settled, r.want) {
			return r.want, true
		}
	}
	return m.nextWant(m.takenUp)
}

// motion writes the motion.
func (m *mind) motion(wants []want, failed *motionNote) council.Turn {
	s := m.speak()
	var needs, steps []string
	for _, w := range wants {
		needs = append(needs, m.demand(w).need)
		steps = append(steps, m.demand(w).step)
	}
	question := "“" + words(m.q.text) + "”"
	stand := m.councilStance()
	slots := m.slots("{needs}", numberedList(needs), "{question}", question, "{step}", steps[0])
	bank, titles, decided := answers[m.q.form][stand], []string(nil), decisions[stand]
	if !m.deciding() {
		bank, titles, decided = frames, frameTitles, frameDecisions
		if m.Visit > 1 {
			bank, titles = narrows, narrowTitles
		}
	}
	ground := m.ground()
	if m.q.form == open && m.deciding() {
		q := question
		if ground != "" {
			q = ground
		}
		slots = append(slots, "{q}", q)
	}
	s.must(bank, slots...)
	if failed != nil {
		s.must(amending, m.amendment(wants, failed)...)
	} else if ground != "" && !strings.Contains(s.text(), ground) {
		s.must(resting, "{q}", ground)
	}
	if before := m.log.carriedIn(m.Visit - 1); before != nil && len(before.wants) > 0 {
		s.must(upholding, "{e}", at(before.decidedAt))
	}
	title := m.title(stand, titles)
	if failed != nil {
		title += ", amended"
	}
	d := m.speak()
	d.must(decided, slots...)
	return council.Turn{Action: council.ActionCallVote, MotionTitle: title, MotionText: s.done(), DecisionIfPass: d.done()}
}

func (m *mind) amendment(wants []want, failed *motionNote) []string {
	var added, from []string
	for i, w := range wants {
		if !slices.Contains(failed.wants, w) {
			added = append(added, "("+strconv.Itoa(i+1)+")")
		}
	}
	points := "point " + list(added)
	if len(added) > 1 {
		points = "points " + list(added)
	}
	for _, v := range failed.votes {
		if v.choice != council.ChoiceYes && len(from) < 3 {
			from = append(from, at(v.seq))
		}
	}
	votes := "in the debate"
	if len(from) > 0 {
		votes = "in " + list(from)
	}
	return []string{"{title}", "“" + words(cut(hostile.Line(failed.Title), 100)) + "”", "{points}", points, "{votes}", votes}
}

func (m *mind) title(stand stance, titles []string) string {
	if titles != nil {
		return titles[pick(m.Topic.Text, string(m.Ask.ID))%uint64(len(titles))]
	}
	about := map[stance]string{goAhead: "", trial: "A first step: ", wait: "Not yet: "}[stand]
	switch m.q.form {
	case proposal:
		return strings.TrimSpace(upperFirst(about + cut(hostile.Line(m.q.action), 90)))
	case choice:
		a, _ := m.sides()
		return upperFirst(about + cut(hostile.Line(a), 90))
	}
	answers := map[form][3]string{verdict: {"not as it stands", "yes, in part", "yes, on conditions"}, open: {"left open", "a first answer", "an answer"}}
	return upperFirst(cut(hostile.Line(m.q.short), 90) + ": " + answers[m.q.form][stand])
}

// ground is a passage that others have quoted already and that speaks most to the topic, or "".
func (m *mind) ground() string {
	for _, r := range m.rank(1, "", func(e *entry) bool { return m.quoted(e) && statement(e) }) {
		return m.quote(r.entry)
	}
	for _, r := range m.best(1, "") {
		return m.quote(r.entry)
	}
	return ""
}

// councilStance is where most of the members stand, as far as their words show; between two, the more careful one.
func (m *mind) councilStance() stance {
	var count [3]int
	for i := range m.seats {
		count[m.stanceOf(&m.seats[i])]++
	}
	best := trial
	for _, s := range []stance{wait, trial, goAhead} {
		if count[s] > count[best] || s == wait && count[s] == count[best] && m.me.stance == wait {
			best = s
		}
	}
	return best
}

// stanceOf reads a member's last words for its stance.
func (m *mind) stanceOf(p *player) stance {
	for _, r := range slices.Backward(m.log.remarks) {
		if r.by != p.ID {
			continue
		}
		for s := wait; s <= goAhead; s++ {
			for _, phrase := range stances[m.q.form][s] {
				if strings.Contains(r.text, upperFirst(strings.NewReplacer(m.slots()...).Replace(phrase))) {
					return s
				}
			}
		}
	}
	return p.stance
}
