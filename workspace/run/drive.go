package run

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Session is a session that this process holds.
type Session struct {
	Root   *recorder.Root
	Folder *recorder.Session
	*rules.Session

	hold      Hold
	command   string                 // that works on it
	abandon   map[council.AskID]bool // asks that are not to be put again
	adjourned bool                   // no member is asked any more, so none needs to be seated
	outage    schedule.Outage
}

// drive drives the session until it is closed or suspended, and finishes what follows from that. The result has the
// outcome or the suspension also where the error is not nil.
func (s *Session) drive(ctx context.Context, w *site.World, face Face) (engine.Result, error) {
	if _, err := w.AnnouncePolicy(s.Root); err != nil {
		return engine.Result{}, err
	}
	var board *live.Board
	pressed := make(chan os.Signal, 2)
	screen := face.Screen(s, Keys{
		Pause: func() { board.Pause(!board.State().Paused) },
		Stop: func() {
			select {
			case pressed <- os.Interrupt:
			default: // twice is enough
			}
		},
	})
	o, share := engine.Options{By: w.User().Name()}, s.hold.Share
	var r *seat.Roster
	if share != nil {
		r, o.Interrupt = share.Roster(), share.Interrupt
	} else {
		var release func()
		ctx, o.Interrupt, release = Interrupts(w, ctx, pressed, screen.Warn)
		defer release()
		r = seat.RosterOf(w, s.Root.Path())
	}
	defer r.Close()
	r.Remember(s.Root.Files())
	r.People = screen.People()
	var members map[council.MemberID]engine.Member
	if !s.adjourned {
		seated, own, err := r.Seat(s.Folder, s.Session, s.abandon)
		if err != nil {
			return engine.Result{}, err
		}
		if members, o.Admit = seated, own.Admit; share != nil {
			o.Admit = share.Admit(s.Session, own)
		}
	}
	board = live.Open(s.Root, s.ID(), w.Now, screen.Changed)
	defer board.Close()
	o.Hold = board.Hold
	o.Notes = func() ([]council.NoteGiven, error) { return live.Spooled(s.Root, s.ID(), s.Events()) }
	state := func() *live.State { return new(board.State()) }
	hide := sync.OnceFunc(screen.Begin(ctx, state, s.Events(), o.Interrupt))
	defer hide()
	ctx = member.WithListener(ctx, member.Listener{Words: board.Words,
		Wait: func(wait member.Wait) { board.Wait(wait); screen.Waits(wait) }})
	s.outage = schedule.Outage{World: w, Root: s.Root, ID: s.ID(), Began: s.Folder.Entries()[0].Time,
		GoesOn: s.hold.Unattended}
	o.Observe = func(p engine.Progress) {
		s.outage.Hear(p)
		board.Observe(p)
		if share != nil {
			share.Observe(p)
		}
		if r, ok := p.(engine.Recorded); ok {
			screen.Recorded(r.Event)
		}
	}
	log := &announced{folder: s.Folder, screen: screen, suspended: s.outage.Suspended}
	if err := log.announce(); err != nil {
		return engine.Result{}, err
	}
	ended, err := site.BeginRun(w, s.Root, s.ID(), s.command)
	if err != nil {
		return engine.Result{}, err
	}
	var result engine.Result
	if s.adjourned {
		err = site.RecordDue(s.Session, log)
		result.Outcome = s.Ready().Outcome
	} else {
		result, err = engine.Run(ctx, s.Session, members, log, o)
	}
	hide()
	ended(result.Suspended, err)
	var damaged error
	if err == nil && s.hold.Approve && result.Outcome != nil {
		if damaged = site.CheckIntact(w, s.Root, s.ID()); damaged == nil {
			err = s.preapprove(w, log)
		}
	}
	if err != nil {
		// What is derived is made again on resume; trouble with it has the same cause, and is not worth a second message.
		_ = s.Folder.Finalize()
		return result, err
	}
	if share != nil {
		m := s.Folder.Minutes()
		share.left = recorder.Summary{Events: len(m.Events), Gist: m.Gist(), Outcome: m.Outcome,
			Suspended: m.Suspended}
	}
	w.AnchorSession(s.Folder)
	if err := face.Ended(s, result); err != nil || result.Outcome == nil {
		return result, err
	}
	err = s.finish(ctx, w, face) // after the result is shown: it is what the user waits for
	if err == nil && damaged != nil {
		err = fmt.Errorf("the execution is not approved in advance: %w", damaged)
	}
	return result, err
}

// preapprove approves the brief in advance, unless it is withheld.
func (s *Session) preapprove(w *site.World, log engine.Log) error {
	h := s.Handoff()
	if h.Status != council.ExecutionAwaitingApproval || h.Withheld != "" {
		return nil
	}
	if err := checkApproval(w, s.Root, s.ID(), *h.Brief); err != nil {
		w.Warn("council: the execution is not approved in advance: %v", err)
		return nil
	}
	return engine.Rule(s.Session, log,
		council.ExecutionApproved{By: w.User().Name(), BriefSHA256: h.BriefSHA256, InAdvance: true})
}

// announced is the log of a running session that also hands each entry to the screen.
type announced struct {
	folder *recorder.Session
	screen Screen
	handed int // entries so far

	suspended func(council.Fault, council.Seq) error // called before a suspension is recorded
}

// Append records an event and then announces it.
func (l *announced) Append(e council.Event) error {
	if p, ok := e.Payload.(council.SessionSuspended); ok {
		if err := l.suspended(p.Fault, e.Seq); err != nil {
			return err
		}
	}
	if err := l.folder.Append(e); err != nil {
		return err
	}
	return l.announce()
}

func (l *announced) announce() error {
	var fresh []wire.Entry
	fresh, l.handed = l.folder.Entries()[l.handed:], len(l.folder.Entries())
	return l.screen.Append(fresh)
}

// Face shows sessions to the person who holds them.
type Face interface {
	// Planned shows a session that begins, with what memory reminds its members of.
	Planned(p *Plan, reminders []council.Reminder)
	// GoesOn shows a session before it goes on.
	GoesOn(s *Session)
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

// Quiet is a face and a screen that show nothing but how a session was suspended, as a warning.
type Quiet struct{ World *site.World }

// Planned, GoesOn, Moved, Remembered, Closed, Changed, Waits, Recorded and Append do nothing.
func (Quiet) Planned(*Plan, []council.Reminder)           {}
func (Quiet) GoesOn(*Session)                             {}
func (Quiet) Moved(*council.Charter, council.ServerMoved) {}
func (Quiet) Remembered(*Session, Remembered)             {}
func (Quiet) Closed(*Session)                             {}
func (Quiet) Changed()                                    {}
func (Quiet) Waits(member.Wait)                           {}
func (Quiet) Recorded(council.Event)                      {}
func (Quiet) Append([]wire.Entry) error                   { return nil }

// Ended warns of a suspension.
func (q Quiet) Ended(s *Session, r engine.Result) error { return s.WarnSuspended(q.World, r.Suspended) }

// Screen returns the screen, Begin shows nothing, People asks no one, and Warn warns in the world.
func (q Quiet) Screen(*Session, Keys) Screen { return q }
func (Quiet) Begin(context.Context, func() *live.State, []council.Event, <-chan struct{}) (hide func()) {
	return func() {}
}
func (Quiet) People() member.Asker              { return nil }
func (q Quiet) Warn(format string, args ...any) { q.World.Warn(format, args...) }

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
