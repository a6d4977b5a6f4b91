package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Batch holds many sessions in one process. Each is convened or resumed as by a command of its own, and shares with the
// others the connections and limits of servers, the ledger, the stop and one budget.
type Batch struct {
	World     *site.World
	Request   Request         // for every session, unless its line differs; the caps are for all together
	Changed   func()          // is called when a session gets further; nil: nothing is
	Interrupt <-chan struct{} // closed when the batch is to stop

	Root   *recorder.Root     // once it is open
	Memory *site.SharedMemory // likewise

	purse sync.Mutex
	spent map[council.SessionID]site.Spending // guarded by purse; with the most that calls in flight may cost

	mu      sync.Mutex // guards the following
	roster  *seat.Roster
	short   bool       // the budget is
	running []*Batched // in the order in which they began
	warned  []string   // warnings of sessions, each once
}

// BatchResult is the result of a session of a batch.
type BatchResult struct {
	Line    BatchLine
	Session council.SessionID // "" where none has begun
	Left    recorder.Summary  // of its record; without one only the state is set
	Before  bool              // it was closed by an earlier run
	Err     error
}

// The states of sessions of a batch that have no record.
const (
	BatchWaiting minutes.State = "waiting" // the batch was stopped before it began
	batchFailed  minutes.State = "failed"  // it could not begin
)

// ErrBatchStopped is the error of the sessions that did not begin before a batch was stopped.
var ErrBatchStopped = errors.New("the batch was stopped, or its budget is short")

// Open opens the record in a folder, with memory, and seats models. The caller closes the batch, also after an error.
func (b *Batch) Open(folder string) (err error) {
	b.Request.Root, b.spent = folder, map[council.SessionID]site.Spending{}
	if b.Root, err = recorder.OpenRoot(folder, b.World.Layer); err != nil {
		return err
	}
	b.Memory = &site.SharedMemory{Root: b.Root}
	b.Reseat()
	return nil
}

// Reseat has sessions that begin from now on follow the policy as it is now.
func (b *Batch) Reseat() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.roster != nil {
		b.roster.Close()
	}
	b.roster = seat.RosterOf(b.World, b.Root.Path())
	b.roster.Remember(b.Root.Files())
}

// Close closes the record and the connections.
func (b *Batch) Close() {
	if b.roster != nil {
		b.roster.Close()
	}
	if b.Root != nil {
		b.Root.Close()
	}
}

// Prepare checks the lines before any session begins, opens the record, and finds the sessions of earlier runs. trust
// asks the person whether to trust the councils.
func (b *Batch) Prepare(ctx context.Context, lines []BatchLine, trust seat.TrustGate) (todo []*Batched, err error) {
	ready := map[string]*Plan{}
	for _, l := range lines {
		r := l.of(b.Request)
		key := strings.Join([]string{r.Council, r.Config, r.Pace, r.Output}, "\x00")
		err := SetOptions(&council.Charter{}, r.Options)
		if err == nil && ready[key] == nil {
			r.Context, r.Trust = documents.Request{}, trust
			ready[key], err = b.ready(ctx, &r)
		}
		if err != nil {
			return nil, l.wrong(err)
		}
		b.Request.Root = ready[key].Charter.Storage.RootDir // the first council's is that of all
		todo = append(todo, &Batched{Batch: b, Line: l, plan: ready[key]})
	}
	if err := b.Open(b.Request.Root); err != nil {
		return nil, err
	}
	for _, p := range ready {
		w, err := b.World.OpenMemory(b.Root, &p.Charter)
		if err == nil {
			err = b.World.FinishMemory(ctx, w)
		}
		if err != nil {
			return nil, err
		}
	}
	registry.NoteUse(b.World, b.Root)
	if err := b.find(todo); err != nil {
		return nil, err
	}
	return todo, b.passEstimate(ctx, todo)
}

