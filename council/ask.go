package council

import (
	"strconv"
	"strings"
)

// AskKind is the kind of question put to a member.
type AskKind string

// The asks, in the order in which a session first puts them.
const (
	AskPosition AskKind = "position" // seal an opinion before any discussion
	AskNominate AskKind = "nominate" // vote for a leader
	AskPropose  AskKind = "propose"  // the leader lists the answers that the positions come to
	AskTurn     AskKind = "turn"     // contribute, pass, ask somebody or move a motion
	AskReply    AskKind = "reply"    // answer a question that a member put in its turn
	AskSecond   AskKind = "second"   // second a motion or not, and support or oppose it
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
	return []AskKind{AskPosition, AskNominate, AskPropose, AskTurn, AskReply, AskSecond, AskAmend, AskBallot,
		AskRank, AskAssess, AskSummary, AskDraft, AskReview, AskDissent}
}

// Ask is one question to one member, who may be shown the log up to AsOf and no further.
type Ask struct {
	ID     AskID
	Kind   AskKind
	Member MemberID
	AsOf   Seq
}

// Ready is the session's next step: exactly one of Event, Asks and Outcome is set.
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
	Tools []ToolUse // lookups of the member, in order; with a fault that suspends the session they are not recorded

	Cut       []Cut          // secrets that were taken out of it, over all its tries
	Hidden    []Cut          // characters in it that readers do not see
	Refused   []RefusedDraft // replies to the question for a document that were not taken, in order
	Shortened []Shortened    // of a reply that is read from its event: the fields that were cut
}

// RefusedDraft is a reply to the question for a document that was not taken. It is kept because it was paid for.
type RefusedDraft struct {
	Try  int    `json:"try" jsonschema:"minimum=1"` // 1 for the first reply to the question
	Why  string `json:"why" text:"short"`
	Text string `json:"text" text:"short"`
}

// Answered returns the part of an event that records the reply, without its body.
func (r Reply) Answered(a Ask) Answered {
	return Answered{Ask: a.ID, AsOf: a.AsOf, Usage: r.Usage, Tools: r.Tools, Cut: r.Cut, Hidden: r.Hidden,
		Refused: r.Refused, Shortened: r.Shortened}
}

// Failed returns the reply with a fault in the place of its body.
func (r Reply) Failed(f Fault) Reply {
	r.Body, r.Fault = nil, &f
	return r
}

// Usage counts calls, tokens and time of a reply, over all its tries. The five kinds of tokens exclude one another.
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

	BilledCalls int   `json:"billedCalls,omitempty"` // calls whose cost the provider reported
	Billed      Money `json:"billed,omitempty"`      // their reported cost together
}

// Tokens returns the sum of all kinds.
func (u Usage) Tokens() int64 { return u.PromptTokens() + u.OutputTokens + u.ReasoningTokens }

// PromptTokens returns the sum of the kinds that were sent: new, cached and written to the cache.
func (u Usage) PromptTokens() int64 { return u.InputTokens + u.CachedTokens + u.CacheWriteTokens }

const maxBytesPerToken = 40 // more than a token of any text has, in bytes: code and prose have three to five

// PromptLost reports whether the server counted so few tokens that its model cannot have had the prompt: a server whose
// chat template leaves out the messages answers all the same.
func (u Usage) PromptLost() bool {
	return u.PromptTokens() > 0 && u.PromptBytes > maxBytesPerToken*u.PromptTokens()
}

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

// Answered is part of every event that records a reply.
type Answered struct {
	Ask   AskID `json:"ask,omitempty"`  // the id of the question
	AsOf  Seq   `json:"asOf"`           // the last event that the member could know
	Usage Usage `json:"usage,omitzero"` // of the reply, over all its tries; absent when it cost nothing

	// The lookups of the member before it answered, in order. No other member was shown them.
	Tools []ToolUse `json:"tools,omitempty"`

	Cut    []Cut `json:"cut,omitempty"`    // secrets that were taken out of the reply, over all its tries
	Hidden []Cut `json:"hidden,omitempty"` // characters in it that readers do not see

	// Replies to the question for a document that were not taken, in order.
	Refused []RefusedDraft `json:"refused,omitempty"`

	Shortened []Shortened `json:"shortened,omitempty"` // fields that were longer than a council takes, and were cut

	// The event whose reply said this already: no question was put, and `ask` is absent.
	From Seq `json:"from,omitempty"`
}

func (a Answered) answered() Answered { return a }

// Reply returns the reply that the event records, whose body is b.
func (a Answered) Reply(b Body) Reply {
	return Reply{Ask: a.Ask, Body: b, Usage: a.Usage, Tools: a.Tools, Cut: a.Cut, Hidden: a.Hidden, Refused: a.Refused,
		Shortened: a.Shortened}
}

