package budget

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// Forecast estimates a whole session of a charter: at least, usually and at most. Each case is a session under the
// rules in which all members answer as is assumed.
//
// At least: all pass, or the first moves and all agree, if that takes fewer questions, in few words, and the first
// draft is approved; uncontested debates end at once where the charter lets them. Usually: every round is used, each
// phase ends with a motion that carries, and the document is revised once; no debate ends early. At most: every turn is
// a motion that fails, every draft too, every reply is long and unusable twice, only the last in the ranking gives the
// answers of a leader, and members look up as much as their tools allow. Failed calls that are repeated are in none.
type Forecast struct{ Least, Usual, Most Case }

// Case is one of the cases: each member, in the order of the charter, and all of them. Anybody may lead. So a member's
// most is that of a leader and its least is not, and the total is not the sum.
type Case struct {
	Members []Load
	Total   Load
	Steps   int64 // calls one after the other: of those that are put together only as many as a server takes one by one
	Seconds int64 // that these take, where a call takes as long as is assumed
	More    bool  // the session has more questions than are followed, and takes more
}

// Load is the estimated usage and cost of one member. The cost is unknown where a price is.
type Load struct {
	Member council.MemberID
	Usage  council.Usage // Calls and tokens
	Cost   council.Money
	Known  bool
}

// ForecastOf returns the forecast for a charter; it is empty for one that cannot open a session. systems are the bytes
// before each member's conversation: charter, topic, documents and persona.
func ForecastOf(c *council.Charter, systems []int64) Forecast {
	return Forecast{follow(c, least, systems).sum(), UsualForecast(c, systems), follow(c, most, systems).sum()}
}

// UsualForecast is the usual case of [ForecastOf] alone, without the work of the others.
func UsualForecast(c *council.Charter, systems []int64) Case { return follow(c, usual, systems).sum() }

// LongestPrompt returns the tokens that the longest prompt usually has beyond charter, topic, documents and persona.
func LongestPrompt(c *council.Charter) int64 {
	w := follow(c, usual, make([]int64, len(c.Members)))
	return w.longest + w.overhead
}

type outcome int

const (
	least outcome = iota
	usual
	most
)

const tries = 3 // how often a question is put at most when its replies cannot be used

// course adds up the questions of a session of one case. Each member's conversation has the same length, because all
// read the same; the system prompt is its own.
type course struct {
	charter       *council.Charter
	kind          outcome
	systems       []int64
	bytesPerToken int64
	window        int64 // tokens of a conversation that starts anew
	overhead      int64 // tokens of a question

	length  int64 // tokens of the conversation so far
	longest int64 // that it was
	written int64 // tokens that members were shown, and shown again
	read    int64 // of these, when several members were asked last
	waves   []wave
	servers servers
	asks    int
	more    bool
	own     []load // by the order of the charter
	anyone  load   // asked of one member, whichever it is
}

func newCourse(c *council.Charter, kind outcome, systems []int64) *course {
	return &course{charter: c, kind: kind, systems: systems, own: make([]load, len(c.Members)), servers: serversOf(c),
		bytesPerToken: [...]int64{5, council.UsualBytesPerToken, council.BytesPerToken}[kind],
		window:        [...]int64{48_000, 60_000, 80_000}[kind],
		overhead:      [...]int64{100, 200, 600}[kind]}
}

// load adds up questions to a member: how many, the tokens before each, and the replies.
type load struct{ calls, prompt, replies int64 }

func (l load) plus(m load) load {
	return load{l.calls + m.calls, l.prompt + m.prompt, l.replies + m.replies}
}

// add takes in questions that were answered together, all of one kind, of which so many brought an answer. anyone: it
// depends on the session which members are asked.
func (w *course) add(asked []council.MemberID, k council.AskKind, usable int, anyone bool) {
	lengths := council.ReplyLengths[k]
	reply, fresh := [...]int64{lengths.Short, lengths.Usual, lengths.Long}[w.kind], w.written-w.read
	if len(w.waves) == 0 {
		fresh = slices.Max(append(w.systems, 0)) / w.bytesPerToken
	}
	w.waves = append(w.waves, wave{k, reply, fresh + w.overhead, w.servers.turns(w.charter, asked)})
	if len(asked) > 1 {
		w.read = w.written
	}
	one := load{1, w.length + w.overhead, reply}
	for _, m := range asked {
		i := slices.IndexFunc(w.charter.Members, func(of council.Member) bool { return of.ID == m })
		if anyone {
			w.anyone = w.anyone.plus(one)
		} else {
			w.own[i] = w.own[i].plus(one)
		}
	}
	w.asks += len(asked)
	w.show(int64(usable) * (reply + 20))
}

// show adds tokens that all members read.
func (w *course) show(tokens int64) {
	w.length += tokens
	w.written += tokens
	w.longest = max(w.longest, w.length)
	if w.length > w.window {
		w.length = w.window / 4
		w.written += w.length
	}
}

// sum returns the loads of the questions. Those to anyone are the cheapest member's at least, the dearest's at most.
func (w *course) sum() Case {
	c := Case{Total: Load{Known: true}, More: w.more}
	var length float64
	for _, wave := range w.waves {
		c.Steps += wave.turns
		length += wave.length(w.servers.local())
	}
	c.Seconds = int64(length / tokensPerSecond)
	one := 0 // the member that answers questions to anyone
	var with []Load
	for i, m := range w.charter.Members {
		c.Members = append(c.Members, w.bill(m.ID, i, w.own[i]))
		with = append(with, w.bill(m.ID, i, w.own[i].plus(w.anyone)))
		before, now := with[one].Cost-c.Members[one].Cost, with[i].Cost-c.Members[i].Cost
		if w.kind == least && now < before || w.kind == most && now > before {
			one = i
		}
	}
	for i, load := range c.Members {
		if i == one {
			load = with[i]
		}
		c.Total = Load{Usage: c.Total.Usage.Add(load.Usage), Cost: c.Total.Cost.Plus(load.Cost),
			Known: c.Total.Known && load.Known}
	}
	if w.kind == most {
		c.Members = with
	}
	return c
}

