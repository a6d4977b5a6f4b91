package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
)

// batch is the run of many sessions in one process. Each is convened or resumed as by its own command, and shares with
// the others the connections and limits of servers, the ledger and one budget.
type batch struct {
	*app
	o      conveneOptions
	root   *recorder.Root
	roster *seating.Roster
	view   *terminal.View
	began  time.Time
	all    int

	remembering sync.Mutex // memory takes in one close at a time

	purse sync.Mutex
	spent map[council.SessionID]spending // guarded by the purse; with what the calls in flight may take

	mu        sync.Mutex // guards what follows
	caught    []os.Signal
	listening map[chan os.Signal]bool
	stop      chan struct{}  // closed when no further session is to begin
	why       string         // it was closed
	running   []*batched     // in the order in which they began
	ended     map[string]int // by their states
	took      council.Amount // by those that have ended, since the batch began
	worst     int            // exit code
}

// batched is a session of a batch.
type batched struct {
	*batch
	line  batchLine
	id    council.SessionID // "" before it has begun
	found minutes.State     // how an earlier run left it; "" for none
	plan  *plan             // of its council, until the batch begins

	since time.Time
	place string                // for people, where the session stands; guarded by the batch's mu
	gone  func() council.Amount // what it took so far, with what its calls in flight may take; guarded likewise
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
func (a *app) conveneBatch(ctx context.Context, o conveneOptions, args []string) error {
	if len(args) > 0 || o.topicFile != "" || o.me != "" || o.convener || o.dryRun || o.show.json || o.show.full {
		return cli.Refuse("--batch takes its topics from the file, asks nobody at this terminal and writes a line of JSON "+
			"for each session", "Leave out the topic, --topic-file, --me, --wait-for-convener, --dry-run, --json and --full.")
	}
	if o.jobs < 1 {
		return cli.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.jobs),
			"Nothing was begun.")
	}
	if _, err := o.caps.over(council.Budget{}); err != nil {
		return err
	}
	lines, err := a.readBatch(o.batch)
	if err != nil {
		return err
	}
	b := &batch{app: a, o: o, began: a.Now(), all: len(lines), stop: make(chan struct{}), ended: map[string]int{},
		listening: map[chan os.Signal]bool{}, spent: map[council.SessionID]spending{}}
	todo, err := b.prepare(ctx, lines)
	if err != nil {
		return err
	}
	defer b.root.Close()
	defer b.roster.Close()
	defer b.hear()()
	defer b.show()()
	var all sync.WaitGroup
	slots := make(chan struct{}, o.jobs)
	for _, s := range todo {
		select {
		case <-b.stop:
		case slots <- struct{}{}:
		}
		if b.stopped() != "" && !s.over() {
			s.tell(nil, false)
			continue
		}
		all.Go(func() {
			s.tell(s.hold(ctx), true)
			<-slots
		})
	}
	all.Wait()
	if b.worst == exitOK {
		return nil
	}
	return exitCode(b.worst)
}

// over reports whether an earlier run has closed the session.
func (s *batched) over() bool {
	return s.found == minutes.StateDecided || s.found == minutes.StateUndecided || s.found == minutes.StateAdjourned
}

// hold convenes or resumes the session, or leaves it as it is if it is closed. Its error is that of the command.
func (s *batched) hold(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	var warned bytes.Buffer
	child := s.alone(&output{Writer: &warned}, s.signals)
	child.batched = s
	o := s.line.of(s.o)
	s.begin()
	switch {
	case s.over():
		return outcomeCode(*s.root.Summary(s.id).Outcome)
	case s.found == "" || s.found == minutes.StateEmpty:
		s.id = cmp.Or(s.id, recorder.NamedSessionID(s.Now(), s.line.Topic, s.line.word()))
		o.id = s.id
		err = child.convene(ctx, o, []string{s.line.Topic})
	default:
		err = child.resume(ctx, resumeOptions{root: s.o.charter.root, ambiguous: ambiguousAsk, approve: o.approve,
			show: o.show}, []string{string(s.id)})
	}
	if code := exitCode(0); !errors.As(err, &code) || code != exitSuspended { // why it is suspended is in the result
		s.warn(warned.String())
	}
	return err
}

