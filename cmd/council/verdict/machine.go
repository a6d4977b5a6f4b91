package verdict

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/verify"
)

// File is a report as programs read it.
type File struct {
	Session      council.SessionID `json:"session"`
	Events       int               `json:"events"`
	Writer       string            `json:"writer,omitempty"` // the process that writes the session now
	OK           bool              `json:"ok"`
	Integrity    *Part             `json:"integrity,omitempty"`
	Completeness *Part             `json:"completeness,omitempty"`
	Anchored     *Reach            `json:"anchored,omitempty"`
	Error        string            `json:"error,omitempty"` // why nothing could be verified
}

// Part is one verdict. Findings are wrong; notes are not.
type Part struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// Check is one part of a verdict.
type Check struct {
	Name     string   `json:"name"`
	Looked   string   `json:"looked"`
	Findings []string `json:"findings"`
	Notes    []string `json:"notes"`
}

// Reach is the third verdict: up to which event anchors vouch; 0 is not anchored, which is not wrong.
type Reach struct {
	Part
	Events int      `json:"events"`
	By     []string `json:"by"`
}

// Machine returns a report for programs.
func Machine(r verify.Report) File {
	f := File{Session: r.Session, Events: r.Events, Writer: r.Writer, OK: r.OK()}
	if looked(r, verify.Integrity) {
		f.Integrity = part(r, verify.Integrity)
	}
	if looked(r, verify.Completeness) {
		f.Completeness = part(r, verify.Completeness)
	}
	if looked(r, verify.Anchored) {
		events, by := r.VouchedFor()
		f.Anchored = &Reach{Part: *part(r, verify.Anchored), Events: events, By: append([]string{}, by...)}
	}
	return f
}

// Write writes one file as a line.
func (f File) Write(w io.Writer) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return err
	}
	_, err := w.Write(hostile.JSON(line.Bytes()))
	return err
}

func part(r verify.Report, v verify.Verdict) *Part {
	p := &Part{OK: r.Holds(v), Checks: []Check{}}
	for _, c := range r.Checks {
		if c.Verdict == v {
			p.Checks = append(p.Checks, Check{
				Name: c.Name, Looked: c.Looked,
				Findings: append([]string{}, c.Findings...), Notes: append([]string{}, c.Notes...),
			})
		}
	}
	return p
}
