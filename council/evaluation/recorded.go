package evaluation

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// Recorded is the result of panels on recorded answers, or of recorded forecasts.
type Recorded struct {
	File      string     `json:"file"`
	SHA256    string     `json:"sha256"`
	Questions int        `json:"questions"` // in the file
	Played    int        `json:"played"`    // of these, those that were put to every model of every panel
	Panels    []Panel    `json:"panels,omitempty"`
	Forecasts []Forecast `json:"forecasts,omitempty"`
}

// Panel is the result of models on the questions that were played, one seat each. Every ballot is blind, ranks the
// seat's own answer alone first, and is counted by [quorum.Rule.Choose] over all seats asked.
type Panel struct {
	Models    []string  `json:"models"`    // in seat order
	Alone     []Share   `json:"alone"`     // each model alone
	Leaning   Share     `json:"leaning"`   // the plurality; a tie goes to the earliest seat
	Lot       float64   `json:"lot"`       // the plurality where a lot breaks ties, in expectation
	Agreement []Decided `json:"agreement"` // from a majority to all seats: where at least so many agree
	Split     Decided   `json:"split"`     // by a majority that is not unanimous
	Missed    float64   `json:"missed"`    // share of the questions on which no model was right

	// Correlation is the mean φ of two models' errors, and Votes are as many independent votes as the panel is worth by
	// it: n/(1+(n-1)φ); 0 where that has no bound.
	Correlation float64 `json:"correlation"`
	Votes       float64 `json:"votes"`

	Auto []Auto `json:"auto,omitempty"` // of its first three seats, without spares and with the next two
}

// Decided is how often a rule decided, and how often it was right then.
type Decided struct {
	Share
	Seats    int     `json:"seats,omitempty"`
	Coverage float64 `json:"coverage"` // the share of the questions that it decided
}

// Auto is the result of the pace auto without a second round, because recorded answers do not change: one ballot of
// three seats, and where they decide nothing one over them and their spares.
type Auto struct {
	Decided
	Spares   int     `json:"spares"`
	Over     float64 `json:"over"`     // how much more often it was right than the majority of the three
	Answers  float64 `json:"answers"`  // asked for on average
	BySpares Decided `json:"bySpares"` // where the three alone decided nothing
}

const (
	autoSeats  = 3
	autoSpares = 2
)

// Play plays panels of models, each named by its column or a beginning that no other has. Recorded forecasts need no
// panel: their conditions are theirs. Errors are for people.
func (r *Recording) Play(panels [][]string) (*Recorded, error) {
	if len(r.forecasts) > 0 {
		if len(panels) > 0 {
			return nil, errors.New("it holds forecasts, of which each condition is a panel of its own: leave --models out")
		}
		return r.score(), nil
	}
	if len(panels) == 0 {
		return nil, errors.New("name the models of a panel with --models; it has " + strings.Join(r.models, ", "))
	}
	seats := make([][]int, len(panels))
	for i, names := range panels {
		var err error
		if seats[i], err = r.panel(names); err != nil {
			return nil, err
		}
	}
	var played [][]answer
	wanted := slices.Concat(seats...)
	for _, line := range r.answers {
		if !slices.ContainsFunc(wanted, func(seat int) bool { return line[seat] == unasked }) {
			played = append(played, line)
		}
	}
	if len(played) == 0 {
		return nil, errors.New("no question was put to all models of the panels")
	}
	found := &Recorded{Questions: len(r.answers), Played: len(played)}
	for _, panel := range seats {
		found.Panels = append(found.Panels, r.play(played, panel))
	}
	return found, nil
}

