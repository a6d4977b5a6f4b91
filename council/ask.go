package council

// AskKind is the kind of question put to a member.
type AskKind string

// The asks, in the order in which a session first puts them.
const (
	AskPosition AskKind = "position" // seal an opinion before any discussion
	AskNominate AskKind = "nominate" // vote for a leader
	AskTurn     AskKind = "turn"     // contribute, pass, ask somebody or move a motion
	AskReply    AskKind = "reply"    // answer a question that a member put in its turn
	AskSecond   AskKind = "second"   // second a motion or not, and say where one stands on it
	AskAmend    AskKind = "amend"    // accept or second amendments, or withdraw the motion
	AskBallot   AskKind = "ballot"   // vote on a motion or a draft
	AskRank     AskKind = "rank"     // rank the options of a choice
	AskAssess   AskKind = "assess"   // the leader judges a phase against its charter
	AskSummary  AskKind = "summary"  // the leader summarises
	AskDraft    AskKind = "draft"    // the leader drafts or revises the document
	AskReview   AskKind = "review"   // a member that did not approve names blockers
	AskDissent  AskKind = "dissent"  // a member that did not vote with the side that prevailed may write why
)

// AskKinds lists every kind of ask.
func AskKinds() []AskKind {
	return []AskKind{AskPosition, AskNominate, AskTurn, AskReply, AskSecond, AskAmend, AskBallot,
		AskRank, AskAssess, AskSummary, AskDraft, AskReview, AskDissent}
}

// Ask is one question to one member, who may be shown the log up to AsOf and no further.
type Ask struct {
	ID     AskID
	Kind   AskKind
	Member MemberID
	AsOf   Seq
}

// Ready tells what the session wants next: exactly one of Event, Asks and Outcome is set.
type Ready struct {
	Event   *Event   // a consequence that is due: record it before asking anything
	Asks    []Ask    // open questions in the order in which answers are recorded; all may be put at once
	Outcome *Outcome // the session is closed
}

// Reply is the answer to an ask: exactly one of Body and Fault is set.
type Reply struct {
	Ask   AskID
	Body  Body
	Fault *Fault // no answer is coming; every retry is already spent
	Usage Usage
	Tools []ToolUse // what the member looked up, in order; of a fault that suspends the session it is not recorded

	Cut    []Cut // secrets that were taken out of it, over all its tries
	Hidden []Cut // characters in it that readers do not see

	Shortened []Shortened // of a reply that is read from its event: what was cut
}

// Answered returns the part of an event that records the reply, without its body.
func (r Reply) Answered(a Ask) Answered {
	return Answered{
		Ask: a.ID, AsOf: a.AsOf, Usage: r.Usage, Tools: r.Tools, Cut: r.Cut, Hidden: r.Hidden, Shortened: r.Shortened,
	}
}

// Failed returns the reply with a fault in the place of its body.
func (r Reply) Failed(f Fault) Reply {
	r.Body, r.Fault = nil, &f
	return r
}

// Usage counts what a reply took, over all its tries. The five kinds of tokens exclude one another. Older logs count
// reasoning as output.
type Usage struct {
	Model string `json:"model,omitempty" text:"id"` // who answered, as the provider reports it

	// Of a fallback that answered in the place of the configured model.
	Provider         string `json:"provider,omitempty" text:"id"`
	Calls            int    `json:"calls,omitempty"`
	InputTokens      int64  `json:"inputTokens,omitempty"`      // new, billed in full
	CachedTokens     int64  `json:"cachedTokens,omitempty"`     // read from the provider's prompt cache
	CacheWriteTokens int64  `json:"cacheWriteTokens,omitempty"` // written to it
	OutputTokens     int64  `json:"outputTokens,omitempty"`     // of the reply itself
	ReasoningTokens  int64  `json:"reasoningTokens,omitempty"`  // written before the reply and not shown
	PromptBytes      int64  `json:"promptBytes,omitempty"`      // of the prompts whose tokens are counted; not billed
	ElapsedMS        int64  `json:"elapsedMs,omitempty"`        // from the question to the reply, waiting included

	BilledCalls int   `json:"billedCalls,omitempty"` // those of the calls of which the provider said what they cost
	Billed      Money `json:"billed,omitempty"`      // what it said, of all of them together
}

// Tokens returns the sum of all kinds.
func (u Usage) Tokens() int64 { return u.PromptTokens() + u.OutputTokens + u.ReasoningTokens }

// PromptTokens returns the sum of the kinds that were sent: new, cached and written to the cache.
func (u Usage) PromptTokens() int64 { return u.InputTokens + u.CachedTokens + u.CacheWriteTokens }

// Add returns the sum of u and v. The model is the last one that is named; the times add up.
func (u Usage) Add(v Usage) Usage {
	if v.Model != "" {
		u.Model, u.Provider = v.Model, v.Provider
	}
	u.Calls += v.Calls
	u.InputTokens += v.InputTokens
	u.CachedTokens += v.CachedTokens
	u.CacheWriteTokens += v.CacheWriteTokens
	u.OutputTokens += v.OutputTokens
	u.ReasoningTokens += v.ReasoningTokens
	u.PromptBytes += v.PromptBytes
	u.ElapsedMS += v.ElapsedMS
	u.BilledCalls += v.BilledCalls
	u.Billed = u.Billed.Plus(v.Billed)
	return u
}