// alone returns an app that has nobody to ask, and prints nothing but what it warns of.
func (a *app) alone(errs io.Writer, signals func() (<-chan os.Signal, func())) *app {
	child := *a
	child.In, child.Out, child.Errs = strings.NewReader(""), io.Discard, errs
	child.Terminal, child.Keyboard, child.told = false, false, nil
	child.signals = signals
	return &child
}

// prepare finds what can be wrong with the lines before anything is written or paid, and opens the record.
func (b *batch) prepare(ctx context.Context, lines []batchLine) (todo []*batched, err error) {
	plans := map[string]*plan{} // of the first line of each council
	var wrong []string
	for _, l := range lines {
		o := l.of(b.o)
		o.context, o.show = contextFlags{}, b.o.show
		key := strings.Join([]string{o.charter.council, o.charter.config, o.charter.pace, o.output}, "\x00")
		if plans[key] == nil {
			p, err := b.plan(ctx, o, []string{l.Topic})
			if err == nil {
				err = seating.Affordable(&p.charter, council.Budget{USD: b.o.caps.usd})
			}
			if use, ok := errors.AsType[*cli.UsageError](err); ok {
				wrong = append(wrong, fmt.Sprintf("line %d: %s. %s", l.number, use.Problem, use.Hint))
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", l.number, err)
			}
			plans[key] = &p
		} else if _, problem := council.OptionProblem(o.options); len(o.options) > 0 && problem != "" {
			wrong = append(wrong, fmt.Sprintf("line %d: its options: %s", l.number, problem))
		}
		root := plans[key].charter.Storage.RootDir
		if b.o.charter.root = cmp.Or(b.o.charter.root, root); b.o.charter.root != root {
			wrong = append(wrong, fmt.Sprintf("line %d: its council keeps its record in %s, and others in %s; give --root",
				l.number, pathLine(root), pathLine(b.o.charter.root)))
		}
		todo = append(todo, &batched{batch: b, line: l, plan: plans[key]})
	}
	if err := refuseBatch(b.o.batch, wrong); err != nil {
		return nil, err
	}
	if err := b.find(todo); err != nil {
		return nil, err
	}
	return todo, b.open(ctx, todo)
}

// find finds the sessions that earlier runs began.
func (b *batch) find(todo []*batched) error {
	lawful, err := b.policy(b.o.charter.root)
	if err != nil {
		return err
	}
	root, err := recorder.FindRoot(b.o.charter.root, b.Record()...)
	if errors.Is(err, recorder.ErrNoRoot) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	ids, err := root.IDs()
	byWord := map[string]council.SessionID{}
	for _, id := range ids {
		byWord[string(id[strings.LastIndex(string(id), "-")+1:])] = id
	}
	var wrong []string
	for _, s := range todo {
		if s.id = byWord[s.line.word()]; s.id == "" {
			continue
		}
		was, topic := root.Summary(s.id), council.Topic{Text: s.line.Topic}
		cutTopic(&topic, lawful.Redactions()...)
		if s.found = was.State; was.Events > 0 && was.Topic != topic.Text && s.line.ID != "" {
			wrong = append(wrong, fmt.Sprintf("line %d: the id %s is that of session %s, which is on another topic",
				s.line.number, cli.Quote(s.line.ID), s.id))
		}
		if b.o.caps.given() && was.Events > 0 {
			err = errors.Join(err, s.count(root))
		}
	}
	return errors.Join(err, refuseBatch(b.o.batch, wrong))
}

// open admits the councils of the sessions that are to be held, and opens what they share.
func (b *batch) open(ctx context.Context, todo []*batched) (err error) {
	var settled []*plan
	for _, s := range todo {
		p := s.plan
		if s.plan = nil; s.over() || slices.Contains(settled, p) {
			continue
		}
		if err := b.admit(ctx, *p, b.o); err != nil {
			return err
		}
		if settled = append(settled, p); p.chosen != "" && !b.o.show.quiet {
			b.tellOnce("%s", p.chosen)
		}
	}
	if b.root, err = recorder.OpenRoot(b.o.charter.root, b.Record()...); err != nil {
		return err
	}
	for _, p := range settled {
		w, err := b.workspace(b.root, &p.charter)
		if err == nil {
			err = b.settleMemory(ctx, w)
		}
		if err != nil {
			return errors.Join(err, b.root.Close())
		}
	}
	b.noteUse(b.root)
	b.roster = b.app.roster(b.root.Path())
	b.roster.Remember(b.root.Files())
	return nil
}
