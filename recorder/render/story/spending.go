package story

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/price"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Spending adds up what the replies cost.
type Spending struct {
	charter  council.Charter // as the session opened
	costs    map[council.MemberID]cost
	members  map[council.MemberID]artifact.Usage
	asks     map[council.AskKind]artifact.Usage
	reported map[council.MemberID]string
	stoodIn  map[council.MemberID][]artifact.StandIn
	total    artifact.Usage
	prompts  Prompts
	fell     map[council.MemberID]council.Seq // the first answer to a prompt of which its server left out a part, as it seems
	billed   int                              // calls of which the provider said what they cost
}

// cost is what the replies of a member cost, as far as that is known.
type cost struct {
	money   price.Money
	unknown bool
}

func (s *Spending) take(e wire.Entry) {
	if started, ok := e.Payload.(council.SessionStarted); ok {
		s.charter = started.Charter
	}
	ask, u, failed := Cost(e.Payload)
	if ask == "" {
		return
	}
	if s.members == nil {
		s.members, s.asks = map[council.MemberID]artifact.Usage{}, map[council.AskKind]artifact.Usage{}
		s.stoodIn = map[council.MemberID][]artifact.StandIn{}
		s.fell = map[council.MemberID]council.Seq{}
		s.reported, s.costs = map[council.MemberID]string{}, map[council.MemberID]cost{}
	}
	money, known := s.charter.Cost(e.Actor, u, failed)
	before := s.costs[e.Actor]
	s.costs[e.Actor] = cost{before.money.Plus(money), before.unknown || !known}
	s.total = plus(s.total, u)
	s.billed += u.BilledCalls
	s.members[e.Actor] = plus(s.members[e.Actor], u)
	kind := ask.Kind()
	s.asks[kind] = plus(s.asks[kind], u)
	s.noteModel(e.Actor, u, failed)
	if s.prompts.Fell(e.Actor, u) {
		s.fell[e.Actor] = e.Seq
	}
}

// Cost returns the ask that a payload answers, what that took, and whether it brought no answer. The ask is empty for
// all that is not an answer.
func Cost(p council.Payload) (ask council.AskID, u council.Usage, failed bool) {
	switch p := p.(type) {
	case council.SessionSuspended:
		return p.Ask, p.Usage, true
	case interface {
		Asked() council.AskID
		Paid() council.Usage
	}:
		_, failed = p.(council.MemberFaulted)
		return p.Asked(), p.Paid(), failed
	}
	return "", council.Usage{}, false
}

func plus(u artifact.Usage, v council.Usage) artifact.Usage {
	return artifact.Usage{
		Calls:            u.Calls + v.Calls,
		InputTokens:      u.InputTokens + v.InputTokens,
		CachedTokens:     u.CachedTokens + v.CachedTokens,
		CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		OutputTokens:     u.OutputTokens + v.OutputTokens,
		ReasoningTokens:  u.ReasoningTokens + v.ReasoningTokens,
		ElapsedMS:        u.ElapsedMS + v.ElapsedMS,
	}
}

// Report lists the costs: members in turn order, asks in the order of the protocol.
func (s *Spending) Report(seats []council.MemberID) artifact.UsageReport {
	r := artifact.UsageReport{Members: []artifact.MemberUsage{}, Asks: []artifact.AskUsage{}, Total: s.total}
	for _, m := range seats {
		r.Members = append(r.Members, artifact.MemberUsage{Member: m, Usage: s.members[m]})
	}
	for _, k := range council.AskKinds() {
		if u, ok := s.asks[k]; ok {
			r.Asks = append(r.Asks, artifact.AskUsage{Ask: k, Usage: u})
		}
	}
	r.Cost = s.cost(seats)
	return r
}

// Seats lists the members in turn order. Without a charter, which may have been erased, they are those who answered.
func (s *Story) Seats() []council.MemberID {
	if seats := s.Started.Charter.Seats(); len(seats) > 0 {
		return seats
	}
	var seats []council.MemberID
	for m := range s.Spent.members {
		seats = append(seats, m)
	}
	slices.Sort(seats)
	return seats
}
