package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder/render"
)

// conclude prints the result of a session, what was written and what to do next, and returns the exit code.
func (a *app) conclude(s sitting, r engine.Result) error {
	say := a.sayer(s.show)
	if r.Suspended != nil && r.Suspended.Kind == council.FaultAwaiting {
		w, err := waitingIn(s.root, s.session)
		if err != nil {
			return err
		}
		a.Warn("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s", w.names(w.open),
			w.line("answer"), w.line("resume"))
		return exitCode(exitSuspended)
	}
	if r.Suspended != nil {
		// Also with --quiet people have to learn that the session did not end.
		a.Warn("The session is suspended: %s Nothing is lost.\nGo on with: %s%s",
			ended(r.Suspended.Error()), cli.CommandLine(s.root, "council resume "+string(s.session.ID())),
			resumeHint(r.Suspended.Kind))
		if words := s.outage.words(); words != "" {
			a.Warn("%s", words)
		}
		s.tellBill(say)
		return exitCode(exitSuspended)
	}
	o, told := r.Outcome, minutes.Of(s.session.Events())
	say("")
	say("%s", terminal.Fold(terminal.Sprintf("%s", terminal.Decision(*o)), terminal.Columns(a.Width)))
	if words := terminal.Document(*o); words != "" {
		say("%s", words)
	}
	if words := terminal.Unanswered(told.Unmet()); words != "" {
		say("%s", words)
	}
	s.tellBill(say)
	if r := told.Receipt(); r != nil {
		say("Change: %s", render.ReceiptLine(r))
	}
	for _, line := range faultLines(told.Faults) {
		say("%s", line)
	}
	say("Record: %s", s.path())
	for _, next := range a.nextSteps(s, *o) {
		say("%s", next)
	}
	if s.show.quiet {
		fmt.Fprintln(a.Out, s.path())
	}
	return outcomeCode(*o)
}

// outcomeCode returns the exit code for the outcome of a session: nil where it decided, and approved the document that
// was asked for.
func outcomeCode(o council.Outcome) error {
	if !o.Decided || o.Documentation == council.DocumentationUnapproved ||
		o.Documentation == council.DocumentationMissing {
		return exitCode(exitNotDecided)
	}
	return nil
}

func (s sitting) tellBill(say func(format string, args ...any)) {
	for _, line := range billLines(s.root, s.session) {
		say("%s", line)
	}
}

// path returns the session's folder, as the user may name it.
func (s sitting) path() string {
	return filepath.ToSlash(s.root.Place(s.session.ID()))
}

// ended returns words as a sentence with a full stop.
func ended(words string) string {
	if strings.HasSuffix(words, "?") || strings.HasSuffix(words, "!") {
		return words
	}
	return strings.TrimRight(words, ". ") + "."
}

// resumeHint returns advice for a suspended session, such as the flags that raise a budget.
func resumeHint(kind council.FaultKind) string {
	if kind == council.FaultBudget {
		return " with a larger budget: --budget-tokens N, --budget-usd N or --budget-time 30m"
	}
	if kind == council.FaultCancelled {
		return ""
	}
	return "\n" + remedy(kind)
}

// faultLines counts the faults by kind, with advice for each.
func faultLines(faults []minutes.Fault) []string {
	count := map[council.FaultKind]int{}
	for _, f := range faults {
		count[f.Fault]++
	}
	var lines []string
	for _, kind := range council.FaultKinds() {
		switch n := count[kind]; {
		case n == 1:
			lines = append(lines, fmt.Sprintf("Fault:  an answer was unusable (%s). %s", kind, remedy(kind)))
		case n > 1:
			lines = append(lines, fmt.Sprintf("Faults: %s unusable (%s). %s", plural.Things(n, "answer was", "answers were"),
				kind, remedy(kind)))
		}
	}
	return lines
}

// nextSteps names the files to read and the command to run.
func (a *app) nextSteps(s sitting, o council.Outcome) []string {
	id := string(s.session.ID())
	document := map[council.DocumentationStatus]string{
		council.DocumentationApproved:   " and documentation.md",
		council.DocumentationUnapproved: " and documentation.unapproved.md",
	}[o.Documentation]
	steps := []string{"Read:   transcript.md" + document + " in that folder, or: " +
		cli.CommandLine(s.root, "council show "+id)}
	h := s.session.Handoff()
	if why := h.Held().Why(); why != "" {
		steps = append(steps, "Brief:  withheld. "+why)
	}
	switch h.Status {
	case council.ExecutionAwaitingApproval:
		steps = append(steps, "Next:   execution-handoff.json waits for your approval: "+
			cli.CommandLine(s.root, "council approve "+id))
	case council.ExecutionCleared, council.ExecutionPermitted:
		steps = append(steps, "Next:   execution-handoff.json is cleared for execution.")
	}
	return steps
}
