package evaluation

import (
	"encoding/json"

	"github.com/council-engine/council/internal/hostile"
)

// Format is the version of the JSON report; schemas/evaluation.json describes it.
const Format = 1

// Report is what an evaluation found. One of Dataset and Simulation is set.
type Report struct {
	Format     int         `json:"format"`
	Dataset    *Dataset    `json:"dataset,omitempty"`
	Simulation *Simulation `json:"simulation,omitempty"`
}

// Dataset is what a council made of questions with known answers.
type Dataset struct {
	File      string   `json:"file"`
	SHA256    string   `json:"sha256"`
	Questions int      `json:"questions"` // in the file
	Wanted    int      `json:"wanted"`    // of these, those that were to be asked
	Council   string   `json:"council"`
	Stopped   string   `json:"stopped,omitempty"` // why not all were asked, in words
	Summary   Summary  `json:"summary"`
	Results   []Result `json:"results"` // in the order of the file
}

// Simulation is what simulated voters did under each rule.
type Simulation struct {
	Rows []Row `json:"rows"`
}

// Row is one council of simulated voters.
type Row struct {
	Voters
	Theory float64 `json:"theory"` // the probability that a majority is right
	Error  float64 `json:"error"`  // one standard error of a share near that probability
	Shares Shares  `json:"shares"`
}

// Simulate draws the rows of a report.
func Simulate(models []Voters) *Simulation {
	var s Simulation
	for _, m := range models {
		theory := m.Theory()
		s.Rows = append(s.Rows, Row{Voters: m, Theory: theory, Error: StandardError(theory, m.Draws), Shares: m.Simulate()})
	}
	return &s
}

// JSON returns the report for programs.
func (r *Report) JSON() ([]byte, error) {
	doc, err := json.MarshalIndent(r, "", "  ")
	return append(hostile.JSON(doc), '\n'), err
}
