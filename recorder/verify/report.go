package verify

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/anchor"
)

// Verdict is one of the three results of a verification. Each check counts towards one.
type Verdict string

// DerivedFiles names the check of the files that are rendered from the log. They can be rendered again.
const DerivedFiles = "files"

// The three verdicts.
const (
	Integrity    Verdict = "integrity"
	Completeness Verdict = "completeness"
	Anchored     Verdict = "anchored"
)

// Verdicts lists all verdicts in the order in which they are reported.
func Verdicts() []Verdict { return []Verdict{Integrity, Completeness, Anchored} }

// Report lists what a verification compared and what it found.
type Report struct {
	Session council.SessionID
	Events  int
	Writer  string // the process that writes the session at this time; "" if none does
	Checks  []Check
	Torn    []string           // the files whose last append was cut off
	Anchors []anchor.Judgement // every anchor that was found
}

// Check is one part of a verification.
type Check struct {
	Verdict  Verdict  `json:"verdict"`
	Name     string   `json:"name"`
	Looked   string   `json:"looked"`   // what was compared, in one sentence
	Findings []string `json:"findings"` // what is wrong, each a plain sentence; none when all is well
	Notes    []string `json:"notes"`    // what is worth knowing and not wrong
}

// OK reports whether nothing is wrong.
func (r Report) OK() bool {
	return !slices.ContainsFunc(Verdicts(), func(v Verdict) bool { return !r.Holds(v) })
}

// Holds reports whether nothing is wrong as far as one verdict goes. A session without an anchor is not wrong.
func (r Report) Holds(v Verdict) bool {
	return !slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Verdict == v && len(c.Findings) > 0 })
}

// Damage returns what is wrong with the record itself: every finding but those on files that can be rendered again.
func (r Report) Damage() []string {
	var found []string
	for _, c := range r.Checks {
		if c.Name != DerivedFiles {
			found = append(found, c.Findings...)
		}
	}
	return found
}

// VouchedFor returns the number of events, from the first, for which an anchor vouches, and the sources of
// these anchors.
func (r Report) VouchedFor() (events int, by []string) { return anchor.Reach(r.Anchors) }

func (c *Check) find(format string, args ...any) {
	c.Findings = append(c.Findings, fmt.Sprintf(format, args...))
}

func (c *Check) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}
