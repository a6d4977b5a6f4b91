package evaluation

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/council-engine/council/council/quorum"
)

// Recorded is the result of panels on recorded answers, or of recorded forecasts.
type Recorded struct {
	File      string     `json:"file"`
	SHA256    string     `json:"sha256"`
	Questions int        `json:"questions"` // in the file; of forecasts under each of its conditions
	Played    int        `json:"played"`    // of these, those that were put to every model of every panel
	Panels    []Panel    `json:"panels,omitempty"`
	Forecasts []Forecast `json:"forecasts,omitempty"`
}

// Panel is the result of models on the questions that were played, one seat each. Every ballot is blind, ranks the
// seat's own answer alone first, and is counted by [quorum.Rule.Choose] over all seats asked.
type Panel struct {
	Models      []string `json:"models"` // in seat order
	Rules       []Ruled  `json:"rules"`
	Missed      float64  `json:"missed"`      // share of the questions on which no model was right
	Correlation float64  `json:"correlation"` // mean φ of two models' errors
	Votes       float64  `json:"votes"`       // it is worth independent votes: n/(1+(n-1)φ); 0 where that has no bound
}

// Ruled is how often a rule decided, and how often it was right then.
type Ruled struct {
	Rule      string  `json:"rule"`
	Questions int     `json:"questions"` // that it was given
	Decided   int     `json:"decided"`   // of these
	Coverage  float64 `json:"coverage"`
	Right     float64 `json:"right"`          // of the questions that it decided
	Over      float64 `json:"over,omitempty"` // with spares: Right over that of the majority of the three
	Answers   float64 `json:"answers"`        // that it asked for on average; of a session, all its questions to members
}

// Shares returns the shares of all questions that were decided rightly, wrongly, and not at all.
func (r Ruled) Shares() [3]float64 {
	return [3]float64{r.Coverage * r.Right, r.Coverage * (1 - r.Right), 1 - r.Coverage}
}

const autoSeats, autoSpares = 3, 2

// rule plays one question.
type rule[Q any] struct {
	name string
	most int // questions that it is given; 0: all
	play func(Q) vote
}

// tally gives questions to rules.
func tally[Q any](rules []rule[Q], questions iter.Seq[Q]) []Ruled {
	rows := make([]Ruled, len(rules))
	for q := range questions {
		for i, rule := range rules {
			row := &rows[i]
			if row.Rule = rule.name; rule.most > 0 && row.Questions == rule.most {
				continue
			}
			v := rule.play(q)
			row.Questions++
			if row.Answers += float64(v.asked); v.decides {
				row.Decided, row.Right = row.Decided+1, row.Right+v.right
			}
		}
	}
	for i := range rows {
		row := &rows[i]
		of := float64(row.Questions)
		row.Coverage, row.Right = float64(row.Decided)/of, row.Right/float64(max(1, row.Decided))
		row.Answers /= of
	}
	return rows
}

// rulesOf returns the rules for a panel.
//
// Pace auto is played without its second round, because recorded answers do not change: one ballot of three seats, and
// where it decides nothing one over them and the next two, their spares.
func rulesOf(models []string) (all []rule[[]answer]) {
	add := func(name string, play func([]answer) vote) { all = append(all, rule[[]answer]{name: name, play: play}) }
	for i, name := range models {
		add(name, func(a []answer) vote { return leaning(a[i : i+1]) })
	}
	add("plurality, leaning", leaning)
	add("plurality, lot", func(a []answer) vote { v := count(a); v.right, v.decides = v.lot, true; return v })
	n := len(models)
	agreed := func(name string, least, most int) {
		add(name, func(a []answer) vote {
			v := count(a)
			v.decides = v.decides && v.votes >= least && v.votes <= most
			return v
		})
	}
	agreed("majority", n/2+1, n)
	agreed("split majority", n/2+1, n-1)
	for k := n/2 + 2; k < n; k++ {
		agreed(fmt.Sprintf("%d of %d", k, n), k, n)
	}
	agreed("unanimous", n, n)
	if n >= autoSeats {
		add("auto", func(a []answer) vote { return count(a[:autoSeats]) })
	}
	if n >= autoSeats+autoSpares {
		spared := func(a []answer) vote {
			if v := count(a[:autoSeats]); v.decides {
				return v
			}
			return count(a[:autoSeats+autoSpares])
		}
		add("auto, 2 spares", spared)
		add("by spares", func(a []answer) vote { v := spared(a); v.decides = v.decides && v.asked > autoSeats; return v })
	}
	return all
}

