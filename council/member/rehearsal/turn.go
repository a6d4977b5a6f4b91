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

func (m *mind) contribute() string {
	spoken := m.log.turnsOf(m.me.ID)
	if m.log.carriedIn(m.Visit) != nil || spoken >= maxTurns {
		return ""
	}
	s := m.speak()
	found := m.best(6, m.item())
	if spoken == 0 && m.Visit > 1 && m.Turn == 1 {
		m.remind(s)
	}
	w, asks := m.nextWant(m.takenUp)
	asks = asks && spoken == 0 // one demand a phase: who asks for everything gets nothing
	if spoken == 0 && m.deciding() && m.Visit > 1 {
		s.say(stances[m.q.form][m.stanceNow()], m.slots()...)
	}
	peer := m.peer()
	if len(found) == 0 && !asks {
		return "" // nothing new
	}
	switch {
	case peer != nil && (spoken > 0 || m.Round > 1):
		m.reply(s, peer, found)
	case len(found) > 0 && m.introduce(s, found[0].entry):
		s.say(readings[found[0].tone])
	}
	m.close(s, w, asks)
	return s.done()
}

// close ends a contribution with what follows from it: a question, a demand, or both, in either order.
func (m *mind) close(s *speech, w want, asks bool) {
	n := len(s.out)
	if n > 1 && pick(s.place, string(m.me.ID), "break")%2 == 0 {
		s.paragraph()
	}
	questions := m.themes[m.me.lead()].questions
	if !asks {
		s.say(questions)
		return
	}
	questions = m.themes[w.theme].questions
	d := m.demand(w)
	slots := []string{"{need}", d.need, "{without}", d.without}
	raises := raises
	if before := m.askedBefore(w); before != 0 {
		slots, raises = append(slots, "{e}", at(before)), insists
	}
	if pick(s.place, string(m.me.ID), "order")%3 == 0 {
		s.must(raises, slots...)
		s.say(questions)
		return
	}
	s.say(questions)
	s.must(raises, slots...)
}

// introduce puts a passage before the council: towards a deliverable, under its heading, or as it is.
func (m *mind) introduce(s *speech, e *entry) bool {
	q := m.quote(e)
	if item := m.item(); item != "" && m.log.turnsOf(m.me.ID) == 0 && s.say(towards, "{q}", q, "{item}", item) {
		return true
	}
	if e.Heading != "" && len(e.Heading) < 60 && pick(s.place, string(m.me.ID), "heading")%2 == 0 &&
		!m.wasSaid("“"+words(e.Heading)+"”") && s.say(headed, "{q}", q, "{head}", words(e.Heading)) {
		return true
	}
	return s.say(openers, "{q}", q, "{about}", m.themes[m.me.lead()].about)
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
func (m *mind) reply(s *speech, peer *remark, found []ranked) {
	slots := []string{"{peer}", m.name(peer.by), "{e}", at(peer.seq), "{about}", m.themes[m.me.lead()].about}
	if len(peer.wants) > 0 {
		w := peer.wants[len(peer.wants)-1]
		slots = append(slots, "{theirs}", m.demand(w).need)
		bank, evidence := dependingOn, evidenceFor
		switch weight := m.me.weights[w.theme] + 0.3*(chance(s.place, string(m.me.ID), "mood")-0.5); {
		case weight > 0.55:
			bank = supports
		case weight < 0.2:
			bank, evidence = doubting, evidenceAgainst
		}
		said := s.say(bank, slots...)
		if len(found) > 0 && s.say(evidence, "{q}", m.quote(found[0].entry)) {
			s.say(readings[found[0].tone])
			return
		}
		if said {
			return
		}
	}
	if len(peer.cites) > 0 && len(found) > 0 {
		if s.say(besides, append(slots, "{ref}", peer.cites[0].ref, "{q}", m.quote(found[0].entry))...) {
			s.say(readings[found[0].tone])
			return
		}
	}
	s.say(listening, slots...)
	if len(found) > 0 && m.introduce(s, found[0].entry) {
		s.say(readings[found[0].tone])
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
