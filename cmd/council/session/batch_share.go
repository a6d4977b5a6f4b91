package session

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
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// within returns a session's own budget, narrowed to the rest of the batch's. The caller holds the purse.
func (s *Batched) within(own council.Budget) council.Budget {
	left, _ := s.O.Caps.Rest(own, s.total(s.ID))
	return left
}

// total sums the cost of all sessions but one. The caller holds the purse.
func (b *Batch) total(but council.SessionID) (all site.Spending) {
	for id, one := range b.Spent {
		if id != but {
			all.Amount, all.MS = all.Plus(one.Amount), all.MS+one.MS
		}
	}
	return all
}

// Roster seats the members of the session, on the connections of all.
func (s *Batched) Roster() *seat.Roster {
	s.Mu.Lock() // a worker takes another roster when its policy changes
	defer s.Mu.Unlock()
	r := s.Batch.Roster.ForParallelSession()
	r.Within = s.within
	return r
}

// Interrupt is closed when all sessions are to stop.
func (s *Batched) Interrupt() <-chan struct{} { return s.Batch.Interrupt }

// Left notes how the run left the session.
func (s *Batched) Left(sum recorder.Summary) { s.left = sum }

// Admit is the Admit of a session's budget, within that of the batch: one session is asked at a time, and [within] is
// its budget. When the batch's is short, no further session begins.
func (s *Batched) Admit(session *rules.Session, b *budget.Budget) func([]council.View) *council.Fault {
	return func(views []council.View) (fault *council.Fault) {
		s.purse.Lock()
		defer s.purse.Unlock()
		took := func() { s.Spent[s.ID] = site.Spending{Amount: b.Spent(), MS: session.Spent().ElapsedMS} }
		defer took()
		took()
		if _, over := s.O.Caps.Rest(council.Budget{}, s.total("")); over != "" {
			fault = &council.Fault{Kind: council.FaultBudget, Message: over}
		} else if fault = b.Admit(views); fault == nil || s.within(session.Budget()) == session.Budget() {
			return fault
		}
		fault.Message = "within the budget of the whole batch: " + fault.Message
		s.Mu.Lock()
		defer s.Mu.Unlock()
		s.short = true
		return fault
	}
}

// board returns a view of the batch's progress, on standard error.
func (b *Batch) board() *terminal.View {
	v := &terminal.View{Out: b.Errs, Now: b.Now, Colour: cli.UseColours(b.Env, b.O.Show.Plain), Rows: b.Rows}
	if f, ok := cli.Stream(b.Errs).(*os.File); ok && cli.IsTerminal(f) && b.Getenv("TERM") != "dumb" {
		v.Live = true
		v.Width = func() int { columns, _, _ := term.GetSize(int(f.Fd())); return columns }
		v.Height = func() int { _, rows, _ := term.GetSize(int(f.Fd())); return rows }
	}
	if b.O.Show.Quiet {
		v.Out, v.Live = io.Discard, false
	}
	return v
}

// Rows returns the batch's progress: sessions that ended, and those that run.
func (b *Batch) Rows(columns, rows int) []string {
	b.purse.Lock()
	took := site.PaidSum{Amount: b.total("").Amount}
	b.purse.Unlock()
	b.Mu.Lock()
	defer b.Mu.Unlock()
	lines := []string{fmt.Sprintf("── Batch: %s ──", b.tally())}
	for i, s := range b.Running {
		if more := len(b.Running) - i; i == rows-3 && more > 1 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
			break
		}
		lines = append(lines, fmt.Sprintf("%s · %s · %s", s.Line.Name(), s.Place, b.Now().Sub(s.Since).Round(time.Second)))
	}
	lines = append(lines, fmt.Sprintf("%s · %s · Ctrl-C suspends all", took.Words(),
		b.Now().Sub(b.Began).Round(time.Second)))
	for i, line := range lines {
		lines[i] = terminal.Rows(line, columns)[0]
	}
	return lines
}

// tally counts the sessions by state. The caller holds the batch's mu.
func (b *Batch) tally() string {
	ended := 0
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(b.Ended)) {
		ended += b.Ended[state]
		parts = append(parts, fmt.Sprintf("%d %s", b.Ended[state], state))
	}
	return site.Joined("; ", fmt.Sprintf("%d of %s", ended, plural.Things(b.All, "session")), strings.Join(parts, ", "))
}

// stands puts the session's state on the board; "": that it begins.
func (s *Batched) stands(place string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if place == "" {
		s.Since, s.Running = s.Now(), append(s.Running, s)
	}
	s.Place = hostile.Label(cmp.Or(place, "begins"))
}

// Observe is called with every step of the session.
func (s *Batched) Observe(p engine.Progress) {
	if r, ok := p.(engine.Recorded); ok && r.Event.Round > 0 {
		s.stands(fmt.Sprintf("%s, round %d", r.Event.Phase, r.Event.Round))
		s.View.Changed()
	}
}

// tell writes the result of a session, whose command ended with err. otherwise is its state where the record has none.
func (s *Batched) tell(err error, otherwise minutes.State) {
	r := BatchResult{Line: s.Line.Number, ID: s.Line.ID, Gist: minutes.Gist{State: otherwise}}
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
		sum = s.Root.Summary(s.ID)
	}
	if sum.Events > 0 {
		r.Session, r.Gist, r.Outcome = s.ID, sum.Gist, sum.Outcome
		if sum.Suspended != nil {
			r.Error = cmp.Or(r.Error, sum.Suspended.Error())
		}
	}
	s.JSON(r)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Running = slices.DeleteFunc(s.Running, func(other *Batched) bool { return other == s })
	s.Ended[string(r.State)]++
	byBadness := []int{cli.ExitOK, cli.ExitNotDecided, cli.ExitSuspended, cli.ExitUsage, cli.ExitError, cli.ExitDamaged}
	s.worst = byBadness[max(slices.Index(byBadness, r.ExitCode), slices.Index(byBadness, s.worst))]
	if !s.over() { // else people were told when it closed
		s.View.Say("%s: %s (%s)", s.Line.Name(), site.Joined(". ", string(r.State), r.Error), s.tally())
	}
}

// warn prints a warning of a session's command once.
func (b *Batch) warn(text string) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(b.warned, line) {
			b.warned = append(b.warned, line)
			b.View.Say("%s", line)
		}
	}
}
