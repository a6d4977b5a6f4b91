package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/passage"
	"github.com/council-engine/council/internal/hostile"
)

// maxTurns is how often a member contributes to one phase before it leaves the floor to others.
const maxTurns = 4

// turn uses the floor: a motion when one is due, a contribution when there is something new, else a pass.
func (m *mind) turn() council.Turn {
	if t, ok := m.move(); ok {
		return t
	}
	if text := m.contribute(); text != "" {
		return council.Turn{Action: council.ActionContribute, Message: text}
	}
	return council.Turn{Action: council.ActionPass, Reason: m.passReason()}
}

// contribution is a turn in the making.
type contribution struct {
	*speech
	found []ranked // passages that nobody has quoted yet
	want  want
	asks  bool // whether to ask for want
}

func (m *mind) contribute() string {
	spoken := m.log.turnsOf(m.me.ID)
	if m.log.carriedIn(m.Visit) != nil || spoken >= maxTurns {
		return ""
	}
	c := contribution{speech: m.speak(), found: m.best(6, m.item())}
	c.want, c.asks = m.nextWant(m.takenUp)
	c.asks = c.asks && spoken == 0 // one demand a phase: who asks for everything gets nothing
	peer := m.peer()
	replies := peer != nil && (spoken > 0 || m.Round > 1)
	if len(c.found) == 0 && !c.asks && !(replies && len(peer.wants) > 0) {
		return "" // nothing new
	}
	if spoken == 0 && m.Visit > 1 && m.Turn == 1 {
		m.remind(c.speech)
	}
	if spoken == 0 && m.deciding() && m.Visit > 1 {
		c.say(stances[m.q.form][m.stanceNow()], m.slots()...)
	}
	if replies {
		c.reply(peer)
		c.question()
		c.demand()
		return c.done()
	}
	switch (m.me.seat + int(pick(m.Topic.Text, string(m.Phase.ID))%4)) % 4 {
	case 0:
		c.introduce(true)
		c.question()
		c.demand()
	case 1:
		c.question()
		c.introduce(false)
		c.demand()
	case 2:
		c.demand()
		c.introduce(true)
	case 3:
		c.introduce(true)
		c.demand()
		c.paragraph()
		c.question()
	}
	return c.done()
}

// question asks what somebody with the member's concern asks.
func (c *contribution) question() {
	theme := c.m.me.lead()
	if c.asks {
		theme = c.want.theme
	}
	c.say(c.m.themes[theme].questions)
}

// demand asks for what the member wants, or asks again.
func (c *contribution) demand() {
	if !c.asks {
		return
	}
	d := c.m.demand(c.want)
	if before := c.m.askedBefore(c.want); before != 0 {
		c.must(insists, "{need}", d.need, "{without}", d.without, "{e}", at(before))
		return
	}
	c.must(raises, "{need}", d.need, "{without}", d.without)
}

// introduce puts a passage before the council: towards a deliverable, under its heading, or as it is. When all have
// been quoted it goes back to one.
func (c *contribution) introduce(remark bool) {
	m := c.m
	item := m.item()
	if item != "" && (m.log.turnsOf(m.me.ID) > 0 || m.spokenTo(item)) {
		item = ""
	}
	if len(c.found) == 0 {
		c.revisit(item)
		return
	}
	e := c.found[0].entry
	c.found = c.found[1:]
	q := m.quote(e)
	switch heading := words(e.Heading); {
	case item != "" && c.say(towards, "{q}", q, "{item}", item):
	case heading != "" && len(heading) < 60 && pick(c.place, string(m.me.ID), "heading")%2 == 0 &&
		!m.wasSaid("“"+heading+"”") && c.say(headed, "{q}", q, "{head}", heading):
	case c.say(openers, "{q}", q, "{about}", m.call(m.me.lead())):
	default:
		c.add("I read " + q + ".")
	}
	if remark {
		c.say(readings[e.tone])
	}
}

// revisit goes back to a line that somebody else has quoted.
func (c *contribution) revisit(item string) {
	m := c.m
	for _, r := range m.rank(3, m.item(), m.quoted) {
		for _, said := range m.log.remarks {
			for _, x := range said.cites {
				if x.quote != words(r.Text) || said.by == m.me.ID {
					continue
				}
				slots := []string{"{ref}", x.ref, "{peer}", m.name(said.by), "{e}", at(said.seq), "{item}", item, "{about}", m.call(m.me.lead())}
				if item != "" && c.say(revisitsTowards, slots...) || c.say(revisits, slots...) {
					return
				}
			}
		}
	}
}

// spokenTo reports whether somebody has brought something towards a deliverable in this phase.
func (m *mind) spokenTo(item string) bool {
	return slices.ContainsFunc(m.log.remarks, func(r remark) bool {
		return r.visit == m.Visit && r.kind == council.AskTurn && strings.Contains(strings.ToLower(r.words), item)
	})
}

// item is the deliverable of the phase that falls to this member, in words: "the problem statement".
func (m *mind) item() string {
	if m.Phase == nil || len(m.Phase.Deliverables) == 0 {
		return ""
	}
	d := m.Phase.Deliverables[m.me.seat%len(m.Phase.Deliverables)]
	return deliverable(d.ID)
}

