package evaluation

import (
	"cmp"
	"slices"

	"github.com/council-engine/council/council"
)

// Verdict is one answer to one question. An answer that is not readable is wrong.
type Verdict struct {
	Answer   string `json:"answer"` // empty when none was readable
	Readable bool   `json:"readable"`
	Right    bool   `json:"right"`
}

// Single is what one member answered alone: its sealed position.
type Single struct {
	Member council.MemberID `json:"member"`
	Verdict
	Cost Cost `json:"cost"`
}

// Result is what came of one question.
type Result struct {
	Question  string            `json:"question"` // its id
	Asked     string            `json:"asked"`    // its words
	Expected  string            `json:"expected"`
	Session   council.SessionID `json:"session"`
	Singles   []Single          `json:"singles"`       // in seat order; of all members, absent ones included
	Plurality Verdict           `json:"plurality"`     // of the sealed positions
	Tie       bool              `json:"tie,omitempty"` // it had to be broken: the earlier seat's answer counts
	Council   Verdict           `json:"council"`
	Decided   bool              `json:"decided"` // the council passed a resolution
	Positions Cost              `json:"positions"`
	Whole     Cost              `json:"whole"` // the session, positions included
}

// Cost is what was spent.
type Cost struct {
	Calls  int     `json:"calls"`
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`   // of the replies whose cost is known
	Known  bool    `json:"known"` // whether that is all of them
}

func (c Cost) plus(d Cost) Cost {
	return Cost{Calls: c.Calls + d.Calls, Tokens: c.Tokens + d.Tokens, USD: c.USD + d.USD, Known: c.Known && d.Known}
}

// Judge holds a session against the right answer. A member alone is its sealed position, which it gave before it heard
// anybody. The council's answer is read from the decision of the resolution that it passed last, else from the
// resolution's text: from what was voted on and nothing else.
func Judge(q *Question, s Session) Result {
	r := Result{Question: q.ID, Asked: q.Question, Expected: q.Right(), Session: s.ID()}
	c, seals := s.Charter(), map[council.MemberID]Single{}
	for _, e := range s.Events() {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			seals[e.Actor] = Single{Member: e.Actor, Verdict: verdict(q, p.Position.Position),
				Cost: spent(c, e.Actor, p.Usage, false)}
		case council.MemberFaulted:
			if p.Kind == council.AskPosition {
				seals[e.Actor] = Single{Member: e.Actor, Cost: spent(c, e.Actor, p.Usage, true)}
			}
		}
	}
	r.Positions.Known = true
	for _, id := range c.Seats() {
		single, heard := seals[id]
		if !heard {
			single = Single{Member: id, Cost: Cost{Known: true}}
		}
		r.Singles = append(r.Singles, single)
		r.Positions = r.Positions.plus(single.Cost)
	}
	r.Plurality, r.Tie = plurality(q, r.Singles)
	if o := s.Ready().Outcome; o != nil && o.Last() != nil {
		r.Decided = true
		r.Council = verdict(q, o.Last().Decision)
		if !r.Council.Readable {
			r.Council = verdict(q, o.Last().Text)
		}
	}
	u := s.Spent()
	cost, known := s.Cost()
	r.Whole = Cost{Calls: u.Calls, Tokens: u.Tokens(), USD: cost.USD(), Known: known}
	return r
}

// Session is what is read of a session that is closed.
type Session interface {
	Ready() council.Ready
	ID() council.SessionID
	Charter() *council.Charter
	Events() []council.Event
	Spent() council.Usage
	Cost() (council.Money, bool)
}

func verdict(q *Question, words string) Verdict {
	answer, ok := q.Read(words)
	return Verdict{Answer: answer, Readable: ok, Right: ok && answer == q.Right()}
}

func spent(c *council.Charter, id council.MemberID, u council.Usage, failed bool) Cost {
	cost, known := c.Cost(id, u, failed)
	return Cost{Calls: u.Calls, Tokens: u.Tokens(), USD: cost.USD(), Known: known}
}

// plurality returns the readable answer that most members gave, the earlier seat's among equals.
func plurality(q *Question, singles []Single) (v Verdict, tie bool) {
	votes := map[string]int{}
	var answers []string // in seat order
	for _, s := range singles {
		if !s.Readable {
			continue
		}
		if votes[s.Answer]++; votes[s.Answer] == 1 {
			answers = append(answers, s.Answer)
		}
	}
	if len(answers) == 0 {
		return Verdict{}, false
	}
	slices.SortStableFunc(answers, func(a, b string) int { return cmp.Compare(votes[b], votes[a]) })
	best := answers[0]
	return Verdict{Answer: best, Readable: true, Right: best == q.Right()},
		len(answers) > 1 && votes[answers[1]] == votes[best]
}
