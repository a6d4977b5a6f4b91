package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/verify"
)

// verdictTitles are the verdicts in words.
var verdictTitles = map[verify.Verdict]string{
	verify.Integrity:    "Integrity",
	verify.Completeness: "Completeness",
	verify.Anchored:     "Anchored",
}

// plainVerdict writes a report for people: a line for each verdict, and under it what was looked at, what is wrong, with a
// dash, and what is worth knowing, in brackets.
func plainVerdict(w io.Writer, r verify.Report) {
	running := ""
	if r.Writer != "" {
		running = ", running (" + hostile.Line(r.Writer) + ")"
	}
	fmt.Fprintf(w, "Session %s, %s%s\n", r.Session, plural.Things(r.Events, "event"), running)
	for _, v := range verify.Verdicts() {
		if !wasChecked(r, v) {
			continue
		}
		fmt.Fprintf(w, "  %-13s %s\n", verdictTitles[v]+":", verdictWords(r, v))
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

// wasChecked reports whether anything was checked for a verdict.
func wasChecked(r verify.Report, v verify.Verdict) bool {
	for _, c := range r.Checks {
		if c.Verdict == v {
			return true
		}
	}
	return false
}

// verdictWords is a verdict in a few words.
func verdictWords(r verify.Report, v verify.Verdict) string {
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

// verdictFile is a report as programs read it.
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
	Checks []verdictCheck `json:"checks"`
}

// verdictCheck is one part of a verdict.
type verdictCheck struct {
	Name     string   `json:"name"`
	Looked   string   `json:"looked"`
	Findings []string `json:"findings"`
	Notes    []string `json:"notes"`
}

// verdictReach is the third verdict: up to which event anchors vouch; 0 is not anchored, which is not wrong.
type verdictReach struct {
	verdictPart
	Events int      `json:"events"`
	By     []string `json:"by"`
}

// machineVerdict returns a report for programs.
func machineVerdict(r verify.Report) verdictFile {
	f := verdictFile{Session: r.Session, Events: r.Events, Writer: r.Writer, OK: r.OK()}
	if wasChecked(r, verify.Integrity) {
		f.Integrity = partOf(r, verify.Integrity)
	}
	if wasChecked(r, verify.Completeness) {
		f.Completeness = partOf(r, verify.Completeness)
	}
	if wasChecked(r, verify.Anchored) {
		events, by := r.VouchedFor()
		f.Anchored = &verdictReach{verdictPart: *partOf(r, verify.Anchored), Events: events, By: append([]string{}, by...)}
	}
	return f
}

// write writes one file as a line.
func (f verdictFile) write(w io.Writer) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return err
	}
	_, err := w.Write(hostile.JSON(line.Bytes()))
	return err
}

func partOf(r verify.Report, v verify.Verdict) *verdictPart {
	p := &verdictPart{OK: r.Holds(v), Checks: []verdictCheck{}}
	for _, c := range r.Checks {
		if c.Verdict == v {
			p.Checks = append(p.Checks, verdictCheck{
				Name: c.Name, Looked: c.Looked,
				Findings: append([]string{}, c.Findings...), Notes: append([]string{}, c.Notes...),
			})
		}
	}
	return p
}