// Repeats returns the event whose reply an event repeats, or 0.
func (e Event) Repeats() Seq {
	if p, ok := e.Payload.(interface{ answered() Answered }); ok {
		return p.answered().From
	}
	return 0
}

// Answered returns the record of a reply or fault in an event, without the body. An event that repeats one has none.
func (e Event) Answered() (Answered, bool) {
	p, ok := e.Payload.(interface{ answered() Answered })
	if !ok || p.answered().From > 0 {
		return Answered{}, false
	}
	return p.answered(), true
}

// Heard is [Event.Answered] without the faults of a session that went on without the reply: see [FaultKind.Unheard].
func (e Event) Heard() (Answered, bool) {
	if p, ok := e.Payload.(MemberFaulted); ok && p.Fault.Kind.Unheard() {
		return Answered{}, false
	}
	return e.Answered()
}

// Reply returns the reply that an event records, as the member gave it: a body, or the fault that came instead. A fault
// for which the session was suspended is one too.
func (e Event) Reply() (Reply, bool) {
	p, ok := e.Payload.(interface{ reply() Reply })
	if !ok {
		return Reply{}, false
	}
	r := p.reply()
	return r, r.Ask != ""
}

// Started returns the payload of a session's first event; ok is false for every other event.
func (e Event) Started() (p SessionStarted, ok bool) {
	p, ok = e.Payload.(SessionStarted)
	return p, ok
}

// Body returns the body of the reply that an event records, or nil if it records none or a fault.
func (e Event) Body() Body {
	if _, ok := e.Answered(); !ok {
		return nil
	}
	r, _ := e.Reply()
	return r.Body
}

// Uses counts the calls of tools that a log records of a member.
func Uses(log []Event, id MemberID) int {
	n := 0
	for _, e := range log {
		if a, _ := e.Answered(); e.Actor == id {
			n += len(a.Tools)
		}
	}
	return n
}

// View holds all that a member may know for one ask: the log up to the ask's AsOf, and the state of the protocol. It is
// read-only and does not change while the session goes on.
type View struct {
	Session   SessionID
	Ask       Ask
	Topic     *Topic
	Charter   *Charter
	Seat      *Member    // the member asked
	Seats     []MemberID // all members in turn order
	Phase     *Phase     // nil before the first phase and after the last
	Round     int
	Turn      int
	Motion    *Motion       // the motion to second or vote on, with its amendments
	Proposed  []Proposal    // the amendments to accept or second; the one to vote on
	Question  *Question     // to answer
	MayAsk    bool          // a turn may put a question
	Options   []string      // of a turn: the options that the phase ranks, as they are known; nil for none
	MayAdd    bool          // a turn may add one
	Standing  []MotionID    // the phase's motions in force so far, in order; after it the resolutions
	Blocks    bool          // the draft was approved without the member's YES: its dissent may have blockers
	Undecided bool          // nothing was carried: the summary gives an answer in the place of a decision
	Positions []MemberID    // of a proposal: the members whose positions belong to an answer each
	Draft     *DraftWritten // the draft to vote on, review or revise
	Blockers  []Blocker     // to answer in a revision
	Memory    []Reminder    // for the member: the council's memory, then its own where the phase allows it
	Events    []Event       // the log up to AsOf
}

// Blind reports whether the answer stays sealed until all that were asked with the member have answered.
func (v View) Blind() bool { return blind(v.Ask.Kind, v.Turn) }

// Motion is a motion before the council.
type Motion struct {
	ID         MotionID
	Mover      MemberID
	Title      string
	Text       string
	Decision   string     // the decision if it carries
	Options    []string   // of a choice; nil otherwise
	Of         []MotionID // of a choice between the motions of a round: these, in the order of its options
	Supersedes []MotionID // those that it replaces if it carries
	Seq        Seq        // of the event that made it
}

// Question is a question that a member put in its turn.
type Question struct {
	By, To MemberID
	Text   string
	Seq    Seq // of the event that put it
}

// Wording returns the words of the motion.
func (m *Motion) Wording() Wording {
	return Wording{MotionTitle: m.Title, MotionText: m.Text, DecisionIfPass: m.Decision}
}

// Debated reports whether the question is put in a phase that debates motions before their votes.
func (v View) Debated() bool { return v.Phase != nil && v.Phase.Governance.Debate }

// AsksStance reports whether the answer may name a stance: of a draft there is nothing to prefer.
func (v View) AsksStance() bool {
	return v.Charter.AsksStances() && (v.Ask.Kind == AskPosition || v.Ask.Kind == AskBallot && v.Motion != nil)
}

// ParsePercent reads a number from 0 to 100, with a percent sign or without, as a share from 0 to 1.
func ParsePercent(text string) (share float64, ok bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%")), 64)
	return n / 100, err == nil && n >= 0 && n <= 100
}
