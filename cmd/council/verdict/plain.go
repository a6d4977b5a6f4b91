// Package verdict tells people and programs what a verification found.
package verdict

import (
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/verify"
)

// titles are the verdicts in words.
var titles = map[verify.Verdict]string{
	verify.Integrity:    "Integrity",
	verify.Completeness: "Completeness",
	verify.Anchored:     "Anchored",
}

// Plain writes a report for people: a line for each verdict, and under it what was looked at, what is wrong, with a
// dash, and what is worth knowing, in brackets.
func Plain(w io.Writer, r verify.Report) {
	running := ""
	if r.Writer != "" {
		running = ", running (" + hostile.Line(r.Writer) + ")"
	}
	fmt.Fprintf(w, "Session %s, %s%s\n", r.Session, plural.Things(r.Events, "event"), running)
	for _, v := range verify.Verdicts() {
		if !looked(r, v) {
			continue
		}
		fmt.Fprintf(w, "  %-13s %s\n", titles[v]+":", word(r, v))
		for _, c := range r.Checks {
			if c.Verdict != v {
				continue
			}
			fmt.Fprintf(w, "    %s: %s\n", c.Name, hostile.Line(c.Looked))
			for _, finding := range c.Findings {
				fmt.Fprintf(w, "      - %s\n", hostile.Line(finding))
			}
			for _, note := range c.Notes {
				fmt.Fprintf(w, "      (%s)\n", hostile.Line(note))
			}
		}
	}
}

// looked reports whether anything was checked for a verdict.
func looked(r verify.Report, v verify.Verdict) bool {
	for _, c := range r.Checks {
		if c.Verdict == v {
			return true
		}
	}
	return false
}

// word is a verdict in a few words.
func word(r verify.Report, v verify.Verdict) string {
	holds := r.Holds(v)
	if v != verify.Anchored {
		if holds {
			return "ok"
		}
		return "NOT OK"
	}
	events, by := r.VouchedFor()
	reach := "not anchored"
	if events > 0 {
		reach = fmt.Sprintf("up to event e%d of %d, by %s", events, r.Events, hostile.Line(strings.Join(by, " and ")))
	}
	if !holds {
		return "NOT OK; " + reach
	}
	return reach
}
