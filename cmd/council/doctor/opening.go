package doctor

import (
	"fmt"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
)

// charactersPerToken is what a token of English text holds, on average. Other languages take more tokens.
const charactersPerToken = 4

// replyTokens is what is kept free for a reply where the configuration sets no bound.
const replyTokens = 4096

// opening is how a session begins, in tokens that are estimated.
type opening struct {
	Documents int   `json:"documents"`
	Prompt    int64 `json:"promptTokens"`  // of the longest first prompt of a member
	Whole     int64 `json:"openingTokens"` // of the first prompts of all members together
}

// measure writes the first prompts of a session and counts them. It makes no call.
func measure(c *council.Charter, topic council.Topic) (opening, error) {
	if topic.Text == "" {
		topic.Text = "?"
	}
	o := opening{Documents: len(topic.Documents)}
	start, err := rules.Open("doctor", topic, *c)
	if err != nil {
		return o, err
	}
	session, err := rules.Replay(rules.Log(start))
	if err != nil {
		return o, err
	}
	asks := session.Ready().Asks
	if len(asks) == 0 {
		return o, nil
	}
	// What members share is nearly all of it, so that one prompt tells what all of them hold.
	p := prompt.NewConversation(prompt.Limits{}).Next(session.View(asks[0]))
	characters := len(p.System.Shared) + len(p.System.Persona)
	for _, m := range p.Messages {
		characters += len(m.Content)
	}
	o.Prompt = int64(characters / charactersPerToken)
	o.Whole = o.Prompt * int64(len(asks))
	return o, nil
}

// checkBudget finds a budget that is spent before the council has begun to talk.
func checkBudget(c *council.Charter, o opening, found *findings) {
	if b := c.Budget.Tokens; b > 0 && b < o.Whole {
		found.add(Finding{Code: "budget-small", Severity: Stops, Where: "/budget/tokens",
			Problem: fmt.Sprintf("The first question to each of the %d members takes about %s tokens, and the budget is %s.",
				len(c.Members), terminal.Thousands(o.Whole), terminal.Thousands(b)),
			Why: "The session would be suspended before anybody has said a word, and the first prompts be paid for nothing.",
			Do:  "Raise the budget, or give fewer or shorter documents."})
	}
}

// grown is how long a conversation may become before it starts again from a digest, in tokens.
const grown = prompt.MaxChars / charactersPerToken

// checkContext holds a model's context against what it will be sent.
func (s *seen) checkContext(o opening, found *findings) {
	window := s.Window
	if window == 0 {
		return
	}
	reply := int64(replyTokens)
	if s.MaxTokens > 0 {
		reply = int64(s.MaxTokens)
	}
	f := s.finding("", Remark, "model")
	switch {
	case o.Prompt+reply > window:
		f.Code, f.Severity = "context-small", s.stops()
		f.Problem = fmt.Sprintf("The first prompt has about %s tokens; with %s for the reply that is more than the model's %s.",
			terminal.Thousands(o.Prompt), terminal.Thousands(reply), terminal.Thousands(window))
		f.Why = "It could answer nothing, and would be absent from every vote."
		f.Do = "Give fewer or shorter documents, or seat a model with a larger context."
	case o.Prompt+grown+reply > window:
		f.Code = "context-tight"
		f.Problem = fmt.Sprintf("In a long session a prompt grows to about %s tokens, and the model holds %s.", terminal.Thousands(o.Prompt+grown), terminal.Thousands(window))
		f.Why = "It may be absent towards the end of a long debate."
		f.Do = "Seat a model with a larger context, or plan fewer rounds."
	default:
		return
	}
	found.add(f)
}
