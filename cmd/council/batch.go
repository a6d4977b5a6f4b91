package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// batch is the run of many sessions in one process. Each is convened or resumed as by its own command, and shares with
// the others the connections and limits of servers, the ledger, the stop and one budget.
type batch struct {
	*cli.Env
	o         conveneOptions
	root      *recorder.Root
	roster    *seat.Roster
	view      *terminal.View
	interrupt <-chan struct{} // closed when the batch is to stop
	began     time.Time
	all       int

	memory *site.SharedMemory

	purse sync.Mutex
	spent map[council.SessionID]site.Spending // guarded by the purse; with what the calls in flight may take

	mu      sync.Mutex     // guards what follows
	short   bool           // the budget is
	running []*batched     // in the order in which they began
	ended   map[string]int // by their states
	warned  []string       // warnings of sessions, each once
	worst   int            // exit code
}

// batched is a session of a batch.
type batched struct {
	*batch
	line  batchLine
	id    council.SessionID // "" before it has begun
	found recorder.Summary  // how an earlier run left it; zero for none
	since time.Time
	place string           // for people, where the session stands; guarded by the batch's mu
	left  recorder.Summary // how this run left it, as far as its result needs it; zero: ask the record
}

// batchResult is the line that is written of a session.
type batchResult struct {
	Line    int               `json:"line"`
	ID      string            `json:"id,omitempty"`
	Session council.SessionID `json:"session,omitempty"`
	minutes.Gist
	Outcome  *council.Outcome `json:"outcome,omitempty"`
	ExitCode int              `json:"exitCode"`
	Error    string           `json:"error,omitempty"`
}

// The states of sessions of a batch that no record has.
const (
	stateWaiting minutes.State = "waiting" // the batch was stopped before it began
	stateFailed  minutes.State = "failed"  // it could not begin
)

// conveneBatch holds the sessions of a file, some at a time. What an earlier run has closed is not held again, and what
// it left open goes on.
func conveneBatch(a *cli.Env, ctx context.Context, o conveneOptions, args []string) error {
	if len(args) > 0 || o.topicFile != "" || o.me != "" || o.convener || o.dryRun || o.show.json || o.show.full {
		return site.Refuse("--batch takes its topics from the file, asks nobody at this terminal and writes a line of JSON "+
			"for each session", "Leave out the topic, --topic-file, --me, --wait-for-convener, --dry-run, --json and --full.")
	}
	if o.jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.jobs),
			"Nothing was begun.")
	}
	lines, err := readBatch(a, o.batch)
	if err == nil {
		_, err = o.caps.Over(council.Budget{})
	}
	if err != nil {
		return err
	}
	b := &batch{Env: a, o: o, began: a.Now(), all: len(lines), ended: map[string]int{},
		spent: map[council.SessionID]site.Spending{}}
	a.Windows = new(sync.Map) // a thousand sessions ask each server once
	todo, err := b.prepare(ctx, lines)
	if b.root != nil {
		defer b.root.Close()
	}
	if err != nil {
		return err
	}
	b.roster = seat.RosterOf(a.World, b.root.Path())
	defer b.roster.Close()
	b.roster.Remember(b.root.Files())
	b.view = b.board()
	defer b.view.Begin(nil)()
	ctx, interrupt, release := interrupts(a, ctx, nil, b.view.Say)
	defer release()
	b.interrupt = interrupt
	var all sync.WaitGroup
	slots := make(chan struct{}, o.jobs)
	for _, s := range todo {
		select {
		case <-interrupt:
		case slots <- struct{}{}:
		}
		if !s.over() && b.stopped() {
			s.tell(nil, stateWaiting)
			continue
		}
		all.Go(func() {
			s.tell(s.hold(ctx), stateFailed)
			<-slots
		})
	}
	all.Wait()
	if b.worst != cli.ExitOK {
		return cli.ExitCode(b.worst)
	}
	return nil
}