// Play plays panels of models, each named by its column or its beginning. Forecasts take no panel.
func (r *Recording) Play(panels [][]string) (*Recorded, error) {
	switch {
	case r.models == nil && len(panels) > 0:
		return nil, errors.New("it holds forecasts, of which each condition is a panel of its own: leave --models out")
	case r.models == nil:
		scores := r.score()
		return &Recorded{Questions: scores[0].Questions, Played: scores[0].Questions, Forecasts: scores}, nil
	case len(panels) == 0:
		return nil, errors.New("name the models of a panel with --models; it has " + strings.Join(r.models, ", "))
	}
	played, seats := r.answers, make([][]int, len(panels))
	for i, names := range panels {
		var err error
		if seats[i], err = r.panel(names); err != nil {
			return nil, err
		}
		played = slices.DeleteFunc(slices.Clone(played), func(line []answer) bool {
			return slices.ContainsFunc(seats[i], func(seat int) bool { return line[seat] == unasked })
		})
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
func (r *Recording) play(lines [][]answer, seats []int) (p Panel) {
	given, of := make([][]answer, len(lines)), float64(len(lines)) // by question, then by seat
	for _, seat := range seats {
		p.Models = append(p.Models, r.models[seat])
		for q, line := range lines {
			given[q] = append(given[q], line[seat])
		}
	}
	p.Rules = tally(rulesOf(p.Models), slices.Values(given))
	for i := range p.Rules {
		if row := &p.Rules[i]; row.Rule == "auto, 2 spares" { // after auto without
			row.Over = row.Right - p.Rules[i-1].Right
		}
	}
	wrong := func(seats ...int) (n float64) { // questions on which all of them were wrong
		for _, line := range lines {
			if !slices.ContainsFunc(seats, func(seat int) bool { return line[seat] == 0 }) {
				n++
			}
		}
		return n
	}
	n := float64(len(seats))
	for i, one := range seats {
		for _, other := range seats[:i] {
			a, b := wrong(one), wrong(other)
			if spread := math.Sqrt(a * (of - a) * b * (of - b)); spread > 0 { // neither was always or never right
				p.Correlation += (of*wrong(one, other) - a*b) / spread / (n * (n - 1) / 2)
			}
		}
	}
	p.Missed = wrong(seats...) / of
	if by := 1 + (n-1)*p.Correlation; by > 1e-9 {
		p.Votes = n / by
	}
	return p
}

// right returns 1 for the right answer, and 0 for any other.
func (a answer) right() float64 {
	if a == 0 {
		return 1
	}
	return 0
}

// vote is the count of one ballot.
type vote struct {
	leads   answer  // of equals the earliest seat's
	alone   bool    // it has no equals
	right   float64 // of the answer that leads
	lot     float64 // the same if a lot decided between equals, in expectation
	votes   int
	decides bool // the answer that leads is carried
	asked   int
}

// count counts the ballot on which each seat ranks its own answer alone first, over all seats.
func count(answers []answer) (v vote) {
	var options []answer
	var ballots []quorum.Ranking
	for _, a := range answers {
		if a != unreadable && !slices.Contains(options, a) {
			options = append(options, a)
		}
		if a != unreadable {
			ballots = append(ballots, quorum.Ranking{{slices.Index(options, a)}})
		}
	}
	if len(ballots) == 0 {
		return vote{asked: len(answers)}
	}
	rule := quorum.Rule{Members: len(answers), Threshold: "0.5", CountOf: quorum.Members}
	c := rule.Choose(len(options), ballots)
	none, tied := len(options), 0.0
	leads := options[c.Pair[0]]
	v = vote{leads: leads, right: leads.right(), votes: c.Prefers[c.Pair[0]][none], decides: c.Chosen != nil,
		asked: len(answers)}
	for option, a := range options {
		if c.Prefers[option][none] == v.votes {
			v.lot, tied = v.lot+a.right(), tied+1
		}
	}
	v.lot, v.alone = v.lot/tied, tied == 1
	return v
}

// leaning takes the answer that leads.
func leaning(answers []answer) vote {
	v := count(answers)
	v.decides = true
	return v
}