// ready returns the plan of a line's council, without documents, once nothing keeps it from convening.
func (b *Batch) ready(ctx context.Context, r *Request) (*Plan, error) {
	p, err := NewPlan(ctx, b.World, r)
	if err == nil {
		err = seat.Affordable(&p.Charter, council.Budget{USD: b.Request.Caps.USD})
	}
	if err == nil {
		err = p.Admit(ctx, b.World, r)
	}
	if err != nil {
		return nil, err
	}
	if p.Chosen != "" && !r.Quiet {
		b.World.Notice("%s", p.Chosen)
	}
	return p, nil
}

// find finds the sessions that earlier runs began, and their cost if the batch has a budget.
func (b *Batch) find(todo []*Batched) error {
	lawful, err := b.World.Policy(b.Root.Path())
	ids, failed := b.Root.IDs()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	byWord := map[string]council.SessionID{}
	for _, id := range ids {
		byWord[id.Word()] = id
	}
	for _, s := range todo {
		if s.ID = byWord[s.Line.Word()]; s.ID == "" {
			continue
		}
		topic := council.Topic{Text: s.Line.Topic}
		site.CutTopic(&topic, lawful.Redactions()...)
		s.Found = b.Root.Summary(s.ID)
		if s.Found.Events > 0 && s.Found.Topic != topic.Text && s.Line.ID != "" {
			return s.Line.wrong(site.Refuse("its id is that of session "+string(s.ID)+", which is on another topic",
				"Give the line another id. Nothing was begun."))
		}
		if b.Request.Caps.Given() && s.Found.Events > 0 && s.Found.Err == nil {
			session, err := site.Replay(b.Root, s.ID)
			if err != nil {
				return err
			}
			beside, err := site.ReadBeside(b.Root, session)
			if err != nil {
				return err
			}
			var took site.Spending
			took.Add(session, beside)
			b.spent[s.ID] = took
		}
	}
	return nil
}

// Run holds sessions, at most jobs of them at once, and calls ended with the result of each, from several goroutines.
// Closed sessions are left as they are. Once the batch is to stop, no further session begins.
func (b *Batch) Run(ctx context.Context, todo []*Batched, jobs int, ended func(BatchResult)) {
	var all sync.WaitGroup
	next := make(chan *Batched)
	for range min(jobs, len(todo)) {
		all.Go(func() {
			for s := range next {
				ended(s.run(ctx))
			}
		})
	}
	for _, s := range todo {
		select {
		case next <- s:
		case <-b.Interrupt:
			ended(s.run(ctx))
		}
	}
	close(next)
	all.Wait()
}

// Stopped reports whether no further session begins.
func (b *Batch) Stopped() bool {
	select {
	case <-b.Interrupt:
		return true
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.short
}

// Batched is a session of a batch.
type Batched struct {
	*Batch
	Line  BatchLine
	plan  *Plan             // of the line's council, without its documents
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

// Hold convenes or resumes the session until it is closed or suspended, and prints no warnings of a suspended one.
func (s *Batched) Hold(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	w, warnings := s.World.Apart()
	w.Memory = s.Memory
	s.mu.Lock()
	s.since, s.place, s.running = w.Now(), "begins", append(s.running, s)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running = slices.DeleteFunc(s.running, func(other *Batched) bool { return other == s })
	}()
	r := s.Line.of(s.Request)
	r.Share, r.Quiet, r.Context.Stdin, r.Confirm = s, true, strings.NewReader(""), nil
	var result engine.Result
	if s.Found.Events == 0 && s.Found.Err == nil {
		s.ID = cmp.Or(s.ID, recorder.NamedSessionID(w.Now(), s.Line.Topic, s.Line.Word()))
		r.ID = s.ID
		result, err = ConveneQuietly(ctx, w, &r)
	} else {
		result, err = Resume(ctx, w, &Resumption{Root: r.Root, Session: string(s.ID), Hold: r.Hold}, Quiet{w})
	}
	if err != nil || result.Outcome != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, line := range warnings() {
			if line = strings.TrimSpace(line); line != "" && !slices.Contains(s.warned, line) {
				s.warned = append(s.warned, line)
				s.World.Warn("%s", line)
			}
		}
	}
	return err
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
	return council.Map(b.running, func(s *Batched) Running { return Running{s.Line, s.place, s.since} }), took
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
