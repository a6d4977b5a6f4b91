package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/verify"
)

type verdictFile struct {
	Session      council.SessionID `json:"session"`
	Events       int               `json:"events"`
	Writer       string            `json:"writer,omitempty"` // the process that writes the session now
	OK           bool              `json:"ok"`
	Integrity    *verdictPart      `json:"integrity,omitempty"`
	Completeness *verdictPart      `json:"completeness,omitempty"`
	Anchored     *verdictReach     `json:"anchored,omitempty"`
	Error        string            `json:"error,omitempty"` // why nothing could be verified
}

// verdictPart is one verdict. Findings are wrong; notes are not.
type verdictPart struct {
	OK     bool           `json:"ok"`
	Checks []verify.Check `json:"checks"`
}

// verdictReach is the third verdict: up to which event anchors vouch; 0 is not anchored, which is not wrong.
type verdictReach struct {
	verdictPart
	Events int      `json:"events"`
	By     []string `json:"by"`
}

func machineVerdict(r verify.Report) verdictFile {
	f := verdictFile{Session: r.Session, Events: r.Events, Writer: r.Writer, OK: r.OK(),
		Integrity: partOf(r, verify.Integrity), Completeness: partOf(r, verify.Completeness)}
	if p := partOf(r, verify.Anchored); p != nil {
		events, by := r.VouchedFor()
		f.Anchored = &verdictReach{verdictPart: *p, Events: events, By: append([]string{}, by...)}
	}
	return f
}

// partOf returns one verdict, or nil where nothing was checked for it.
func partOf(r verify.Report, v verify.Verdict) *verdictPart {
	var p *verdictPart
	for _, c := range r.Checks {
		if c.Verdict != v {
			continue
		}
		if p == nil {
			p = &verdictPart{OK: r.Holds(v)}
		}
		p.Checks = append(p.Checks, c)
	}
	return p
}

var verdictTitles = map[verify.Verdict]string{
	verify.Integrity: "Integrity", verify.Completeness: "Completeness", verify.Anchored: "Anchored",
}

// plainVerdict writes a report for people: a line for each verdict, and under it what was looked at, what is wrong,
// with a dash, and what is worth knowing, in brackets.
func plainVerdict(w io.Writer, r verify.Report) {
	running := ""
	if r.Writer != "" {
		running = ", running (" + hostile.Line(r.Writer) + ")"
	}
	fmt.Fprintf(w, "Session %s, %s%s\n", r.Session, plural.Things(r.Events, "event"), running)
	for _, v := range verify.Verdicts() {
		p := partOf(r, v)
		if p == nil {
			continue
		}
		fmt.Fprintf(w, "  %-13s %s\n", verdictTitles[v]+":", verdictWords(r, v))
		for _, c := range p.Checks {
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

func verdictWords(r verify.Report, v verify.Verdict) string {
	words := "ok"
	if v == verify.Anchored {
		words = "not anchored"
		if events, by := r.VouchedFor(); events > 0 {
			words = fmt.Sprintf("up to event e%d of %d, by %s", events, r.Events, hostile.Line(strings.Join(by, " and ")))
		}
	}
	switch {
	case r.Holds(v):
		return words
	case v == verify.Anchored:
		return "NOT OK; " + words
	}
	return "NOT OK"
}
