package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Batched is a session of a batch: a [Share] of it.
type Batched struct {
	*Batch
	Line  BatchLine
	ID    council.SessionID // "" before it has begun
	Found recorder.Summary  // how an earlier run left it; zero for none
	since time.Time
	place string           // for people, how far the session is; guarded by the batch's mu
	left  recorder.Summary // how this run left it, as far as its result needs it; zero: ask the record
}

// run holds the session, unless the batch is to stop, and returns its result.
func (s *Batched) run(ctx context.Context) BatchResult {
	r := BatchResult{Line: s.Line, Left: recorder.Summary{Gist: minutes.Gist{State: batchFailed}},
		Before: s.Found.Outcome != nil}
	switch {
	case r.Before:
	case s.Stopped():
		r.Err, r.Left.State = ErrBatchStopped, BatchWaiting
	default:
		r.Err = s.Hold(ctx)
	}
	if s.left.Events == 0 {
		s.left = s.Root.Summary(s.ID)
	}
	if s.left.Events > 0 {
		r.Session, r.Left = s.ID, s.left
	}
	return r
}

// Hold convenes or resumes the session, until it is closed or suspended. Of a session that is suspended it prints no
// warnings: the reason is on record.
func (s *Batched) Hold(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	w, warnings := s.World.Apart()
	w.Memory = s.Memory
	s.begin()
	defer s.leave()
	r := s.Line.of(s.Request)
	r.Share, r.Quiet, r.Stdin = s, true, strings.NewReader("")
	var result engine.Result
	if s.Found.Events == 0 && s.Found.Err == nil {
		s.ID = cmp.Or(s.ID, recorder.NamedSessionID(w.Now(), s.Line.Topic, s.Line.Word()))
		r.ID = s.ID
		result, err = ConveneQuietly(ctx, w, &r)
	} else {
		result, err = Resume(ctx, w, &Resumption{Root: r.Root, Session: string(s.ID), Hold: r.Hold}, Quiet{w})
	}
	if err != nil || result.Outcome != nil {
		s.warn(warnings())
	}
	return err
}

// warn prints warnings of a session, each line once for all sessions.
func (b *Batch) warn(lines []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(b.warned, line) {
			b.warned = append(b.warned, line)
			b.Say("%s", line)
		}
	}
}

// within returns a session's own budget, narrowed to the rest of the batch's. The caller holds the purse.
func (s *Batched) within(own council.Budget) council.Budget {
	left, _ := s.Request.Caps.Rest(own, s.total(s.ID))
	return left
}

// total sums the cost of all sessions but one. The caller holds the purse.
func (b *Batch) total(but council.SessionID) (all site.Spending) {
	for id, one := range b.spent {
		if id != but {
			all.Amount, all.MS = all.Plus(one.Amount), all.MS+one.MS
		}
	}
	return all
}

// Roster seats the members of the session, on the connections of all.
func (s *Batched) Roster() *seat.Roster {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.roster.ForParallelSession()
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
		took := func() { s.spent[s.ID] = site.Spending{Amount: b.Spent(), MS: session.Spent().ElapsedMS} }
		defer took()
		took()
		if _, over := s.Request.Caps.Rest(council.Budget{}, s.total("")); over != "" {
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

// Running is the progress of a session that a batch holds.
type Running struct {
	Line  BatchLine
	Place string // phase and round, for people
	Since time.Time
}

// Progress returns the sessions that are held at present, and the cost of all sessions so far.
func (b *Batch) Progress() (running []Running, took council.Amount) {
	b.purse.Lock()
	took = b.total("").Amount
	b.purse.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.running {
		running = append(running, Running{s.Line, s.place, s.since})
	}
	return running, took
}

func (s *Batched) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.place, s.running = s.World.Now(), "begins", append(s.running, s)
}

func (s *Batched) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *Batched) bool { return other == s })
}

// Observe is called with every step of the session.
func (s *Batched) Observe(p engine.Progress) {
	if r, ok := p.(engine.Recorded); ok && r.Event.Round > 0 && s.Changed != nil {
		s.mu.Lock()
		s.place = hostile.Label(fmt.Sprintf("%s, round %d", r.Event.Phase, r.Event.Round))
		s.mu.Unlock()
		s.Changed()
	}
}
