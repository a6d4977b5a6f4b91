package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
)

// opening is how a session begins, in tokens that are estimated as a session itself estimates them.
type opening struct {
	Documents int   `json:"documents"`
	Prompt    int64 `json:"promptTokens"`  // of the first prompt of a member
	Whole     int64 `json:"openingTokens"` // of the first questions to all members, with their replies

	cost council.Money // of those whose price is known

	bytes   int64 // of the first prompt of a member
	longest int64 // tokens that a conversation usually grows to
}

// measure writes the first prompt of a session and sizes it up. It makes no call.
func measure(c *council.Charter, topic council.Topic) (opening, error) {
	topic.Text = cmp.Or(topic.Text, "?")
	o := opening{Documents: len(topic.Documents)}
	start, err := rules.Open("doctor", topic, *c)
	if err != nil {
		return o, err
	}
	session, err := rules.Replay(rules.Log(start))
	if err != nil {
		return o, err
	}
	o.longest = budget.LongestPrompt(c)
	meter := budget.NewMeter(c)
	for i, ask := range session.Ready().Asks {
		if i == 0 { // what members share is nearly all of it, so that one prompt tells what all of them hold
			o.bytes = prompt.NewConversation(prompt.Limits{}).Next(session.View(ask)).Bytes()
			o.Prompt = o.bytes / council.BytesPerToken
		}
		takes := meter.Estimate(ask.Member, ask.Kind, o.bytes)
		o.Whole += takes.Tokens()
		if cost, known := c.Cost(ask.Member, takes, false); known {
			o.cost = o.cost.Plus(cost)
		}
	}
	return o, nil
}

// checkBudget finds a budget from which the first questions cannot be paid: a session holds back what they may take,
// and is suspended where that is not left.
func checkBudget(c *council.Charter, o opening, found *findings) {
	if b := c.Budget.Tokens; b > 0 && b < o.Whole {
		found.add(Finding{Code: "budget-small", Severity: Stops, Where: "/budget/tokens",
			Problem: fmt.Sprintf("The first questions to the members take about %s tokens, and the budget is %s.",
				plural.Thousands(o.Whole), plural.Thousands(b)),
			Why: "The session would be suspended before anybody has said a word.",
			Do:  "Raise the budget, or give fewer or shorter documents."})
	}
	if b := c.Budget.USD; b > 0 && council.Dollars(b) < o.cost {
		found.add(Finding{Code: "budget-small", Severity: Stops, Where: "/budget/usd",
			Problem: fmt.Sprintf("The first questions to the members cost about %s, and the budget is %s.", o.cost,
				council.Dollars(b)),
			Why: "The session would be suspended before anybody has said a word.",
			Do:  "Raise the budget, or seat cheaper models."})
	}
}

// checkPrices settles what the models cost, and finds a budget in dollars that could not be held.
func (d Doctor) checkPrices(c *council.Charter, found *findings) {
	err := seating.Price(d.Env, c)
	if err == nil {
		return
	}
	f := Finding{Code: "prices", Severity: Stops, Where: "/prices", Problem: sentence(err.Error()),
		Why: "What a council costs cannot be told, so none is convened.", Do: "Correct the table, or move it away."}
	if use := new(cli.UsageError); errors.As(err, &use) {
		f.Where, f.Why, f.Do = "/budget/usd", "A budget that cannot be held is refused.", use.Hint
	}
	c.Budget.USD = 0 // so that the rest can be looked at
	found.add(f)
}

// windows are what servers said of the contexts of models, by the model as it is configured.
type windows map[server]probe.Window

type server struct{ provider, address, model string }

func serverOf(m council.Model) server { return server{m.Provider, m.BaseURL, m.Model} }

// loadLimit is how long a server may take to say how large a context is. It may have to load the model.
const loadLimit = 2 * time.Minute

