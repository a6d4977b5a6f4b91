package budget

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// Forecast estimates a whole session of a charter: at least, usually and at most.
//
// At least: everybody passes, or moves and agrees at once, whatever is shorter, in few words, and the first draft is
// approved; uncontested debates end at once where the charter lets them. Usually: every round is used, each phase ends
// with a motion that carries, and the document is revised once. That no debate ends early is a choice: whether one
// does depends on what members think, and who plans a budget should not count on it. At most: every turn is a motion
// that fails, every draft too, every reply is long and unusable twice, and every member is asked what only a leader is
// asked, because the one before could not, and looks up as much as its tools allow. Calls that fail and are put again
// are in none of them, and what members look up is in the most alone.
type Forecast struct{ Least, Usual, Most Case }

// Case is one of the cases: each member, in the order of the charter, and all of them. Anybody may lead. So a member's
// most is that of a leader and its least is not, and the total is not the sum.
type Case struct {
	Members []Load
	Total   Load
	Steps   int64 // calls one after the other: of those that are put together only as many as a server takes one by one
	Seconds int64 // that these take, where a call takes as long as is assumed
}

// Load is the estimated usage and cost of one member. The cost is unknown where a price is.
type Load struct {
	Member council.MemberID
	Usage  council.Usage // Calls and tokens
	Cost   council.Money
	Known  bool
}

// ForecastOf returns the forecast for a charter. systems are the bytes of what stands before each member's
// conversation: charter, topic, documents and persona, in the order of the members.
func ForecastOf(c *council.Charter, systems []int64) Forecast {
	return Forecast{courseOf(c, least, systems).run(), courseOf(c, usual, systems).run(), courseOf(c, most, systems).run()}
}

// LongestPrompt returns how many tokens the longest prompt of a session usually has, without what stands before the
// conversation: charter, topic, documents and persona.
func LongestPrompt(c *council.Charter) int64 {
	w := courseOf(c, usual, make([]int64, len(c.Members)))
	w.run()
	return w.longest + w.overhead
}

// outcomes are the cases of a forecast.
type outcome int

const (
	least outcome = iota
	usual
	most
)

// tries is how often a question is put at most when its replies cannot be used.
const tries = 3

// course walks through a session of one case. A member's conversation is as long as everybody else's, for all are told
// the same; what stands before it is its own.
type course struct {
	charter       *council.Charter
	kind          outcome
	systems       []int64
	bytesPerToken int64
	window        int64 // tokens of a conversation that starts anew
	overhead      int64 // tokens of a question

	length   int64 // tokens of the conversation so far
	longest  int64 // that it was
	waves    []wave
	servers  servers
	told     int64 // of all that was told, and of all that was told again
	read     int64 // of that, when all members were asked last
	everyone load  // asked of all members
	own      []load
	leader   load
	visits   map[step]int64 // questions that a visit to a phase takes
}

// courseOf begins the course of one case.
func courseOf(c *council.Charter, kind outcome, systems []int64) *course {
	w := course{charter: c, kind: kind, systems: systems, own: make([]load, len(c.Members)), servers: serversOf(c),
		visits: map[step]int64{}}
	w.bytesPerToken = [...]int64{5, 4, council.BytesPerToken}[kind]
	w.window = [...]int64{48_000, 60_000, 80_000}[kind]
	w.overhead = [...]int64{100, 200, 600}[kind]
	return &w
}

// load are asks of a member: how many, how much was told before each, and the replies.
type load struct{ calls, prompt, replies int64 }

func (l *load) ask(length, reply, times int64) {
	l.calls += times
	l.prompt += times * length
	l.replies += times * reply
}

func (l load) plus(m load) load {
	return load{l.calls + m.calls, l.prompt + m.prompt, l.replies + m.replies}
}

func (w *course) run() Case {
	if w.charter.Deliberation.SealedPositions {
		w.all(council.AskPosition)
	}
	if !w.charter.Deliberation.ElectWithPositions {
		w.all(council.AskNominate)
	}
	for _, step := range w.path() {
		w.phase(step)
	}
	w.close()
	c := w.sum()
	for _, wave := range w.waves {
		c.Steps += wave.turns
	}
	c.Seconds = seconds(w.waves, w.servers.local())
	return c
}

// wait adds a wave of questions, of which so many follow one another at the busiest server.
func (w *course) wait(k council.AskKind, turns int64) {
	fresh := w.told - w.read
	if len(w.waves) == 0 {
		fresh = slices.Max(append(w.systems, 0)) / w.bytesPerToken
	}
	w.waves = append(w.waves, wave{k, w.reply(k), fresh + w.overhead, turns})
}

// reply returns the length of a reply in this case.
func (w *course) reply(k council.AskKind) int64 {
	return [...]int64{replies[k].short, replies[k].usual, replies[k].long}[w.kind]
}

