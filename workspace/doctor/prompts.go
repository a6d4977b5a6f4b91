package doctor

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// opening is how a session begins, in tokens that are estimated as a session itself estimates them.
type opening struct {
	Documents int   `json:"documents"`
	Prompt    int64 `json:"promptTokens"`  // of the first prompt of a member
	Whole     int64 `json:"openingTokens"` // of the first questions to all members, with their replies

	cost    council.Money // of those whose price is known
	bytes   int64         // of the first prompt of a member
	longest int64         // tokens that a conversation usually grows to
}

// measure writes the first prompt of a session and sizes it up. It makes no call.
func (x *exam) measure(topic council.Topic) error {
	topic.Text = cmp.Or(topic.Text, "?")
	start, err := rules.Open("doctor", topic, *x.c)
	if err != nil {
		return err
	}
	session, err := rules.Replay(rules.Log(start))
	if err != nil {
		return err
	}
	o := &opening{Documents: len(topic.Documents), longest: budget.LongestPrompt(x.c)}
	meter := budget.NewMeter(x.c)
	for i, ask := range session.Ready().Asks {
		if i == 0 { // what members share is nearly all of it, so that one prompt tells what all of them hold
			o.bytes = prompt.NewConversation(prompt.Limits{}).Next(session.View(ask)).Bytes()
			o.Prompt = o.bytes / council.BytesPerToken
		}
		takes := meter.Estimate(ask.Member, ask.Kind, o.bytes)
		o.Whole += takes.Tokens()
		if cost, known := x.c.Cost(ask.Member, takes, false); known {
			o.cost = o.cost.Plus(cost)
		}
	}
	x.opening = o
	return nil
}

// checkBudget finds a budget too small for the first questions: a session reserves their cost and is suspended if the
// rest is too small.
func (x *exam) checkBudget() {
	if b := x.c.Budget.Tokens; b > 0 && b < x.opening.Whole {
		x.find("budget-small:tokens", "/budget/tokens", plural.Thousands(x.opening.Whole), plural.Thousands(b))
	}
	if b := council.Dollars(x.c.Budget.USD); b > 0 && b < x.opening.cost {
		x.find("budget-small:usd", "/budget/usd", x.opening.cost, b)
	}
}

// checkPrices settles what the models cost, and finds a budget in dollars that could not be held.
func (x *exam) checkPrices() {
	err := seat.Price(x.World, x.c)
	if err == nil {
		return
	}
	if use := new(site.Error); errors.As(err, &use) {
		x.find("prices:budget", "/budget/usd", err, use.Hint)
	} else {
		x.find("prices", "/prices", err)
	}
	x.c.Budget.USD = 0 // so that the rest can be looked at
}

// longestToken is the most bytes of a token: English comes near it.
const longestToken = 5

// checkContexts compares the context sizes of all models, from the configuration or their servers, with the prompts
// to come.
func (x *exam) checkContexts() {
	o := x.opening
	for _, m := range x.models {
		set, window := int64(m.ContextWindow), m.Tokens
		if window == 0 || set > 0 && set < window { // the lower one binds
			window = set
		}
		if window == 0 {
			continue
		}
		bounded := m.Model
		bounded.ContextWindow = int(window)
		reply := int64(prompt.ReplyTokens(bounded))
		need := o.Prompt + min(o.longest, prompt.MaxBytes/3) + reply
		held := plural.Thousands(window)
		switch {
		case set > window:
			x.findOf(m, "context-other", "contextWindow", plural.Thousands(set), held, m.larger(set))
		case o.Prompt+reply > window:
			f := x.findOf(m, "context-small", "model", plural.Thousands(o.Prompt), held, m.larger(need),
				plural.Thousands(reply))
			if o.bytes/longestToken+reply <= window { // in some languages it fits
				f.Severity = Costs
			}
		case need > window:
			f := x.findOf(m, "context-tight", "model", plural.Thousands(need), held, m.larger(need))
			if window-o.Prompt-reply < o.longest/4 {
				f.Severity = Costs
			}
		}
	}
}

// larger returns advice on how to give a server a context of so many tokens.
func (m *model) larger(need int64) string {
	const step = 4096
	tokens := (need + step - 1) / step * step
	if m.Most > 0 {
		tokens = min(tokens, m.Most)
	}
	how := map[probe.Kind]string{
		probe.Ollama:   fmt.Sprintf("Start it with OLLAMA_CONTEXT_LENGTH=%d ollama serve", tokens),
		probe.LlamaCpp: fmt.Sprintf("Start it with llama-server --ctx-size %d for each of its --parallel slots", tokens),
		probe.VLLM:     fmt.Sprintf("Start it with vllm serve --max-model-len %d", tokens),
		probe.LMStudio: fmt.Sprintf("Load it by lms load %s --context-length %d", m.Model.Model, tokens),
	}[cmp.Or(m.Report.Window.Server, probe.Kind(m.Provider))]
	const seat = "Seat a model with a larger context."
	switch {
	case how == "":
		return seat
	case m.Most > 0 && m.Most < need:
		return how + ", as far as its memory allows. " + seat
	}
	return how + ", as far as its memory allows."
}
