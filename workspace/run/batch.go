package run

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Batch holds many sessions in one process. Each is convened or resumed as by a command of its own, and shares with the
// others the connections and limits of servers, the ledger, the stop and one budget.
type Batch struct {
	World     *site.World
	Request   Request                          // for every session, unless its line differs; the caps are for all together
	Say       func(format string, args ...any) // prints a line for the person
	Changed   func()                           // is called when a session gets further; nil: nothing is
	Interrupt <-chan struct{}                  // closed when the batch is to stop

	Root   *recorder.Root     // once it is open
	Memory *site.SharedMemory // likewise

	purse sync.Mutex
	spent map[council.SessionID]site.Spending // guarded by purse; with what the calls in flight may take

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
	b.Memory = site.NewSharedMemory(b.Root)
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
func (b *Batch) Prepare(ctx context.Context, lines []BatchLine, trust Trust) (todo []*Batched, err error) {
	ready := map[string]*council.Charter{}
	root := b.Request.Root
	for _, l := range lines {
		r := l.of(b.Request)
		key := strings.Join([]string{r.Council, r.Config, r.Pace, r.Output}, "\x00")
		err := SetOptions(&council.Charter{}, r.Options)
		if err == nil && ready[key] == nil {
			r.Context, r.Trust = seat.Context{}, trust
			ready[key], err = b.ready(ctx, &r)
		}
		if err != nil {
			return nil, l.wrong(err)
		}
		own := ready[key].Storage.RootDir
		if root = cmp.Or(root, own); own != root {
			return nil, l.wrong(site.Refuse("its council keeps its record in another folder, "+site.PathLine(own),
				"Name one for all with --root."))
		}
		todo = append(todo, &Batched{Batch: b, Line: l})
	}
	if err := b.Open(root); err != nil {
		return nil, err
	}
	for _, c := range ready {
		w, err := b.World.OpenMemory(b.Root, c)
		if err == nil {
			err = b.World.FinishMemory(ctx, w)
		}
		if err != nil {
			return nil, err
		}
	}
	registry.NoteUse(b.World, b.Root)
	return todo, b.find(todo)
}

// ready returns the charter of a line's council, once nothing keeps it from convening.
func (b *Batch) ready(ctx context.Context, r *Request) (*council.Charter, error) {
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
		b.World.WarnOnce("%s", p.Chosen)
	}
	return &p.Charter, nil
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
