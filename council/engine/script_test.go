package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// script is a member that answers from functions.
type script struct {
	say   func(council.View) council.Reply    // nil: agree
	pause func(council.Ask) time.Duration     // how long it thinks; nil: not at all
	deaf  bool                                // thinks to the end although it was cancelled
	asked []council.AskID                     // every ask it was given, in order
	moot  []council.AskID                     // those that were cancelled while it thought
	leave func(context.Context, council.View) // called before it returns; nil: nothing
	fail  func(council.Ask) error             // its record cannot be kept; nil: it can
}

func (m *script) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	m.asked = append(m.asked, v.Ask.ID)
	if m.leave != nil {
		defer m.leave(ctx, v)
	}
	if m.pause != nil {
		done := ctx.Done()
		if m.deaf {
			done = nil
		}
		select {
		case <-time.After(m.pause(v.Ask)):
		case <-done:
			m.moot = append(m.moot, v.Ask.ID)
			return faulty(v, council.FaultCancelled), nil
		}
	}
	if m.fail != nil {
		if err := m.fail(v.Ask); err != nil {
			return council.Reply{}, err
		}
	}
	if m.say != nil {
		return m.say(v), nil
	}
	return agree(v), nil
}

// agree answers as [counciltest.Agree] does.
func agree(v council.View) council.Reply { return body(v, counciltest.Agree(v)) }

func body(v council.View, b council.Body) council.Reply {
	return council.Reply{Ask: v.Ask.ID, Body: b, Usage: council.Usage{Calls: 1, OutputTokens: 10}}
}

func faulty(v council.View, k council.FaultKind) council.Reply {
	return council.Reply{Ask: v.Ask.ID, Fault: &council.Fault{Kind: k, Message: "in a test"},
		Usage: council.Usage{Calls: 1}}
}

// think returns a pause of the same length for every ask.
func think(d time.Duration) func(council.Ask) time.Duration {
	return func(council.Ask) time.Duration { return d }
}

// thinkOn returns a pause for asks of one kind.
func thinkOn(k council.AskKind, d time.Duration) func(council.Ask) time.Duration {
	return func(a council.Ask) time.Duration {
		if a.Kind == k {
			return d
		}
		return 0
	}
}

// on answers asks of one kind as told, and agrees to the rest.
func on(k council.AskKind, say func(council.View) council.Reply) func(council.View) council.Reply {
	return func(v council.View) council.Reply {
		if v.Ask.Kind == k {
			return say(v)
		}
		return agree(v)
	}
}

// memory is a log that can be told to fail, and to look at the session before it accepts.
type memory struct {
	events []council.Event
	full   council.Seq // the event that it cannot keep; 0: it keeps all
	look   func(council.Event)
}

var errFull = errors.New("no space left")

func (l *memory) Append(e council.Event) error {
	if l.look != nil {
		l.look(e)
	}
	if e.Seq == l.full {
		return errFull
	}
	l.events = append(l.events, e)
	return nil
}

// table is a session with everything that a run needs.
type table struct {
	testing.TB
	session *rules.Session
	members map[council.MemberID]*script
	log     *memory
	options engine.Options
	steps   []engine.Progress
}

// sit opens a session of n agreeable members a, b, c and so on.
func sit(t testing.TB, n int, edit func(*council.Charter)) *table {
	t.Helper()
	c := counciltest.Small()
	c.Phases[0].StopConditions.MaxRounds = 1
	tb := &table{TB: t, members: map[council.MemberID]*script{}, log: &memory{}}
	for i := range n {
		id := council.MemberID(rune('a' + i))
		c.Members = append(c.Members, counciltest.Seats(id)...)
		tb.members[id] = &script{}
	}
	if edit != nil {
		edit(&c)
	}
	tb.session = counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	tb.log.events = slices.Clone(tb.session.Events())
	return tb
}

// interruptible returns what interrupts a run, once.
func (tb *table) interruptible() chan struct{} {
	interrupt := make(chan struct{}, 1)
	tb.options.Interrupt = interrupt
	return interrupt
}

// replay throws the session away and rebuilds it from the log.
func (tb *table) replay() {
	tb.Helper()
	tb.session = check.Get(rules.Replay(rules.Log(tb.log.events...)))(tb)
}

// run drives the session, and holds the log against it afterwards: they may never differ.
func (tb *table) run(ctx context.Context) (engine.Result, error) {
	tb.Helper()
	seats := map[council.MemberID]engine.Member{}
	for id, m := range tb.members {
		seats[id] = m
	}
	observe := tb.options.Observe
	o := tb.options
	o.Observe = func(p engine.Progress) {
		tb.steps = append(tb.steps, p)
		if observe != nil {
			observe(p)
		}
	}
	result, err := engine.Run(ctx, tb.session, seats, tb.log, o)
	check.Is(tb, "events of the log, held against the session", len(tb.session.Events()), len(tb.log.events))
	return result, err
}

// closed runs the session to its end.
func (tb *table) closed() council.Outcome {
	tb.Helper()
	result, err := tb.run(tb.Context())
	if err != nil || result.Outcome == nil || result.Suspended != nil {
		tb.Fatalf("Run = %+v, %v; want an outcome", result, err)
	}
	return *result.Outcome
}

// suspended runs the session to a suspension of the given kind.
func (tb *table) suspended(k council.FaultKind) council.Fault {
	tb.Helper()
	result, err := tb.run(tb.Context())
	if err != nil || result.Outcome != nil || result.Suspended == nil || result.Suspended.Kind != k {
		tb.Fatalf("Run = %+v, %v; want it suspended for %s", result, err, k)
	}
	if last := tb.log.events[len(tb.log.events)-1]; last.Type() != council.TypeOf[council.SessionSuspended]() {
		tb.Fatalf("the log ends with %s", last.Type())
	}
	return *result.Suspended
}

// tail names the last n events, with their actors.
func (tb *table) tail(n int) []string {
	var names []string
	for _, e := range tb.log.events[max(0, len(tb.log.events)-n):] {
		name := string(e.Type())
		if e.Actor != "" {
			name += " " + string(e.Actor)
		}
		names = append(names, name)
	}
	return names
}

// wantTail compares the end of the log.
func (tb *table) wantTail(want ...string) {
	tb.Helper()
	check.Equal(tb, "the end of the log", want, tb.tail(len(want)))
}
