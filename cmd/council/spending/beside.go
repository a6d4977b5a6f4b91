package spending

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

// Beside is what a session took that no event of its log holds, because an answer came too late to count, waits for the
// session to go on, or was cut off. It is on the provider's bill all the same.
type Beside struct {
	Late, Waiting Sum // answered
	Cut           Sum // put and never answered: nobody knows whether it was billed, so it is estimated
}

// Sum is what some questions took.
type Sum struct {
	Asks    int
	Tokens  int64
	Cost    council.Money
	Unknown bool // the cost is more than that, nobody knows by how much
}

// Read reads what a session took beside its log from the conversations of its members.
func Read(root *recorder.Root, s *rules.Session) (Beside, error) {
	recorded := map[council.AskID]bool{}
	c, meter := s.Charter(), budget.NewMeter(s.Charter())
	for _, e := range s.Events() {
		if a, ok := e.Answered(); ok {
			recorded[a.Ask] = true
			meter.Learn(e.Actor, a.Ask.Kind(), a.Usage)
		}
	}
	found, err := root.Beside(s.ID(), func(ask council.AskID) bool { return recorded[ask] })
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
	for ask, times := range found.Cut {
		if u := meter.Again(ask); u.Calls > 0 { // else no model was asked
			b.Cut.add(c, ask, u, times)
		}
	}
	return b, nil
}

func (s *Sum) add(c *council.Charter, ask council.AskID, u council.Usage, times int) {
	cost, known := c.Cost(ask.Member(), u, false)
	if known && u.Tokens() == 0 { // no model was asked
		return
	}
	for range times {
		s.Asks++
		s.Tokens += u.Tokens()
		s.Cost = s.Cost.Plus(cost)
		s.Unknown = s.Unknown || !known
	}
}

// Bill says in lines what a session has cost so far: by its log, and beside it.
func Bill(root *recorder.Root, s *rules.Session) []string {
	lines := []string{"Cost:   " + Words(s)}
	b, err := Read(root, s)
	if err != nil {
		return append(lines, fmt.Sprintf("Also paid for: unknown: %v", err))
	}
	return append(lines, b.words()...)
}

func (b Beside) words() []string {
	var lines []string
	for _, part := range []struct {
		sum             Sum
		one, many, rest string
	}{
		{b.Late, "answer that came too late to count", "answers that came too late to count", ""},
		{b.Waiting, "answer that counts once the session goes on", "answers that count once the session goes on", ""},
		{b.Cut, "question that was cut off", "questions that were cut off", ", by an estimate, if that was billed"},
	} {
		if n := part.sum.Asks; n > 0 {
			lines = append(lines, "Also paid for: "+plural.Things(n, part.one, part.many)+": "+part.sum.words()+part.rest)
		}
	}
	return lines
}

func (s Sum) words() string {
	tokens := plural.Things(s.Tokens, "token")
	if s.Unknown {
		return tokens + ", cost unknown"
	}
	return tokens + ", " + s.Cost.String()
}
