package session

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
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Batch is the run of many sessions in one process. Each is convened or resumed as by its own command, and shares with
// the others the connections and limits of servers, the ledger, the stop and one budget.
type Batch struct {
	*cli.Env
	O         ConveneOptions
	Root      *recorder.Root
	Roster    *seat.Roster
	View      *terminal.View
	Interrupt <-chan struct{} // closed when the batch is to stop
	Began     time.Time
	All       int

	Memory *site.SharedMemory

	purse sync.Mutex
	Spent map[council.SessionID]site.Spending // guarded by the purse; with what the calls in flight may take

	Mu      sync.Mutex     // guards what follows
	short   bool           // the budget is
	Running []*Batched     // in the order in which they began
	Ended   map[string]int // by their states
	warned  []string       // warnings of sessions, each once
	worst   int            // exit code
}

// Batched is a session of a batch.
type Batched struct {
	*Batch
	Line  BatchLine
	ID    council.SessionID // "" before it has begun
	Found recorder.Summary  // how an earlier run left it; zero for none
	Since time.Time
	Place string           // for people, where the session stands; guarded by the batch's mu
	left  recorder.Summary // how this run left it, as far as its result needs it; zero: ask the record
}

// BatchResult is the line that is written of a session.
type BatchResult struct {
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

// conveneBatch holds the sessions of a file, some at a time. It skips those that an earlier run closed, and resumes
// those left open.
func conveneBatch(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) error {
	if len(args) > 0 || o.TopicFile != "" || o.Me != "" || o.convener || o.DryRun || o.Show.json || o.Show.full {
		return site.Refuse("--batch takes its topics from the file, asks nobody at this terminal and writes a line of JSON "+
			"for each session", "Leave out the topic, --topic-file, --me, --wait-for-convener, --dry-run, --json and --full.")
	}
	if o.Jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.Jobs),
			"Nothing was begun.")
	}
	lines, err := ReadBatch(a, o.batch)
	if err == nil {
		o.Caps, err = o.caps.Caps()
	}
	if err != nil {
		return err
	}
	b := &Batch{Env: a, O: o, Began: a.Now(), All: len(lines), Ended: map[string]int{},
		Spent: map[council.SessionID]site.Spending{}}
	a.Windows = new(sync.Map) // a thousand sessions ask each server once
	todo, err := b.prepare(ctx, lines)
	if b.Root != nil {
		defer b.Root.Close()
	}
	if err != nil {
		return err
	}
	b.Roster = seat.RosterOf(a.World, b.Root.Path())
	defer b.Roster.Close()
	b.Roster.Remember(b.Root.Files())
	b.View = b.board()
	defer b.View.Begin(nil)()
	ctx, interrupt, release := run.Interrupts(a.World, ctx, b.View.Say)
	defer release()
	b.Interrupt = interrupt
	var all sync.WaitGroup
	slots := make(chan struct{}, o.Jobs)
	for _, s := range todo {
		select {
		case <-interrupt:
		case slots <- struct{}{}:
		}
		if !s.over() && b.Stopped() {
			s.tell(nil, stateWaiting)
			continue
		}
		all.Go(func() {
			s.tell(s.Hold(ctx), stateFailed)
			<-slots
		})
	}
	all.Wait()
	if b.worst != cli.ExitOK {
		return cli.ExitCode(b.worst)
	}
	return nil
}

// Stopped reports whether no further session begins.
func (b *Batch) Stopped() bool {
	select {
	case <-b.Interrupt:
		return true
	default:
	}
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return b.short
}

// over reports whether an earlier run has closed the session.
func (s *Batched) over() bool { return s.Found.Outcome != nil }

// Hold convenes or resumes the session, or leaves it as it is if it is closed. Its error is that of the command.
func (s *Batched) Hold(ctx context.Context) (err error) {
	defer engine.CatchPanic(&err)
	var warned bytes.Buffer
	child := s.Batch.Env.Alone(&cli.Output{Writer: &warned}, s.Signals)
	child.World = child.With(func(w *site.World) { w.Memory, w.Warn = s.Memory, child.Warn })
	o := s.Line.of(s.O)
	o.Share = s
	s.stands("")
	switch {
	case s.over():
		return cli.OutcomeCode(*s.Found.Outcome)
	case s.Found.Events == 0 && s.Found.Err == nil:
		s.ID = cmp.Or(s.ID, recorder.NamedSessionID(s.Now(), s.Line.Topic, s.Line.Word()))
		o.ID = s.ID
		err = Convene(child, ctx, o, []string{s.Line.Topic})
	default:
		err = resume(child, ctx, ResumeOptions{Resumption: run.Resumption{Root: s.O.Root, Session: string(s.ID),
			Hold: run.Hold{Approve: o.Approve, Share: s}}, show: o.Show})
	}
	if code := cli.ExitCode(0); !errors.As(err, &code) ||
		code != cli.ExitSuspended { // why it is suspended is in the result
		s.warn(warned.String())
	}
	return err
}

// prepare checks the lines before anything is begun, opens the record, and finds the sessions of earlier runs.
func (b *Batch) prepare(ctx context.Context, lines []BatchLine) (todo []*Batched, err error) {
	ready := map[string]*council.Charter{}
	for _, l := range lines {
		o := l.of(b.O)
		key := strings.Join([]string{o.Council, o.Config, o.Pace, o.Output}, "\x00")
		err := run.SetOptions(&council.Charter{}, o.Options)
		if err == nil && ready[key] == nil {
			ready[key], err = b.ready(ctx, o, l.Topic)
		}
		if err != nil {
			return nil, l.wrong(err)
		}
		root := ready[key].Storage.RootDir
		if b.O.Root = cmp.Or(b.O.Root, root); root != b.O.Root {
			return nil, l.wrong(site.Refuse("its council keeps its record in another folder, "+site.PathLine(root),
				"Name one for all with --root."))
		}
		todo = append(todo, &Batched{Batch: b, Line: l})
	}
	if b.Root, err = recorder.OpenRoot(b.O.Root, b.Layer); err != nil {
		return nil, err
	}
	b.Memory = site.NewSharedMemory(b.Root)
	for _, c := range ready {
		w, err := b.Env.OpenMemory(b.Root, c)
		if err == nil {
			err = b.Env.FinishMemory(ctx, w)
		}
		if err != nil {
			return nil, err
		}
	}
	registry.NoteUse(b.World, b.Root)
	return todo, b.find(todo)
}

// ready returns the charter of a line's council, once nothing keeps it from convening.
func (b *Batch) ready(ctx context.Context, o ConveneOptions, topic string) (*council.Charter, error) {
	o.Context, o.Show = seat.Context{}, b.O.Show
	p, err := o.Plan(b.Env, ctx, []string{topic})
	if err == nil {
		err = seat.Affordable(&p.Charter, council.Budget{USD: b.O.Caps.USD})
	}
	if err == nil {
		err = p.Admit(ctx, b.World, &o.Request)
	}
	if err == nil && p.Chosen != "" && !o.Show.Quiet {
		b.Env.WarnOnce("%s", p.Chosen)
	}
	if err != nil {
		return nil, err
	}
	return &p.Charter, nil
}

// find finds the sessions that earlier runs began, and their cost if the batch has a budget.
func (b *Batch) find(todo []*Batched) error {
	lawful, err := b.Env.Policy(b.Root.Path())
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
		if b.O.Caps.Given() && s.Found.Events > 0 && s.Found.Err == nil {
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
			b.Spent[s.ID] = took
		}
	}
	return nil
}
