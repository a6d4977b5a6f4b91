package story

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/render/artifact"
	"github.com/council-engine/council/recorder/wire"
)

// Spending adds up what the replies cost.
type Spending struct {
	members  map[council.MemberID]artifact.Usage
	asks     map[council.AskKind]artifact.Usage
	reported map[council.MemberID]string
	total    artifact.Usage
}

func (s *Spending) take(e wire.Entry) {
	ask, u := Cost(e.Payload)
	if ask == "" {
		return
	}
	if s.members == nil {
		s.members, s.asks = map[council.MemberID]artifact.Usage{}, map[council.AskKind]artifact.Usage{}
		s.reported = map[council.MemberID]string{}
	}
	s.total = plus(s.total, u)
	s.members[e.Actor] = plus(s.members[e.Actor], u)
	kind := KindOf(ask)
	s.asks[kind] = plus(s.asks[kind], u)
	if u.Model != "" {
		s.reported[e.Actor] = u.Model
	}
}

// Cost returns the ask that a payload answers and what that cost. The ask is empty for all that is no answer.
func Cost(p council.Payload) (council.AskID, council.Usage) {
	var a council.Answered
	switch p := p.(type) {
	case council.SessionSuspended:
		return p.Ask, p.Usage
	case council.PositionSealed:
		a = p.Answered
	case council.LeaderBallotCast:
		a = p.Answered
	case council.ContributionMade:
		a = p.Answered
	case council.TurnPassed:
		a = p.Answered
	case council.MotionMade:
		a = p.Answered
	case council.SecondAnswered:
		a = p.Answered
	case council.BallotCast:
		a = p.Answered
	case council.PhaseAssessed:
		a = p.Answered
	case council.SummaryWritten:
		a = p.Answered
	case council.DraftWritten:
		a = p.Answered
	case council.ReviewGiven:
		a = p.Answered
	case council.DissentWritten:
		a = p.Answered
	case council.MemberFaulted:
		a = p.Answered
	}
	return a.Ask, a.Usage
}

// KindOf reads the kind of an ask from its id, "p1.r2.t3.turn.skeptic": the part before the member.
func KindOf(id council.AskID) council.AskKind {
	parts := strings.Split(string(id), ".")
	if len(parts) < 2 {
		return ""
	}
	return council.AskKind(parts[len(parts)-2])
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

// Reported is the model that answered for a member, as its provider last named it; empty when none did.
func (s *Spending) Reported(m council.MemberID) string { return s.reported[m] }

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
