package doctor

import (
	"errors"

	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/workspace/seat"
)

// CouncilCheck is the result for one council, as JSON has it.
type CouncilCheck struct {
	Council  string          `json:"council"`            // its file, or the ready-made council that it is
	Verdict  Fitness         `json:"verdict"`            // the worst of the following
	Problems config.Problems `json:"problems,omitempty"` // why it cannot be convened
	Findings []Finding       `json:"findings,omitempty"` // doubts about one that can
}

// Fitness is the verdict on a council.
type Fitness string

// The verdicts. A [Wrong] council cannot be convened.
const (
	Fit      Fitness = "fit"
	Doubtful Fitness = "doubtful"
	Wrong    Fitness = "wrong"
)

// CheckCouncil reads a council and names everything that is wrong or doubtful.
func CheckCouncil(one seat.Candidate) CouncilCheck {
	found := CouncilCheck{Council: one.From, Verdict: Wrong}
	if one.Err != nil {
		found.Problems = config.Problems{{Text: one.Err.Error()}}
		return found
	}
	c, err := config.Parse(one.Doc)
	if errors.As(err, &found.Problems) {
		return found
	}
	found.Findings = Sound(&c)
	if len(found.Findings) == 0 {
		found.Verdict = Fit
	} else if found.Findings[0].Severity != Stops { // they are sorted
		found.Verdict = Doubtful
	}
	return found
}
