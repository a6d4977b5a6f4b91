package rehearsal

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
)

// maxTurns is how often a member contributes to one phase before it leaves the floor to others.
const maxTurns = 4

// turn uses the floor: a motion when one is due, a contribution when there is something new, else a pass.
func (m seat) turn() council.Turn {
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
	*mind.Speech
	m     seat
	found []mind.Ranked // passages that nobody has quoted yet
	want  concern.Want
	asks  bool // whether to ask for want
}

func (m seat) contribute() string {
	spoken := m.Log.TurnsOf(m.Me.ID)
	if m.Log.CarriedIn(m.Visit) != nil || spoken >= maxTurns {
		return ""
	}
	c := contribution{Speech: m.Speak(), m: m, found: m.Best(6, m.item())}
	c.want, c.asks = m.NextWant(m.TakenUp)
	c.asks = c.asks && spoken == 0 // one demand a phase: who asks for everything gets nothing
	peer := m.peer()
	replies := peer != nil && (spoken > 0 || m.Round > 1)
	if len(c.found) == 0 && !c.asks && !(replies && len(peer.Wants) > 0) {
		return "" // nothing new
	}
	if spoken == 0 && m.Visit > 1 && m.Turn == 1 {
		m.remind(c.Speech)
	}
	if spoken == 0 && m.Deciding() && m.Visit > 1 {
		c.Say(wording.For("stances", m.Question.Form, m.stanceNow()), m.Slots()...)
	}
	if replies {
		c.reply(peer)
		c.question()
		c.demand()
		return c.Done()
	}
	switch (m.Me.Seat + int(concern.Pick(m.Topic.Text, string(m.Phase.ID))%4)) % 4 {
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
		c.Paragraph()
		c.question()
	}
	return c.Done()
}

// question asks what somebody with the member's concern asks.
func (c *contribution) question() {
	theme := c.m.Me.Lead()
	if c.asks {
		theme = c.want.Theme
	}
	c.SayOne(c.m.Themes[theme].Questions, nil)
}

// demand asks for what the member wants, or asks again.
func (c *contribution) demand() {
	if !c.asks {
		return
	}
	d := c.m.Demand(c.want)
	if before := c.m.AskedBefore(c.want); before != 0 {
		c.Must(wording.Insists, "{need}", d.Need, "{without}", d.Without, "{e}", mind.At(before))
		return
	}
	c.Must(wording.Raises, "{need}", d.Need, "{without}", d.Without)
}

// introduce puts a passage before the council: towards a deliverable, under its heading, or as it is. When all have
// been quoted it goes back to one.
func (c *contribution) introduce(remark bool) {
	m := c.m
	item := m.item()
	if item != "" && (m.Log.TurnsOf(m.Me.ID) > 0 || m.spokenTo(item)) {
		item = ""
	}
	switch {
	case len(c.found) > 0:
	case m.Index.Bare:
		if item != "" {
			c.Say(wording.TowardsBare, "{item}", item, "{about}", m.Call(m.Me.Lead()))
		}
		return
	default:
		c.revisit(item)
		return
	}
	e := c.found[0].Entry
	c.found = c.found[1:]
	q := m.Quote(e)
	switch heading := mind.Words(e.Heading); {
	case item != "" && c.Say(wording.Towards, "{q}", q, "{item}", item):
	case heading != "" && len(heading) < 60 && concern.Pick(c.Place, string(m.Me.ID), "heading")%2 == 0 &&
		!m.WasSaid("“"+heading+"”") && c.Say(wording.Headed, "{q}", q, "{head}", heading):
	case c.Say(wording.Openers, "{q}", q, "{about}", m.Call(m.Me.Lead())):
	default:
		c.Add("I read " + q + ".")
	}
	if remark {
		c.Say(wording.For("readings", e.Tone))
	}
}

// revisit goes back to a line that somebody else has quoted.
func (c *contribution) revisit(item string) {
	m := c.m
	for _, r := range m.Rank(3, m.item(), m.Quoted) {
		for _, said := range m.Log.Remarks {
			for _, x := range said.Cites {
				if x.Quote != mind.Words(r.Text) || said.By == m.Me.ID {
					continue
				}
				slots := []string{"{ref}", x.Ref, "{peer}", m.Name(said.By), "{e}", mind.At(said.Seq), "{item}", item, "{about}", m.Call(m.Me.Lead())}
				if item != "" && c.Say(wording.RevisitsTowards, slots...) || c.Say(wording.Revisits, slots...) {
					return
				}
			}
		}
	}
}

// spokenTo reports whether somebody has brought something towards a deliverable in this phase.
func (m seat) spokenTo(item string) bool {
	return slices.ContainsFunc(m.Log.Remarks, func(r mind.Remark) bool {
		return r.Visit == m.Visit && r.Kind == council.AskTurn && strings.Contains(strings.ToLower(r.Words), item)
	})
}

// item is the deliverable of the phase that falls to this member, in words: "the problem statement".
func (m seat) item() string {
	if m.Phase == nil || len(m.Phase.Deliverables) == 0 {
		return ""
	}
	d := m.Phase.Deliverables[m.Me.Seat%len(m.Phase.Deliverables)]
	return mind.Deliverable(d.ID)
}