// stopped reports whether no further session begins.
func (b *batch) stopped() bool {
	select {
	case <-b.interrupt:
		return true
	default:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.short
}

// over reports whether an earlier run has closed the session.
func (s *batched) over() bool { return s.found.Outcome != nil }

// hold convenes or resumes the session, or leaves it as it is if it is closed. Its error is that of the command.
func (s *batched) hold(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	var warned bytes.Buffer
	child := s.batch.Env.Alone(&cli.Output{Writer: &warned}, s.Signals)
	child.World = child.With(func(w *site.World) { w.Memory, w.Warn = s.memory, child.Warn })
	o := s.line.of(s.o)
	o.batched = s
	s.stands("")
	switch {
	case s.over():
		return cli.OutcomeCode(*s.found.Outcome)
	case s.found.Events == 0 && s.found.Err == nil:
		s.id = cmp.Or(s.id, recorder.NamedSessionID(s.Now(), s.line.Topic, s.line.word()))
		o.id = s.id
		err = conveneSession(child, ctx, o, []string{s.line.Topic})
	default:
		err = resumeSession(child, ctx, resumeOptions{root: s.o.charter.Root, ambiguous: ambiguousAsk, approve: o.approve,
			show: o.show, batched: s}, []string{string(s.id)})
	}
	if code := cli.ExitCode(0); !errors.As(err, &code) ||
		code != cli.ExitSuspended { // why it is suspended is in the result
		s.warn(warned.String())
	}
	return err
}

// prepare finds what can be wrong with the lines before anything is begun, opens the record, and finds the sessions of
// earlier runs.
func (b *batch) prepare(ctx context.Context, lines []batchLine) (todo []*batched, err error) {
	ready := map[string]*council.Charter{}
	for _, l := range lines {
		o := l.of(b.o)
		key := strings.Join([]string{o.charter.Council, o.charter.Config, o.charter.Pace, o.output}, "\x00")
		err := choose(&council.Charter{}, o.options)
		if err == nil && ready[key] == nil {
			ready[key], err = b.ready(ctx, o, l.Topic)
		}
		if err != nil {
			return nil, l.wrong(err)
		}
		root := ready[key].Storage.RootDir
		if b.o.charter.Root = cmp.Or(b.o.charter.Root, root); root != b.o.charter.Root {
			return nil, l.wrong(site.Refuse("its council keeps its record in another folder, "+site.PathLine(root),
				"Name one for all with --root."))
		}
		todo = append(todo, &batched{batch: b, line: l})
	}
	if b.root, err = recorder.OpenRoot(b.o.charter.Root, b.Layer); err != nil {
		return nil, err
	}
	b.memory = site.NewSharedMemory(b.root)
	for _, c := range ready {
		w, err := b.Env.OpenMemory(b.root, c)
		if err == nil {
			err = b.Env.FinishMemory(ctx, w)
		}
		if err != nil {
			return nil, err
		}
	}
	registry.NoteUse(b.World, b.root)
	return todo, b.find(todo)
}

// ready returns the charter of a line's council, once nothing keeps it from convening.
func (b *batch) ready(ctx context.Context, o conveneOptions, topic string) (*council.Charter, error) {
	o.context, o.show = seat.Context{}, b.o.show
	p, err := planSession(b.Env, ctx, o, []string{topic})
	if err == nil {
		err = seat.Affordable(&p.Charter, council.Budget{USD: b.o.caps.Usd})
	}
	if err == nil {
		err = admitPlan(b.Env, ctx, p, o)
	}
	if err == nil && p.chosen != "" && !o.show.quiet {
		b.Env.WarnOnce("%s", p.chosen)
	}
	return &p.Charter, err
}

// find finds the sessions that earlier runs began, and what they took where the batch has a budget.
func (b *batch) find(todo []*batched) error {
	lawful, err := b.Env.Policy(b.root.Path())
	ids, failed := b.root.IDs()
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	byWord := map[string]council.SessionID{}
	for _, id := range ids {
		byWord[id.Word()] = id
	}
	for _, s := range todo {
		if s.id = byWord[s.line.word()]; s.id == "" {
			continue
		}
		topic := council.Topic{Text: s.line.Topic}
		site.CutTopic(&topic, lawful.Redactions()...)
		s.found = b.root.Summary(s.id)
		if s.found.Events > 0 && s.found.Topic != topic.Text && s.line.ID != "" {
			return s.line.wrong(site.Refuse("its id is that of session "+string(s.id)+", which is on another topic",
				"Give the line another id. Nothing was begun."))
		}
		if b.o.caps.Given() && s.found.Events > 0 && s.found.Err == nil {
			session, err := site.Replay(b.root, s.id)
			if err != nil {
				return err
			}
			beside, err := site.ReadBeside(b.root, session)
			if err != nil {
				return err
			}
			var took site.Spending
			took.Add(session, beside)
			b.spent[s.id] = took
		}
	}
	return nil
}