// play plays one panel.
func (r *Recording) play(lines [][]answer, seats []int) Panel {
	n := len(seats)
	p := Panel{Alone: make([]Share, n)}
	for _, seat := range seats {
		p.Models = append(p.Models, r.models[seat])
	}
	for agree := n/2 + 1; agree <= n; agree++ {
		p.Agreement = append(p.Agreement, Decided{Seats: agree})
	}
	together := make([]int, n*n) // questions on which two models were both wrong
	given := make([][]answer, len(lines))
	for q, line := range lines {
		answers := make([]answer, n)
		for i, seat := range seats {
			answers[i] = line[seat]
			p.Alone[i].count(answers[i].verdict())
		}
		given[q] = answers
		v := count(answers)
		p.Leaning.count(v.leading.verdict())
		p.Lot += v.lot
		if v.carried {
			for i := range p.Agreement[:v.votes-n/2] {
				p.Agreement[i].count(v.leading.verdict())
			}
			if v.votes < n {
				p.Split.count(v.leading.verdict())
			}
		}
		if !slices.Contains(answers, 0) {
			p.Missed++
		}
		for i, a := range answers {
			for j, b := range answers {
				if a != 0 && b != 0 {
					together[i*n+j]++
				}
			}
		}
	}
	p.Lot /= float64(len(lines))
	p.Missed /= float64(len(lines))
	for i := range p.Alone {
		p.Alone[i].finish(len(lines))
	}
	p.Leaning.finish(len(lines))
	for i := range p.Agreement {
		p.Agreement[i].finish(len(lines))
	}
	p.Split.finish(len(lines))
	p.Correlation = correlation(together, n, len(lines))
	if by := 1 + float64(n-1)*p.Correlation; by > 1e-9 {
		p.Votes = float64(n) / by
	}
	if n >= autoSeats {
		p.Auto = append(p.Auto, auto(given, 0))
	}
	if n >= autoSeats+autoSpares {
		p.Auto = append(p.Auto, auto(given, autoSpares))
	}
	return p
}

// auto plays the pace auto with so many spares.
func auto(given [][]answer, spares int) Auto {
	a := Auto{Spares: spares}
	var majority Decided // of the three
	asked := 0
	for _, answers := range given {
		asked += autoSeats
		v := count(answers[:autoSeats])
		if v.carried {
			majority.count(v.leading.verdict())
		} else if spares > 0 {
			asked += spares
			if v = count(answers[:autoSeats+spares]); v.carried {
				a.BySpares.count(v.leading.verdict())
			}
		}
		if v.carried {
			a.count(v.leading.verdict())
		}
	}
	for _, d := range []*Decided{&a.Decided, &a.BySpares, &majority} {
		d.finish(len(given))
	}
	a.Over = a.Accuracy - majority.Accuracy
	a.Answers = float64(asked) / float64(len(given))
	return a
}

func (a answer) verdict() Verdict { return Verdict{Readable: a != unreadable, Right: a == 0} }

func (d *Decided) finish(questions int) {
	d.Share.finish(d.Of)
	d.Coverage = float64(d.Of) / float64(questions)
}

// vote is the count of one ballot.
type vote struct {
	leading answer // unreadable if no seat has a readable answer
	votes   int    // for it
	carried bool
	lot     float64 // the probability that a lot between the answers with as many votes draws the right one
}

// count counts the ballot on which each seat ranks its own answer alone first, over all seats.
func count(answers []answer) vote {
	var options []answer
	var ballots []quorum.Ranking
	for _, a := range answers {
		if a == unreadable {
			continue
		}
		option := slices.Index(options, a)
		if option < 0 {
			option, options = len(options), append(options, a)
		}
		ballots = append(ballots, quorum.Ranking{{option}})
	}
	if len(ballots) == 0 {
		return vote{leading: unreadable}
	}
	rule := quorum.Rule{Members: len(answers), Threshold: "0.5", CountOf: quorum.Members}
	c := rule.Choose(len(options), ballots)
	votes := func(option int) int { return c.Prefers[option][len(options)] } // above none of these
	v := vote{leading: options[c.Pair[0]], votes: votes(c.Pair[0]), carried: c.Chosen != nil}
	right, tied := 0, 0
	for option, a := range options {
		if votes(option) == v.votes {
			tied++
			if a == 0 {
				right++
			}
		}
	}
	v.lot = float64(right) / float64(tied)
	return v
}

// correlation returns the mean φ of all pairs of n models, where together[i*n+j] counts the questions on which i and j
// were both wrong. A model that was always right, or never, correlates with none.
func correlation(together []int, n, questions int) float64 {
	sum, pairs := 0.0, 0.0
	of := float64(questions)
	for i := range n {
		for j := range i {
			both, a, b := float64(together[i*n+j]), float64(together[i*n+i]), float64(together[j*n+j])
			if spread := math.Sqrt(a * (of - a) * b * (of - b)); spread > 0 {
				sum += (of*both - a*b) / spread
			}
			pairs++
		}
	}
	return sum / max(1, pairs)
}
