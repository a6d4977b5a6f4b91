package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/plural"
)

// show shows on standard error how the batch stands, until it is stopped.
func (b *batch) show() (stop func()) {
	b.view = &terminal.View{Out: b.Errs, Now: b.Now, Colour: b.colours(b.o.show.plain), Rows: b.rows}
	if f, ok := stream(b.Errs).(*os.File); ok && isTerminal(f) && b.Getenv("TERM") != "dumb" {
		size := func() (int, int) { columns, rows, _ := term.GetSize(int(f.Fd())); return columns, rows }
		b.view.Live = true
		b.view.Width = func() int { columns, _ := size(); return columns }
		b.view.Height = func() int { _, rows := size(); return rows }
	}
	if b.o.show.quiet {
		b.view.Out, b.view.Live = io.Discard, false
	}
	return b.view.Begin(nil)
}

// rows are how the batch stands: what has ended, what runs, and what it took.
func (b *batch) rows(columns, rows int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, took := b.Now(), paidSum{Amount: b.took}
	lines := []string{fmt.Sprintf("── Batch: %s %s", b.tally(), strings.Repeat("─", columns))}
	for i, s := range b.running {
		if s.gone != nil {
			took.Amount = took.Plus(s.gone())
		}
		if i < rows-3 {
			lines = append(lines, fmt.Sprintf("%s · %s · %s", s.line.name(), s.place, now.Sub(s.since).Round(time.Second)))
		}
	}
	if more := len(b.running) - (rows - 3); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	lines = append(lines, fmt.Sprintf("%s · %s · Ctrl-C suspends all", took.words(), now.Sub(b.began).Round(time.Second)))
	for i, line := range lines {
		lines[i] = terminal.Rows(line, columns)[0]
	}
	return lines
}

// tally counts the sessions by how they stand. The caller holds the batch's mu.
func (b *batch) tally() string {
	ended := 0
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(b.ended)) {
		ended += b.ended[state]
		parts = append(parts, fmt.Sprintf("%d %s", b.ended[state], state))
	}
	return joined("; ", fmt.Sprintf("%d of %s", ended, plural.Things(b.all, "session")), strings.Join(parts, ", "))
}

// begin puts the session on the board.
func (s *batched) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.place = s.Now(), "begins"
	s.running = append(s.running, s)
}

// observe is told of every step of the session.
func (s *batched) observe(p engine.Progress) {
	place := ""
	switch p := p.(type) {
	case engine.Asked:
		place = string(p.Ask.Kind) + " of " + string(p.Ask.Member)
	case engine.Recorded:
		if e := p.Event; e.Round > 0 {
			place = fmt.Sprintf("%s, round %d", e.Phase, e.Round)
		}
	}
	if place != "" {
		s.mu.Lock()
		s.place = terminal.Line(place)
		s.mu.Unlock()
		s.view.Changed()
	}
}

// tell writes the result of a session, whose command ended with err, or which was left waiting.
func (s *batched) tell(err error, held bool) {
	r := batchResult{Line: s.line.number, ID: s.line.ID, Gist: minutes.Gist{State: stateWaiting}}
	switch code := exitCode(0); {
	case !held:
		r.ExitCode, r.Error = exitSuspended, s.stopped()
	case errors.As(err, &code):
		r.ExitCode = int(code)
	case err != nil:
		r.ExitCode, _ = explain(err)
		r.State, r.Error = stateFailed, cutSecrets(err.Error())
	}
	if sum := s.root.Summary(s.id); sum.Events > 0 {
		r.Session, r.Gist, r.Outcome = s.id, sum.Gist, sum.Outcome
		if sum.Suspended != nil {
			r.Error = cmp.Or(r.Error, sum.Suspended.Error())
		}
	}
	s.JSON(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *batched) bool { return other == s })
	if s.gone != nil {
		s.took = s.took.Plus(s.gone())
	}
	s.ended[string(r.State)]++
	if slices.Index(byBadness, r.ExitCode) > slices.Index(byBadness, s.worst) {
		s.worst = r.ExitCode
	}
	if s.over() {
		return // people were told when it closed
	}
	words := string(r.State)
	if r.Outcome != nil && r.Outcome.Last() != nil {
		words += ": " + terminal.Words(r.Outcome.Last().Decision)
	}
	s.view.Say("%s: %s (%s)", s.line.name(), joined(". ", words, r.Error), s.tally())
}

// byBadness are the exit codes, the worst last.
var byBadness = []int{exitOK, exitNotDecided, exitSuspended, exitUsage, exitError, exitDamaged}

// warn tells what the command of a session warned of, each thing once.
func (b *batch) warn(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(b.told, line) {
			b.told = append(b.told, line)
			b.view.Say("%s", line)
		}
	}
}