// bill returns the usage and cost of a member's questions. The earlier part of a conversation is read from the
// provider's cache, but at most all of it is written to the cache.
func (w *course) bill(m council.MemberID, i int, l load) Load {
	if w.charter.Members[i].Model.Kind().NoModel {
		return Load{Member: m, Usage: council.Usage{Calls: int(l.calls)}, Known: true}
	}
	system := w.systems[i] / w.bytesPerToken
	u, prompt := council.Usage{Calls: int(l.calls)}, l.prompt+l.calls*system
	if w.kind == most {
		u.Calls *= tries
		u.OutputTokens = tries * l.replies
		prompt = tries*prompt + (tries-1)*l.replies
		if looked, shown := w.lookups(i, l.calls); looked > 0 {
			u.Calls += int(looked)
			u.OutputTokens += looked * lookup
			prompt = int64(u.Calls)*(w.window+w.overhead+system+shown) + (tries-1)*l.replies
		}
		u.InputTokens = prompt
	} else {
		u.OutputTokens = l.replies
		u.InputTokens = min(prompt, w.written+system+l.calls*w.overhead)
		u.CachedTokens = prompt - u.InputTokens
	}
	load := Load{Member: m, Usage: u}
	load.Cost, load.Known = w.charter.Cost(m, u, false)
	if w.kind == most { // prompts cost as much as their dearest kind of tokens
		u.InputTokens, u.CacheWriteTokens = 0, u.InputTokens
		dear, _ := w.charter.Cost(m, u, false)
		load.Cost = max(load.Cost, dear)
	}
	return load
}

const lookup = 2_000 // the number of tokens of a reply that calls a tool, with the reasoning before it

// lookups returns how often a member calls tools at most while it is put so many questions, each a call of its model,
// and how many tokens it is shown for one question.
func (w *course) lookups(member int, questions int64) (looked, shown int64) {
	t := w.charter.Members[member].Tools
	each := int64(t.Calls(0))
	if each == 0 {
		return 0, 0
	}
	return min(questions*each, int64(cmp.Or(t.MaxSessionCalls, council.DefaultSessionCalls))),
		each * int64(t.Bytes()) / w.bytesPerToken
}

const maxQuestions = 20_000 // how many questions of a session a forecast follows

// follow returns the course of one case. Whether phases come to a resolution is chosen so that the session has the
// fewest questions at least, and the most at most; usually each does.
func follow(c *council.Charter, kind outcome, systems []int64) *course {
	resolved := map[council.PhaseID]bool{}
	for _, p := range c.Phases {
		resolved[p.ID] = kind == usual
	}
	best := newCourse(c, kind, systems)
	best.run(resolved)
	for again := kind != usual; again && !best.more; {
		again = false
		for _, p := range c.Phases {
			other := newCourse(c, kind, systems)
			resolved[p.ID] = !resolved[p.ID]
			other.run(resolved)
			if kind == least && other.asks < best.asks || kind == most && other.asks > best.asks {
				best, again = other, true
			} else {
				resolved[p.ID] = !resolved[p.ID]
			}
		}
	}
	return best
}

// run puts the questions of a session in which the phases named come to a resolution.
func (w *course) run(resolved map[council.PhaseID]bool) {
	c := *w.charter
	c.Budget = council.Budget{}
	s, err := rules.Begin("forecast", council.Topic{Text: "forecast"}, c)
	if err != nil {
		return
	}
	apply := func(e council.Event, failed error) {
		if err = failed; err == nil {
			err = s.Apply(e)
		}
	}
	unable := 0 // members that could not give the answer of a leader
	for err == nil {
		next := s.Ready()
		switch {
		case next.Outcome != nil:
			return
		case next.Event != nil:
			apply(*next.Event, nil)
			continue
		case w.asks >= maxQuestions:
			w.more = true
			return
		}
		k := next.Asks[0].Kind
		var asked []council.MemberID
		usable, anyone := 0, k == council.AskReply || w.kind == least && (leads(k) || k == council.AskSecond)
		for i, a := range next.Asks {
			if s.Ready().Event != nil {
				break // the second that was needed is there
			}
			r := council.Reply{Ask: a.ID}
			if w.kind == most && leads(a.Kind) && unable < len(w.own)-1 {
				unable++
				r.Fault = &council.Fault{Kind: council.FaultUnparsable}
			} else {
				unable, usable = 0, usable+1
				v := s.View(a)
				r.Body = w.body(v, v.Phase != nil && resolved[v.Phase.ID], i == len(next.Asks)-1)
				t, _ := r.Body.(council.Turn)
				anyone = anyone || w.kind == least && v.Turn > 0 && t.Action == council.ActionCallVote
			}
			apply(s.Answer(r))
			asked = append(asked, a.Member)
		}
		w.add(asked, k, usable, anyone)
	}
	w.more = true // a test holds that the rules take the assumed answers
}

func leads(k council.AskKind) bool {
	return k == council.AskPropose || k == council.AskAssess || k == council.AskSummary || k == council.AskDraft
}
