package evaluation

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// Agreements are the decisions of one evaluation, for the workspace that it was made in.
type Agreements struct {
	Format    int      `json:"format"` // of the report
	Decisions []Agreed `json:"decisions"`
}

// Agreed is the agreement on a decision on a question with a known answer.
type Agreed struct {
	Session council.SessionID `json:"session"`
	Pace    council.Pace      `json:"pace,omitempty"`
	Seats   []string          `json:"seats"` // the model of each seat, sorted
	For     int               `json:"for"`   // seats that asked for what was decided
	Right   bool              `json:"right"` // it was
}

// AgreedIn returns a session's agreement with the result of its question; nil where [minutes.Minutes.Agreement] is.
func AgreedIn(m *minutes.Minutes, r Result) *Agreed {
	a := m.Agreement()
	if a == nil {
		return nil
	}
	return &Agreed{Session: r.Session, Pace: m.Started.Charter.Deliberation.Pace, Seats: a.Seats, For: a.For,
		Right: r.Council.Right}
}

// ParseAgreements reads the decisions of one evaluation.
func ParseAgreements(doc []byte) ([]Agreed, error) {
	var read Agreements
	if err := json.Unmarshal(doc, &read); err != nil {
		return nil, err
	}
	if read.Format != Format || slices.ContainsFunc(read.Decisions, func(a Agreed) bool {
		return a.Session == "" || a.For < 1 || a.For > len(a.Seats)
	}) {
		return nil, errors.New("an evaluation did not write it so")
	}
	return read.Decisions, nil
}

const leastEvaluated = 20 // decisions

// Evaluated counts the decisions at the same pace, with the same models in the seats and as many for the decision, each
// session once. It is nil of fewer than 20.
func (a *Agreed) Evaluated(decisions []Agreed) *minutes.Evaluated {
	var found minutes.Evaluated
	seen := map[council.SessionID]bool{}
	for _, d := range decisions {
		if !seen[d.Session] && d.Pace == a.Pace && d.For == a.For && slices.Equal(d.Seats, a.Seats) {
			if found.Questions++; d.Right {
				found.Right++
			}
			seen[d.Session] = true
		}
	}
	if found.Questions < leastEvaluated {
		return nil
	}
	return &found
}