// tell adds what everybody is told.
func (w *course) tell(tokens int64) {
	w.length += tokens
	w.told += tokens
	w.longest = max(w.longest, w.length)
	if w.length > w.window {
		w.length = w.window / 4
		w.told += w.length
	}
}

// all puts a question to everybody at once.
func (w *course) all(k council.AskKind) {
	w.wait(k, w.servers.turns())
	w.read = w.told
	w.everyone.ask(w.length+w.overhead, w.reply(k), 1)
	w.tell(int64(len(w.own)) * (w.reply(k) + 20))
}

// one puts a question to one member, by its place.
func (w *course) one(member int, k council.AskKind) {
	w.wait(k, 1)
	w.own[member].ask(w.length+w.overhead, w.reply(k), 1)
	w.tell(w.reply(k) + 20)
}

// somebody is a member of whom it is not known which it is.
const somebody = -1

// lead puts a question to one member, mostly the leader.
func (w *course) lead(k council.AskKind) { w.some(k, 1) }

// some has so many members, whoever they are, answer at once.
func (w *course) some(k council.AskKind, n int) {
	w.wait(k, 1)
	for range n {
		w.leader.ask(w.length+w.overhead, w.reply(k), 1)
		w.tell(w.reply(k) + 20)
	}
}

// motion has a motion of a member, or of somebody, seconded, by one at least, and voted on. Where options are ranked
// there is none.
func (w *course) motion(mover int, p *council.Phase) {
	switch {
	case w.ranks(p):
		return
	case !asksOthers(p.Governance), w.kind == least && w.together(p): // several motions of a round need no second
	case w.kind == least:
		n := 1
		if p.Governance.Debate { // it is put to everybody but the mover
			n = len(w.own) - 1
		}
		w.some(council.AskSecond, n)
	default:
		if mover != somebody {
			w.own[mover].ask(w.length+w.overhead, w.reply(council.AskSecond), -1) // everybody but the mover
		}
		w.all(council.AskSecond)
	}
	if g := p.Governance; g.Amends() && w.kind == most {
		w.all(council.AskAmend)
		for range g.MaxAmendments {
			w.all(council.AskBallot)
		}
	}
	w.all(council.AskBallot)
}

func (w *course) phase(s step) {
	p := s.phase
	switch {
	case w.kind == least && w.ranks(p):
		w.all(council.AskTurn)
	case s.ends.reason == council.EndUncontested, w.kind == least && s.ends.reason.ByVote():
		if w.together(p) && s.ends.reason != council.EndUncontested {
			w.all(council.AskTurn)
		} else {
			w.lead(council.AskTurn)
		}
		w.motion(somebody, p)
	case w.kind == least:
		for range quiet(p, s.ends) {
			w.all(council.AskTurn)
		}
		if s.ends.resolved {
			w.motion(somebody, p)
		}
	case w.together(p):
		for round := range p.StopConditions.MaxRounds {
			w.all(council.AskTurn)
			if w.kind == most || round == p.StopConditions.MaxRounds-1 {
				w.motion(somebody, p)
			}
		}
	default:
		for round := range p.StopConditions.MaxRounds {
			for i := range w.own {
				w.one(i, council.AskTurn)
				last := round == p.StopConditions.MaxRounds-1 && i == len(w.own)-1
				if w.kind == most || last {
					w.motion(i, p)
				}
			}
		}
	}
	if w.kind == most {
		for range p.StopConditions.MaxQuestions {
			w.lead(council.AskReply)
		}
	}
	if w.ranks(p) {
		w.all(council.AskRank)
	}
	if rules.Assesses(p) {
		w.lead(council.AskAssess)
	}
}

// together reports whether all have their turns of a round at once. At most the members agree at first, where the
// charter looks at that, and the first round is not held so, unless options are ranked.
func (w *course) together(p *council.Phase) bool {
	return p.Turns == council.TurnsTogether &&
		!(w.kind == most && w.charter.Deliberation.ContestedOnly && !w.ranks(p))
}

// ranks reports whether options are put when the debate of a phase ends.
func (w *course) ranks(p *council.Phase) bool { return len(w.charter.OptionsOf(p)) > 0 }

func (w *course) close() {
	w.lead(council.AskSummary)
	if w.charter.Output.Type == council.OutputDocumentation {
		revisions := w.charter.DocumentationReview.MaxRevisionRounds
		switch w.kind {
		case least:
			revisions = 0
		case usual:
			revisions = min(1, revisions)
		}
		for draft := range 1 + revisions {
			w.lead(council.AskDraft)
			w.all(council.AskBallot)
			if w.kind == most || draft < revisions {
				w.all(council.AskReview)
			}
		}
	}
	if w.kind == most {
		w.all(council.AskDissent)
	}
}
