package budget

import (
	"cmp"
	"math"
	"math/big"

	"github.com/council-engine/council/council"
)

// Meter estimates questions, and learns from every reply that a session records.
type Meter struct {
	charter *council.Charter
	seen    map[council.PricedModel]*modelUsage // members that share a model teach each other
	longest map[council.MemberID]int64          // bytes of a member's longest prompt so far
}

// modelUsage sums the usage that one model reported so far.
type modelUsage struct {
	prompt  council.Usage // sums of the replies that reported both bytes and tokens
	written int64         // tokens of all replies, reasoning included
	assumed int64         // the estimate of them before
	longest map[council.AskKind]int64
}

// NewMeter returns a meter that has seen nothing.
func NewMeter(c *council.Charter) *Meter {
	return &Meter{charter: c, seen: map[council.PricedModel]*modelUsage{}, longest: map[council.MemberID]int64{}}
}

// Learn takes in a reply that was recorded.
func (m *Meter) Learn(member council.MemberID, kind council.AskKind, u council.Usage) {
	seat := m.charter.Member(member)
	if seat == nil || u.Tokens() == 0 {
		return
	}
	v := seat.Model.Priced()
	s := m.seen[v]
	if s == nil {
		s = &modelUsage{longest: map[council.AskKind]int64{}}
		m.seen[v] = s
	}
	if u.PromptBytes > 0 && u.PromptTokens() > 0 {
		s.prompt = s.prompt.Add(u)
	}
	m.longest[member] = max(m.longest[member], u.PromptBytes/int64(max(1, u.Calls)))
	wrote := u.OutputTokens + u.ReasoningTokens
	s.written += wrote
	s.assumed += council.ReplyLengths[kind].Usual * int64(max(1, u.Calls))
	s.longest[kind] = max(s.longest[kind], wrote/int64(max(1, u.Calls)))
}

// Estimate returns the estimated usage of one call with a prompt of so many bytes: the prompt at the rate and in
// the shares of new and cached tokens that the model has reported so far, and a reply as long as the longest of its
// kind. Members of which no model is asked take nothing.
func (m *Meter) Estimate(member council.MemberID, kind council.AskKind, promptBytes int64) council.Usage {
	seat := m.charter.Member(member)
	if seat == nil || seat.Model.Kind().NoModel {
		return council.Usage{}
	}
	u := council.Usage{Calls: 1, PromptBytes: promptBytes, OutputTokens: council.ReplyLengths[kind].Usual}
	s := cmp.Or(m.seen[seat.Model.Priced()], &modelUsage{})
	u.InputTokens = mulDivUp(promptBytes, 1, council.BytesPerToken)
	if bytes := s.prompt.PromptBytes; bytes > 0 {
		u.CachedTokens = mulDivUp(promptBytes, s.prompt.CachedTokens, bytes)
		u.CacheWriteTokens = mulDivUp(promptBytes, s.prompt.CacheWriteTokens, bytes)
		u.InputTokens = mulDivUp(promptBytes, s.prompt.PromptTokens(), bytes) - u.CachedTokens - u.CacheWriteTokens
	}
	u.OutputTokens = cmp.Or(s.longest[kind], max(u.OutputTokens, mulDivUp(u.OutputTokens, s.written, s.assumed)))
	if limit := int64(seat.Model.MaxTokens); limit > 0 {
		u.OutputTokens = min(u.OutputTokens, limit)
	}
	return u
}

// EstimateRetry estimates a call of a question by its name alone, with a prompt like the member's longest so far.
func (m *Meter) EstimateRetry(ask council.AskID) council.Usage {
	return m.Estimate(ask.Member(), ask.Kind(), m.longest[ask.Member()])
}

// mulDivUp is n × num / den, rounded up.
func mulDivUp(n, num, den int64) int64 {
	if n <= 0 || num <= 0 || den <= 0 {
		return 0
	}
	up := new(big.Int).Mul(big.NewInt(n), big.NewInt(num))
	if up.Add(up, big.NewInt(den-1)).Quo(up, big.NewInt(den)); !up.IsInt64() {
		return math.MaxInt64
	}
	return up.Int64()
}
