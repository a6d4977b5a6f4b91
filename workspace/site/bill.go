package site

import (
	"cmp"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

// Beside is the cost of a session that its log does not record: answers that came too late or wait for a resume, and
// calls that failed or were cut off. The provider still bills them.
type Beside struct {
	Late, Waiting PaidSum // answered
	Failed        PaidSum // asked, and not answered
	Cut           PaidSum // asked and never answered: an estimate, since it may have been billed
}

// PaidSum is the total cost of some calls.
type PaidSum struct {
	Asks int
	council.Amount
}

// ReadBeside reads the cost outside a session's log from the conversations of its members.
func ReadBeside(root *recorder.Root, s *rules.Session) (Beside, error) {
	c, meter := s.Charter(), budget.NewMeter(s.Charter())
	for _, e := range s.Events() {
		if r, ok := e.Answered(); ok {
			meter.Learn(e.Actor, r.Ask.Kind(), r.Usage)
		}
	}
	found, err := root.Unrecorded(s.ID(), s.Events())
	if err != nil {
		return Beside{}, err
	}
	var b Beside
	open := s.Ready().Asks
	for ask, u := range found.Paid {
		sum := &b.Late
		if slices.ContainsFunc(open, func(a council.Ask) bool { return a.ID == ask }) {
			sum = &b.Waiting
		}
		sum.add(c, ask, u, 1)
	}
	for ask, u := range found.Failed {
		b.Failed.add(c, ask, u, 1)
	}
	for ask, times := range found.Cut {
		if u := meter.EstimateRetry(ask); u.Calls > 0 { // else no model was asked
			b.Cut.add(c, ask, u, times)
		}
	}
	return b, nil
}

func (s *PaidSum) add(c *council.Charter, ask council.AskID, u council.Usage, times int) {
	one := c.AmountOf(ask.Member(), u, false)
	if !one.Unknown && one.Tokens == 0 { // no model was asked
		return
	}
	for range times {
		s.Asks++
		s.Amount = s.Plus(one)
	}
}

// Words returns a line for each kind of payment.
func (b Beside) Words() []string {
	var lines []string
	add := func(sum PaidSum, one, many, rest string) {
		if sum.Asks > 0 {
			lines = append(lines, "Also paid for: "+plural.Things(sum.Asks, one, many)+": "+sum.Words()+rest)
		}
	}
	add(b.Late, "answer that came too late to count", "answers that came too late to count", "")
	add(b.Waiting, "answer that counts once the session goes on", "answers that count once the session goes on", "")
	add(b.Failed, "question whose calls failed", "questions whose calls failed", "")
	add(b.Cut, "question that was cut off", "questions that were cut off", ", by an estimate, if that was billed")
	return lines
}

// Words returns the sum as text.
func (s PaidSum) Words() string {
	tokens := plural.Things(s.Tokens, "token")
	if s.Unknown {
		return tokens + ", cost unknown"
	}
	return tokens + ", " + s.Cost.String()
}

// Spending is the cost of some sessions, with the milliseconds that their calls lasted.
type Spending struct {
	council.Amount
	MS int64
}

type spender interface {
	Spent() council.Usage
	Cost() (council.Money, bool)
}

// Add adds the cost of a session, in its log and outside it.
func (s *Spending) Add(one spender, beside Beside) {
	u := one.Spent()
	cost, known := one.Cost()
	s.MS += u.ElapsedMS
	for _, took := range []council.Amount{{Tokens: u.Tokens(), Cost: cost, Unknown: !known}, beside.Late.Amount,
		beside.Waiting.Amount, beside.Failed.Amount, beside.Cut.Amount} {
		s.Amount = s.Plus(took)
	}
}

// Caps limit the cost of one session or of several together. A cap that was given as 0 allows nothing.
type Caps struct {
	Tokens int64
	USD    float64
	Time   time.Duration

	TokensGiven, USDGiven, TimeGiven bool
}

// Given reports whether any cap was given.
func (c Caps) Given() bool { return c.TokensGiven || c.USDGiven || c.TimeGiven }

// Over returns a budget in which the given caps replace its own.
func (c Caps) Over(b council.Budget) council.Budget {
	if c.TokensGiven {
		b.Tokens = c.Tokens
	}
	if c.USDGiven {
		b.USD = c.USD
	}
	if c.TimeGiven {
		b.Minutes = c.Time.Minutes()
	}
	return b
}

// Rest returns the budget of the next session: its own within the rest of the caps. over is the exhausted cap, or "".
func (c Caps) Rest(own council.Budget, s Spending) (b council.Budget, over string) {
	b = own
	if c.Tokens > 0 {
		left := c.Tokens - s.Tokens
		if left <= 0 {
			return b, "the budget of tokens is spent"
		}
		b.Tokens = min(cmp.Or(b.Tokens, left), left)
	}
	if c.USD > 0 {
		left := council.Dollars(c.USD).USD() - s.Cost.USD()
		switch {
		case s.Unknown:
			return b, "what a reply cost is not known, so that a budget in US dollars cannot be held"
		case left < 1e-6:
			return b, "the budget of US dollars is spent"
		}
		b.USD = min(cmp.Or(b.USD, left), left)
	}
	if c.Time > 0 {
		left := c.Time.Minutes() - float64(s.MS)/60_000
		if left <= 0 {
			return b, "the budget of time is spent"
		}
		b.Minutes = min(cmp.Or(b.Minutes, left), left)
	}
	return b, ""
}
