package doctor

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
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

// checkBudget finds a budget from which the first questions cannot be paid: a session holds back what they may take, and
// is suspended where that is not left.
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
			Problem: fmt.Sprintf("The first questions to the members cost about %s, and the budget is %s.", o.cost, council.Dollars(b)),
			Why:     "The session would be suspended before anybody has said a word.",
			Do:      "Raise the budget, or seat cheaper models."})
	}
}

// checkPrices settles what the models cost, and finds a budget in dollars that could not be held.
func (d Doctor) checkPrices(c *council.Charter, found *findings) {
	err := seating.Price(d.Env, c)
	if err == nil {
		return
	}
	f := Finding{Code: "prices", Severity: Stops, Where: "/prices", Problem: sentence(err.Error()),
		Why: "What a council costs cannot be told, so none is convened.", Do: "Mend the table, or move it away."}
	if use := new(cli.UsageError); errors.As(err, &use) {
		f.Where, f.Why, f.Do = "/budget/usd", "A budget that cannot be held is refused.", use.Hint
	}
	c.Budget.USD = 0 // so that the rest can be looked at
	found.add(f)
}