// learn asks the servers that can tell how large the contexts of the charter's models are, all at once, and notes in
// the charter what its configuration leaves out. A server that does not answer is passed over: the session will meet
// it.
func (d Doctor) learn(ctx context.Context, c *council.Charter, quietly bool) windows {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	p := &probe.Prober{Transport: d.Transport, Now: d.Now}
	var mu sync.Mutex
	var wait sync.WaitGroup
	found := windows{}
	all, _ := roster(c)
	for _, s := range all {
		if !tells(s.place.Model) {
			continue
		}
		wait.Go(func() {
			leave := func() {}
			w, err := p.Look(ctx, func(client *http.Client) (m member.Model, err error) {
				mu.Lock() // a seat may be made by one goroutine at a time
				defer mu.Unlock()
				if m, leave, err = d.Seat(c, s.place.Model, client); err != nil {
					leave = func() {}
				}
				return m, err
			}, func(server, model string) {
				if !quietly {
					d.Warn("%s loads %s, to tell how much it holds (%s at most).", server, model, loadLimit)
				}
			})
			leave()
			if err == nil {
				mu.Lock()
				found[serverOf(s.place.Model)] = w
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	note := func(m *council.Model) {
		if w := found[serverOf(*m)]; m.ContextWindow == 0 && w.Tokens > 0 {
			m.ContextWindow = int(w.Tokens)
		}
	}
	for i := range c.Members {
		note(&c.Members[i].Model)
		for j := range c.Members[i].Model.Fallbacks {
			note(&c.Members[i].Model.Fallbacks[j])
		}
	}
	return found
}

// tells reports whether the server of a model may say how large its context is, and is asked. Those of the great
// providers hold more than any conversation has. No program is run for its key, and nobody made to log in: they may ask
// a person.
func tells(m council.Model) bool {
	if m.Auth != nil && (m.Auth.Method == "command" || m.Auth.Method == "oauth-device-code") {
		return false
	}
	k := member.ServerKind(m)
	return k.Server() && !k.Roomy
}

// told notes the size of the context that the server tells.
func (s *seen) told(w probe.Window) { s.Window, s.most, s.kind = w.Tokens, w.Most, w.Server }

// checkContexts holds the contexts of all models, as they are configured and as servers told them, against the prompts
// to come.
func checkContexts(c *council.Charter, o opening, told windows, found *findings) {
	all, _ := roster(c)
	for _, s := range all {
		s.told(told[serverOf(s.place.Model)])
		s.checkContext(o, found)
	}
}

// longestToken is the most bytes of a token: English comes near it.
const longestToken = 5

// checkContext holds a model's context against what it will be sent.
func (s *seen) checkContext(o opening, found *findings) {
	m := s.place.Model
	set, window := int64(m.ContextWindow), s.Window
	if window == 0 || set > 0 && set < window { // the lower one binds
		window = set
	}
	if window == 0 {
		return
	}
	m.ContextWindow = int(window)
	reply := int64(prompt.ReplyTokens(m))
	need := o.Prompt + min(o.longest, prompt.MaxBytes/3) + reply
	f := s.finding("", Remark, "model")
	held := plural.Thousands(window)
	switch {
	case set > window:
		f.Code, f.Severity, f.Where = "context-other", Costs, s.field+"/contextWindow"
		f.Problem = fmt.Sprintf("contextWindow says %s tokens, and the server holds %s.", plural.Thousands(set), held)
		f.Why = "Conversations would outgrow it, and what does not fit is cut off or refused."
		f.Do = s.larger(set)
	case o.Prompt+reply > window:
		f.Code, f.Severity = "context-small", Costs
		if o.bytes/longestToken+reply > window { // whatever the language
			f.Severity = s.stops()
		}
		f.Problem = fmt.Sprintf("The first prompt has about %s tokens; with %s for the reply that is more than the model's "+
			"context of %s.",
			plural.Thousands(o.Prompt), plural.Thousands(reply), held)
		f.Why = "It could answer nothing, and would be absent from every vote."
		f.Do = s.larger(need) + " Or give fewer or shorter documents."
	case need > window:
		f.Code = "context-tight"
		if room := window - o.Prompt - reply; room < o.longest/4 {
			f.Severity = Costs
		}
		f.Problem = fmt.Sprintf("In a long session a prompt grows to about %s tokens, and the model holds %s.",
			plural.Thousands(need), held)
		f.Why = "Its conversation starts anew from a digest whenever it is full: of what is older it is told the gist alone."
		f.Do = s.larger(need) + " Or plan fewer rounds."
	default:
		return
	}
	found.add(f)
}

// larger returns advice on how to give a server a context of so many tokens.
func (s *seen) larger(need int64) string {
	const step = 4096
	tokens := (need + step - 1) / step * step
	if s.most > 0 {
		tokens = min(tokens, s.most)
	}
	kind := s.kind
	if kind == "" {
		kind = probe.Kind(s.Provider)
	}
	model := s.place.Model.Model
	words := map[probe.Kind]string{
		probe.Ollama: fmt.Sprintf("Start it with OLLAMA_CONTEXT_LENGTH=%d ollama serve, as far as its memory allows.",
			tokens),
		probe.LlamaCpp: fmt.Sprintf("Start it with llama-server --ctx-size %d for each of its --parallel slots, as far as "+
			"its memory allows.", tokens),
		probe.VLLM: fmt.Sprintf("Start it with vllm serve --max-model-len %d, as far as its memory allows.", tokens),
		probe.LMStudio: fmt.Sprintf("Load it by lms load %s --context-length %d, as far as its memory allows.", model,
			tokens),
	}[kind]
	if words == "" || s.most > 0 && s.most < need {
		words = fmt.Sprintf("%s Seat a model with a larger context.", words)
	}
	return sentence(words)
}
