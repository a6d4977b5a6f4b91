package run

import (
	"context"
	"os"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Face shows sessions to the person who holds them.
type Face interface {
	// Planned shows a session that begins, with what memory reminds its members of.
	Planned(p *Plan, reminders []council.Reminder)
	// GoesOn shows a session before it goes on. It returns whether the questions in doubt are put again.
	GoesOn(s *Session, doubtful []council.Ask)
	// Moved shows that a member is asked at another address from now on.
	Moved(c *council.Charter, m council.ServerMoved)
	// Screen shows a session while it runs. Keys are what the person may do.
	Screen(s *Session, keys Keys) Screen
	// Ended shows how a run ended.
	Ended(s *Session, r engine.Result) error
	// Remembered shows what memory keeps of a session that is closed.
	Remembered(s *Session, m Remembered)
	// Closed shows that a session that was to go on is closed.
	Closed(s *Session)
}

// Keys are what a person may do with a running session.
type Keys struct {
	Pause func() // or go on
	Stop  func() // as Ctrl-C does
}

// Screen shows one session while it runs. Its methods may be called by several goroutines.
type Screen interface {
	// People asks the people among the members; nil: they are not asked here.
	People() member.Asker
	// Begin shows the session from now on, until hide is called. interrupt is closed when the session is to stop.
	Begin(ctx context.Context, state func() *live.State, before []council.Event, interrupt <-chan struct{}) (hide func())
	// Changed is called when the state has changed.
	Changed()
	// Waits is called when a member waits.
	Waits(member.Wait)
	// Recorded is called with every event that was recorded.
	Recorded(council.Event)
	// Append is called with the entries of the log; its error stops the session.
	Append([]wire.Entry) error
	// Warn prints a line beside what is shown.
	Warn(format string, args ...any)
}

// Quiet is a face that shows nothing but how a session was suspended, as a warning.
type Quiet struct{ World *site.World }

// Planned does nothing.
func (Quiet) Planned(*Plan, []council.Reminder) {}

// GoesOn warns of questions in doubt.
func (q Quiet) GoesOn(s *Session, doubtful []council.Ask) { s.WarnDoubtful(q.World, doubtful) }

// Moved does nothing.
func (Quiet) Moved(*council.Charter, council.ServerMoved) {}

// Remembered does nothing.
func (Quiet) Remembered(*Session, Remembered) {}

// Closed does nothing.
func (Quiet) Closed(*Session) {}

// Ended warns of a suspension.
func (q Quiet) Ended(s *Session, r engine.Result) error { return s.WarnSuspended(q.World, r.Suspended) }

// Screen returns a screen that shows nothing.
func (q Quiet) Screen(*Session, Keys) Screen { return blank{q.World} }

type blank struct{ world *site.World }

func (blank) People() member.Asker { return nil }
func (blank) Begin(context.Context, func() *live.State, []council.Event, <-chan struct{}) (hide func()) {
	return func() {}
}
func (blank) Changed()                          {}
func (blank) Waits(member.Wait)                 {}
func (blank) Recorded(council.Event)            {}
func (blank) Append([]wire.Entry) error         { return nil }
func (b blank) Warn(format string, args ...any) { b.world.Warn(format, args...) }

// Interrupts makes the first signal or pressed key a soft stop and the second a hard one; without keys pressed is nil.
// say prints the progress of the stop.
func Interrupts(w *site.World, parent context.Context, pressed <-chan os.Signal, say func(string, ...any)) (
	ctx context.Context, interrupt <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	soft, done := make(chan struct{}), make(chan struct{})
	signals, let := w.Signals()
	stop := member.NewStop()
	comes := func() bool {
		select {
		case <-signals:
		case <-pressed:
		case <-done:
			return false
		}
		return true
	}
	go func() {
		if !comes() {
			return
		}
		inHand := "No call is in hand."
		if members := stop.Ask(); len(members) > 0 {
			inHand = "Waiting for " + site.Join(members) +
				": what was asked is paid for, and its answer is kept. Press Ctrl-C again to stop at once."
		}
		say("\nStopping. %s", inHand)
		close(soft)
		if comes() {
			cancel()
		}
	}()
	return stop.In(ctx), soft, func() { let(); close(done); cancel() }
}