// remind names what the phase before has settled.
func (m seat) remind(s *mind.Speech) {
	note := m.Log.CarriedIn(m.Visit - 1)
	if note == nil || len(note.Wants) == 0 {
		return
	}
	var needs []string
	for _, w := range note.Wants[:min(2, len(note.Wants))] {
		needs = append(needs, m.Demand(w).Need)
	}
	s.Say(wording.Reminders, "{e}", mind.At(note.DecidedAt), "{wants}", mind.List(needs))
}

// peer is the remark to answer: the newest that nobody has answered yet and that this member has something to say on;
// one that speaks to this member comes first.
func (m seat) peer() *mind.Remark {
	var best *mind.Remark
	most := 0.0
	mine := m.Log.LastOf(m.Me.ID)
	for i := range m.Log.Remarks {
		r := &m.Log.Remarks[i]
		if r.By == m.Me.ID || r.Kind != council.AskTurn || r.Seq < m.Log.Since || m.Player(r.By) == nil || m.answered(r) {
			continue
		}
		score := 1 + float64(i)/float64(len(m.Log.Remarks)) + concern.Chance(string(m.Ask.ID), r.Seq.ID())
		for _, w := range r.Wants {
			score += m.Me.Weights[w.Theme]
		}
		if mine != nil && r.Seq > mine.Seq && strings.Contains(r.Words, mind.At(mine.Seq)) {
			score += 3
		}
		if score > most {
			best, most = r, score
		}
	}
	return best
}

// answered reports whether a later remark of the member's own, or two of anybody, took r up.
func (m seat) answered(r *mind.Remark) bool {
	n := 0
	for i := range m.Log.Remarks {
		if later := &m.Log.Remarks[i]; later.Seq > r.Seq && strings.Contains(later.Words, mind.At(r.Seq)) {
			if n++; n >= 2 || later.By == m.Me.ID {
				return true
			}
		}
	}
	return false
}

// reply answers a peer on what it asked for, or on what it quoted.
func (c *contribution) reply(peer *mind.Remark) {
	m := c.m
	slots := []string{"{peer}", m.Name(peer.By), "{e}", mind.At(peer.Seq), "{about}", m.Call(m.Me.Lead())}
	if len(peer.Wants) > 0 {
		w := peer.Wants[len(peer.Wants)-1]
		slots = append(slots, "{theirs}", m.Demand(w).Need)
		bank, evidence := wording.DependingOn, wording.EvidenceFor
		switch weight := m.Me.Weights[w.Theme] + 0.3*(concern.Chance(c.Place, string(m.Me.ID), "mood")-0.5); {
		case weight > 0.55:
			bank = wording.Supports
		case weight < 0.2:
			bank, evidence = wording.Doubting, wording.EvidenceAgainst
		}
		if c.Say(bank, slots...) {
			c.bearOut(evidence)
			return
		}
	}
	if len(peer.Cites) > 0 && len(c.found) > 0 &&
		c.Say(wording.Besides, append(slots, "{ref}", peer.Cites[0].Ref, "{q}", m.Quote(c.found[0].Entry))...) {
		c.Say(wording.For("readings", c.found[0].Tone))
		c.found = c.found[1:]
		return
	}
	c.Say(wording.Listening, slots...)
	c.introduce(true)
}

// bearOut brings evidence for a reply: a passage, or what the member asked for itself.
func (c *contribution) bearOut(evidence wording.Bank) {
	m := c.m
	mine := m.Log.LastOf(m.Me.ID)
	linked := mine != nil && len(mine.Wants) > 0 && mine.Visit == m.Visit
	if len(c.found) > 0 && !(linked && concern.Pick(c.Place, string(m.Me.ID), "link")%3 == 0) &&
		c.Say(evidence, "{q}", m.Quote(c.found[0].Entry)) {
		c.Say(wording.For("readings", c.found[0].Tone))
		c.found = c.found[1:]
		return
	}
	if linked {
		c.Say(wording.Links, "{need}", m.Demand(mine.Wants[0]).Need, "{mine}", mind.At(mine.Seq))
	}
}

func (m seat) passReason() string {
	s := m.Speak()
	switch carried, mine := m.Log.CarriedIn(m.Visit), m.Log.LastOf(m.Me.ID); {
	case carried != nil:
		s.Must(wording.PassesAfter, "{e}", mind.At(carried.DecidedAt))
	case mine != nil:
		s.Must(wording.Passes, "{mine}", mind.At(mine.Seq))
	default:
		s.Must(wording.Silences)
	}
	return s.Done()
}

// stanceNow is the member's stance after the debate so far: whoever asked for nothing that was refused comes round by
// one step.
func (m seat) stanceNow() concern.Stance {
	settled := m.Log.Settled()
	met := 0
	for _, r := range m.MyWants() {
		if slices.Contains(settled, r.Want) {
			met++
		}
	}
	if met > 0 && m.Me.Stance != concern.GoAhead && m.Me.Temper > -0.4 {
		return m.Me.Stance + 1
	}
	return m.Me.Stance
}
