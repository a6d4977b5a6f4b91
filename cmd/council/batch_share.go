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

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/site"
)

// within returns a session's own budget, narrowed to what is left of the batch's. The caller holds the purse.
func (s *batched) within(own council.Budget) council.Budget {
	left, _ := s.o.caps.Rest(own, s.total(s.id))
	return left
}

// total sums what all sessions but one took. The caller holds the purse.
func (b *batch) total(but council.SessionID) (all site.Spending) {
	for id, one := range b.spent {
		if id != but {
			all.Amount, all.Ms = all.Plus(one.Amount), all.Ms+one.Ms
		}
	}
	return all
}

// admit is the Admit of a session's budget, within that of the batch: one session is asked at a time, and [within] is
// its budget. When the batch's is short, no further session begins.
func (s *batched) admit(session *rules.Session, b *budget.Budget) func([]council.View) *council.Fault {
	return func(views []council.View) (fault *council.Fault) {
		s.purse.Lock()
		defer s.purse.Unlock()
		took := func() { s.spent[s.id] = site.Spending{Amount: b.Gone(), Ms: session.Spent().ElapsedMS} }
		defer took()
		took()
		if _, over := s.o.caps.Rest(council.Budget{}, s.total("")); over != "" {
			fault = &council.Fault{Kind: council.FaultBudget, Message: over}
		} else if fault = b.Admit(views); fault == nil || s.within(session.Budget()) == session.Budget() {
			return fault
		}
		fault.Message = "within the budget of the whole batch: " + fault.Message
		s.mu.Lock()
		defer s.mu.Unlock()
		s.short = true
		return fault
	}
}

// board returns a view of how the batch stands, on standard error.
func (b *batch) board() *terminal.View {
	v := &terminal.View{Out: b.Errs, Now: b.Now, Colour: cli.UseColours(b.Env, b.o.show.plain), Rows: b.rows}
	if f, ok := cli.Stream(b.Errs).(*os.File); ok && isTerminal(f) && b.Getenv("TERM") != "dumb" {
		v.Live = true
		v.Width = func() int { columns, _, _ := term.GetSize(int(f.Fd())); return columns }
		v.Height = func() int { _, rows, _ := term.GetSize(int(f.Fd())); return rows }
	}
	if b.o.show.quiet {
		v.Out, v.Live = io.Discard, false
	}
	return v
}

// rows are how the batch stands: what has ended, and what runs.
func (b *batch) rows(columns, rows int) []string {
	b.purse.Lock()
	took := site.PaidSum{Amount: b.total("").Amount}
	b.purse.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := []string{fmt.Sprintf("── Batch: %s ──", b.tally())}
	for i, s := range b.running {
		if more := len(b.running) - i; i == rows-3 && more > 1 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
			break
		}
		lines = append(lines, fmt.Sprintf("%s · %s · %s", s.line.name(), s.place, b.Now().Sub(s.since).Round(time.Second)))
	}
	lines = append(lines, fmt.Sprintf("%s · %s · Ctrl-C suspends all", took.Words(),
		b.Now().Sub(b.began).Round(time.Second)))
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
	return cli.Joined("; ", fmt.Sprintf("%d of %s", ended, plural.Things(b.all, "session")), strings.Join(parts, ", "))
}

// stands puts on the board where the session stands; "": that it begins.
func (s *batched) stands(place string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place == "" {
		s.since, s.running = s.Now(), append(s.running, s)
	}
	s.place = terminal.Line(cmp.Or(place, "begins"))
}

// observe is told of every step of the session.
func (s *batched) observe(p engine.Progress) {
	if r, ok := p.(engine.Recorded); ok && r.Event.Round > 0 {
		s.stands(fmt.Sprintf("%s, round %d", r.Event.Phase, r.Event.Round))
		s.view.Changed()
	}
}

// tell writes the result of a session, whose command ended with err. otherwise is its state where the record has none.
func (s *batched) tell(err error, otherwise minutes.State) {
	r := batchResult{Line: s.line.number, ID: s.line.ID, Gist: minutes.Gist{State: otherwise}}
	switch code := cli.ExitCode(0); {
	case otherwise == stateWaiting:
		r.ExitCode, r.Error = cli.ExitSuspended, "the batch was stopped, or its budget is short"
	case errors.As(err, &code):
		r.ExitCode = int(code)
	case err != nil:
		r.ExitCode, _ = cli.Explain(err)
		r.Error = site.CutSecrets(err.Error())
	}
	sum := s.left
	if sum.Events == 0 {
		sum = s.root.Summary(s.id)
	}
	if sum.Events > 0 {
		r.Session, r.Gist, r.Outcome = s.id, sum.Gist, sum.Outcome
		if sum.Suspended != nil {
			r.Error = cmp.Or(r.Error, sum.Suspended.Error())
		}
	}
	s.JSON(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *batched) bool { return other == s })
	s.ended[string(r.State)]++
	byBadness := []int{cli.ExitOK, cli.ExitNotDecided, cli.ExitSuspended, cli.ExitUsage, cli.ExitError, cli.ExitDamaged}
	s.worst = byBadness[max(slices.Index(byBadness, r.ExitCode), slices.Index(byBadness, s.worst))]
	if !s.over() { // else people were told when it closed
		s.view.Say("%s: %s (%s)", s.line.name(), cli.Joined(". ", string(r.State), r.Error), s.tally())
	}
}

// warn tells what the command of a session warned of, each thing once.
func (b *batch) warn(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(b.warned, line) {
			b.warned = append(b.warned, line)
			b.view.Say("%s", line)
		}
	}
}