// deliverable reads an id such as "problem_statement" as words.
func deliverable(id string) string {
	name := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(hostile.Line(id))), " "))
	for _, article := range []string{"the ", "a ", "an "} {
		name = strings.TrimPrefix(name, article)
	}
	return hostile.Inline("the " + cut(name, 60))
}

// remind names what the phase before has settled.
func (m *mind) remind(s *speech) {
	note := m.log.carriedIn(m.Visit - 1)
	if note == nil || len(note.wants) == 0 {
		return
	}
	var needs []string
	for _, w := range note.wants[:min(2, len(note.wants))] {
		needs = append(needs, m.demand(w).need)
	}
	s.say(reminders, "{e}", at(note.decidedAt), "{wants}", list(needs))
}

// peer is the remark to answer: the newest that nobody has answered yet and that this member has something to say on;
// one that speaks to this member comes first.
func (m *mind) peer() *remark {
	var best *remark
	most := 0.0
	mine := m.log.lastOf(m.me.ID)
	for i := range m.log.remarks {
		r := &m.log.remarks[i]
		if r.by == m.me.ID || r.kind != council.AskTurn || r.seq < m.log.since || m.player(r.by) == nil || m.answered(r) {
			continue
		}
		score := 1 + float64(i)/float64(len(m.log.remarks)) + chance(string(m.Ask.ID), r.seq.ID())
		for _, w := range r.wants {
			score += m.me.weights[w.theme]
		}
		if mine != nil && r.seq > mine.seq && strings.Contains(r.words, at(mine.seq)) {
			score += 3
		}
		if score > most {
			best, most = r, score
		}
	}
	return best
}

// answered reports whether a later remark of the member's own, or two of anybody, took r up.
func (m *mind) answered(r *remark) bool {
	n := 0
	for i := range m.log.remarks {
		if later := &m.log.remarks[i]; later.seq > r.seq && strings.Contains(later.words, at(r.seq)) {
			if n++; n >= 2 || later.by == m.me.ID {
				return true
			}
		}
	}
	return false
}

// reply answers a peer on what it asked for, or on what it quoted.
func (c *contribution) reply(peer *remark) {
	m := c.m
	slots := []string{"{peer}", m.name(peer.by), "{e}", at(peer.seq), "{about}", m.call(m.me.lead())}
	if len(peer.wants) > 0 {
		w := peer.wants[len(peer.wants)-1]
		slots = append(slots, "{theirs}", m.demand(w).need)
		bank, evidence := dependingOn, evidenceFor
		switch weight := m.me.weights[w.theme] + 0.3*(chance(c.place, string(m.me.ID), "mood")-0.5); {
		case weight > 0.55:
			bank = supports
		case weight < 0.2:
			bank, evidence = doubting, evidenceAgainst
		}
		if c.say(bank, slots...) {
			c.bearOut(evidence)
			return
		}
	}
	if len(peer.cites) > 0 && len(c.found) > 0 &&
		c.say(besides, append(slots, "{ref}", peer.cites[0].ref, "{q}", m.quote(c.found[0].entry))...) {
		c.say(readings[c.found[0].tone])
		c.found = c.found[1:]
		return
	}
	c.say(listening, slots...)
	c.introduce(true)
}

// bearOut brings evidence for a reply: a passage, or what the member asked for itself.
func (c *contribution) bearOut(evidence []string) {
	m := c.m
	mine := m.log.lastOf(m.me.ID)
	linked := mine != nil && len(mine.wants) > 0 && mine.visit == m.Visit
	if len(c.found) > 0 && !(linked && pick(c.place, string(m.me.ID), "link")%3 == 0) &&
		c.say(evidence, "{q}", m.quote(c.found[0].entry)) {
		c.say(readings[c.found[0].tone])
		c.found = c.found[1:]
		return
	}
	if linked {
		c.say(links, "{need}", m.demand(mine.wants[0]).need, "{mine}", at(mine.seq))
	}
}

func (m *mind) passReason() string {
	s := m.speak()
	switch carried, mine := m.log.carriedIn(m.Visit), m.log.lastOf(m.me.ID); {
	case carried != nil:
		s.must(passesAfter, "{e}", at(carried.decidedAt))
	case mine != nil:
		s.must(passes, "{mine}", at(mine.seq))
	default:
		s.must(silences)
	}
	return s.done()
}

// stanceNow is the member's stance after the debate so far: whoever asked for nothing that was refused comes round by
// one step.
func (m *mind) stanceNow() stance {
	settled := m.log.settled()
	met := 0
	for _, r := range m.myWants() {
		if slices.Contains(settled, r.want) {
			met++
		}
	}
	if met > 0 && m.me.stance != goAhead && m.me.temper > -0.4 {
		return m.me.stance + 1
	}
	return m.me.stance
}

// statement reports whether a passage is one that could stand in a motion or a document.
func statement(e *entry) bool { return e.Form != passage.Fragment && e.Form != passage.Row }
