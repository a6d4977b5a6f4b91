package evaluation

import (
	"cmp"
	"math"

	"github.com/council-engine/council/council"
)

// Verdict is one answer to one question. An answer that is not readable is wrong.
type Verdict struct {
	Answer   string `json:"answer"` // empty when none was readable
	Readable bool   `json:"readable"`
	Right    bool   `json:"right"`
}

// Single is one member's answer alone: its sealed position.
type Single struct {
	Member council.MemberID `json:"member"`
	Verdict
	Cost Cost `json:"cost"`
}

// Result is the result of one question.
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

// Cost sums up usage and money.
type Cost struct {
	Calls  int     `json:"calls"`
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`   // of the replies whose cost is known
	Known  bool    `json:"known"` // whether that is all of them
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.Calls + d.Calls, c.Tokens + d.Tokens, c.USD + d.USD, c.Known && d.Known}
}

// Judge compares a session with the right answer. A member alone is its sealed position, which it gave before it heard
// anybody. The council's answer is read from the decision of the resolution that it passed last, else from the
// resolution's text, and from nothing that was not voted on.
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
		single := cmp.Or(seals[id], Single{Member: id, Cost: Cost{Known: true}})
		r.Singles = append(r.Singles, single)
		r.Positions = r.Positions.plus(single.Cost)
	}
	r.Plurality, r.Tie = plurality(r.Singles)
	if o := s.Ready().Outcome; o != nil && !o.Rehearsed && o.Last() != nil {
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

// Session is a closed session, as far as it is read.
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
func plurality(singles []Single) (v Verdict, tie bool) {
	votes := map[string]int{}
	for _, s := range singles {
		if s.Readable {
			votes[s.Answer]++
		}
	}
	for _, s := range singles {
		if votes[s.Answer] > votes[v.Answer] {
			v = s.Verdict
		}
	}
	for answer, n := range votes {
		tie = tie || answer != v.Answer && n == votes[v.Answer]
	}
	return v, tie
}

// Summary adds up all questions.
type Summary struct {
	Questions int      `json:"questions"` // of which the session is closed
	Members   []Member `json:"members"`   // each alone, in seat order
	// all members' single answers; the interval is as wide as if all always answered alike
	Single    Share `json:"single"`
	Plurality Share `json:"plurality"`
	Council   Share `json:"council"`
	Ties      int   `json:"ties"`      // pluralities that the earlier seat decided
	Undecided int   `json:"undecided"` // sessions without a resolution

	ToPlurality Change `json:"toPlurality"` // from each single answer to the plurality
	ToCouncil   Change `json:"toCouncil"`   // from the plurality to the council
	Throughout  Change `json:"throughout"`  // from each single answer to the council

	// Sign is the probability that ToCouncil is at least as uneven by chance alone: the exact sign test. The other
	// changes have none, because several members' answers to one question are not independent.
	Sign float64 `json:"sign"`

	SingleCost    Cost `json:"singleCost"`    // of one member alone, the mean over members, all questions
	PluralityCost Cost `json:"pluralityCost"` // of all sealed positions
	CouncilCost   Cost `json:"councilCost"`   // of the whole sessions
}

// Member is one member alone.
type Member struct {
	Member council.MemberID `json:"member"`
	Model  string           `json:"model"` // as configured: provider/model
	Share
	Cost Cost `json:"cost"`
}

// Share is how many of the answers were right. Those that could not be read count as wrong.
type Share struct {
	Right      int     `json:"right"`
	Of         int     `json:"of"`
	Unreadable int     `json:"unreadable"`
	Accuracy   float64 `json:"accuracy"` // 0 to 1
	Low        float64 `json:"low"`      // Wilson's 95 % interval
	High       float64 `json:"high"`
}

// Change counts answers that one rule got wrong and another right, and the other way round.
type Change struct {
	Better int `json:"better"`
	Worse  int `json:"worse"`
}

// Summarise adds up the results of one council.
func Summarise(c *council.Charter, results []Result) Summary {
	s := Summary{Questions: len(results), PluralityCost: Cost{Known: true}, CouncilCost: Cost{Known: true}}
	for _, id := range c.Seats() {
		m := c.Member(id)
		s.Members = append(s.Members,
			Member{Member: id, Model: m.Model.Name(), Cost: Cost{Known: true}})
	}
	for _, r := range results {
		for i, one := range r.Singles {
			s.Members[i].count(one.Verdict)
			s.Members[i].Cost = s.Members[i].Cost.plus(one.Cost)
			s.Single.count(one.Verdict)
			s.ToPlurality.count(one.Right, r.Plurality.Right)
			s.Throughout.count(one.Right, r.Council.Right)
		}
		s.Plurality.count(r.Plurality)
		s.Council.count(r.Council)
		s.ToCouncil.count(r.Plurality.Right, r.Council.Right)
		if r.Tie {
			s.Ties++
		}
		if !r.Decided {
			s.Undecided++
		}
		s.PluralityCost = s.PluralityCost.plus(r.Positions)
		s.CouncilCost = s.CouncilCost.plus(r.Whole)
	}
	for i := range s.Members {
		s.Members[i].finish(s.Questions)
	}
	for _, share := range []*Share{&s.Single, &s.Plurality, &s.Council} {
		share.finish(s.Questions)
	}
	s.Sign = signTest(s.ToCouncil.Better, s.ToCouncil.Worse)
	s.SingleCost = s.PluralityCost
	if n := len(s.Members); n > 0 {
		s.SingleCost.Calls /= n
		s.SingleCost.Tokens /= int64(n)
		s.SingleCost.USD /= float64(n)
	}
	return s
}

func (s *Share) count(v Verdict) {
	s.Of++
	if v.Right {
		s.Right++
	}
	if !v.Readable {
		s.Unreadable++
	}
}

func (s *Share) finish(questions int) {
	if s.Of > 0 {
		s.Accuracy = float64(s.Right) / float64(s.Of)
	}
	s.Low, s.High = Wilson(s.Accuracy, questions)
}

func (c *Change) count(before, after bool) {
	switch {
	case after && !before:
		c.Better++
	case before && !after:
		c.Worse++
	}
}

// Wilson returns the 95 % score interval of a share p of n independent answers: the true shares that it does not
// contradict (Wilson 1927). Of nothing it is everything.
func Wilson(p float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	m := float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}

// signTest returns the two-sided exact probability of at least so uneven a split of better and worse by fair coins.
func signTest(better, worse int) float64 {
	n, k := better+worse, min(better, worse)
	sum := 0.0
	for i := range k + 1 {
		sum += math.Exp(choose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}
