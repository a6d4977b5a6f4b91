package budget

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// step is one visit to a phase and how its debate ends.
type step struct {
	phase *council.Phase
	ends  ending
}

// ending is how a debate may end.
type ending struct {
	resolved bool
	reason   council.DebateEnd
}

// place is where a session stands between two phases.
type place struct {
	phase council.PhaseID
	left  int // transitions
}

// path returns the walk through the phases that asks least or most; usually every phase ends with a resolution.
func (w *course) path() []step {
	policy := w.charter.SessionPolicy
	best := map[place]branch{}
	var steps []step
	for at := (place{policy.EntryPhaseID, policy.MaxPhaseTransitions}); at.phase != ""; {
		b := w.walk(at, best)
		steps = append(steps, b.step)
		at = b.next
	}
	return steps
}

// branch is the best way on from a place, and how many questions are asked on it.
type branch struct {
	step  step
	next  place
	calls int64
}

func (w *course) walk(at place, best map[place]branch) branch {
	if b, known := best[at]; known {
		return b
	}
	p := w.charter.Phase(at.phase)
	if p == nil { // a charter that no session opens with
		return branch{}
	}
	var found branch
	for i, ends := range w.endings(p) {
		b := branch{step: step{p, ends}, calls: w.asks(step{p, ends})}
		if _, to := rules.Onward(p, ends.resolved, ends.reason); to != "" && at.left > 0 {
			b.next = place{to, at.left - 1}
			b.calls += w.walk(b.next, best).calls
		}
		if i == 0 || w.kind == least && b.calls < found.calls || w.kind == most && b.calls > found.calls {
			found = b
		}
	}
	best[at] = found
	return found
}

// endings returns the ways in which a debate may end in this case. A round without anything new is not one of them: it
// is longer than one in which everybody passes, shorter than all of them, and leads to where these lead.
func (w *course) endings(p *council.Phase) []ending {
	carried := ending{true, council.EndRoundLimit}
	if p.StopConditions.EndOnMajorityVote || w.ranks(p) {
		carried.reason = council.EndMajorityVote
	}
	ends := []ending{{false, council.EndRoundLimit}, carried}
	switch w.kind {
	case usual:
		return ends[1:]
	case least:
		ends[0].reason = council.EndAllPassed
	}
	if w.charter.Deliberation.ContestedOnly && !w.ranks(p) {
		ends = append(ends, ending{true, council.EndUncontested})
	}
	return ends
}

// asksOthers reports whether the others are asked about a motion before it is voted on.
func asksOthers(g council.Governance) bool { return g.RequireSeconding || g.Debate }

// asks returns how many questions a visit to a phase takes.
func (w *course) asks(s step) int64 {
	n, known := w.visits[s]
	if !known {
		alone := course{charter: w.charter, kind: w.kind, own: make([]load, len(w.own)), bytesPerToken: 1}
		alone.phase(s)
		n = alone.leader.calls + alone.everyone.calls*int64(len(w.own))
		for _, l := range alone.own {
			n += l.calls
		}
		w.visits[s] = n
	}
	return n
}

// quiet returns how many rounds there are at least in a debate that no vote ends: one in which everybody passes, and
// another before it where a motion is made and carried.
func quiet(p *council.Phase, ends ending) int {
	if ends.resolved {
		return min(2, p.StopConditions.MaxRounds)
	}
	return 1
}

// sum makes loads of what was asked. At most, what only a leader is asked is asked of everybody, and every question
// three times.
func (w *course) sum() Case {
	c := Case{Total: Load{Known: true}}
	var leaders []Load // what each would be asked more if it led
	for i := range w.charter.Members {
		m := w.charter.Members[i].ID
		plain := w.everyone.plus(w.own[i])
		without, with := w.bill(m, i, plain), w.bill(m, i, plain.plus(w.leader))
		c.Members = append(c.Members, without)
		c.Total = c.Total.plus(without)
		leaders = append(leaders, with.minus(without))
		if w.kind == most {
			c.Members[i] = with
		}
	}
	switch w.kind {
	case most:
		for _, l := range leaders {
			c.Total = c.Total.plus(l)
		}
	case usual: // the first seat stands for the elected leader
		first := slices.IndexFunc(w.charter.Members, func(m council.Member) bool { return m.ID == w.charter.Seats()[0] })
		c.Members[first] = c.Members[first].plus(leaders[first])
		c.Total = c.Total.plus(leaders[first])
	default:
		cheapest := slices.MinFunc(leaders, func(a, b Load) int { return int(min(1, max(-1, a.Cost-b.Cost))) })
		c.Total = c.Total.plus(cheapest)
	}
	c.Total.Member = ""
	return c
}

// bill returns what a member's asks take. What a conversation had before is read from the provider's cache, but at
// most, when nothing is, and all is written to it.
func (w *course) bill(m council.MemberID, i int, l load) Load {
	if w.charter.Members[i].Model.Kind().NoModel {
		return Load{Member: m, Usage: council.Usage{Calls: int(l.calls)}, Known: true}
	}
	system := w.systems[i] / w.bytesPerToken
	u := council.Usage{Calls: int(l.calls)}
	prompt := l.prompt + l.calls*system
	switch w.kind {
	case most:
		u.Calls *= tries
		u.OutputTokens = tries * l.replies
		prompt = tries*prompt + (tries-1)*l.replies
		if looked, shown := w.lookups(i, l.calls); looked > 0 {
			u.Calls += int(looked)
			u.OutputTokens += looked * lookup
			prompt = int64(u.Calls)*(w.window+w.overhead+system+shown) + (tries-1)*l.replies
		}
		u.InputTokens = prompt
	default:
		u.OutputTokens = l.replies
		u.InputTokens = min(prompt, w.told+system+l.calls*w.overhead)
		u.CachedTokens = prompt - u.InputTokens
	}
	load := Load{Member: m, Usage: u}
	load.Cost, load.Known = w.cost(m, u)
	return load
}

// lookup is how many tokens a reply takes that calls a tool, with what is reasoned before it.
const lookup = 2_000

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

// cost returns the cost of a usage. At most, prompts cost as much as their dearest kind of tokens.
func (w *course) cost(m council.MemberID, u council.Usage) (council.Money, bool) {
	cost, known := w.charter.Cost(m, u, false)
	if w.kind == most {
		written := u
		written.InputTokens, written.CacheWriteTokens = 0, u.InputTokens
		dear, _ := w.charter.Cost(m, written, false)
		cost = max(cost, dear)
	}
	return cost, known
}

func (l Load) plus(m Load) Load {
	return Load{l.Member, l.Usage.Add(m.Usage), l.Cost.Plus(m.Cost), l.Known && m.Known}
}

// minus subtracts m, which is a part of l.
func (l Load) minus(m Load) Load {
	u := l.Usage
	u.Calls -= m.Usage.Calls
	u.InputTokens -= m.Usage.InputTokens
	u.CachedTokens -= m.Usage.CachedTokens
	u.OutputTokens -= m.Usage.OutputTokens
	return Load{l.Member, u, l.Cost - m.Cost, l.Known && m.Known}
}
