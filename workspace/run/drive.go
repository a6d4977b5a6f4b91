package run

import (
	"context"
	"errors"
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

// Outage returns whether and when the suspended session is tried again, in words; "" when it is not.
func (s *Session) Outage() string { return s.outage.Words() }

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
	r := s.roster(w)
	defer r.Close()
	r.Remember(s.Root.Files())
	r.People = screen.People()
	o := engine.Options{By: w.User().Name()}
	var members map[council.MemberID]engine.Member
	if !s.adjourned {
		seated, own, err := r.Seat(s.Folder, s.Session, s.abandon)
		if err != nil {
			return engine.Result{}, err
		}
		if members, o.Admit = seated, own.Admit; s.hold.Share != nil {
			o.Admit = s.hold.Share.Admit(s.Session, own)
		}
	}
	if s.hold.Share != nil {
		o.Interrupt = s.hold.Share.Interrupt
	} else {
		var release func()
		ctx, o.Interrupt, release = Interrupts(w, ctx, pressed, screen.Warn)
		defer release()
	}
	board = live.Open(s.Root, s.ID(), w.Now, screen.Changed)
	defer board.Close()
	o.Hold = board.Hold
	o.Notes = func() ([]council.NoteGiven, error) { return live.Spooled(s.Root, s.ID(), s.Events()) }
	state := func() *live.State { state := board.State(); return &state }
	hide := sync.OnceFunc(screen.Begin(ctx, state, s.Events(), o.Interrupt))
	defer hide()
	ctx = member.WithListener(ctx, member.Listener{Words: board.Words,
		Wait: func(wait member.Wait) { board.Wait(wait); screen.Waits(wait) }})
	s.outage = schedule.Outage{World: w, Root: s.Root, ID: s.ID(), Began: s.Folder.Entries()[0].Time,
		GoesOn: s.hold.Unattended}
	o.Observe = func(p engine.Progress) {
		s.outage.Hear(p)
		board.Observe(p)
		if s.hold.Share != nil {
			s.hold.Share.Observe(p)
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
	if s.hold.Share != nil {
		m := s.Folder.Minutes()
		s.hold.Share.left = recorder.Summary{Events: len(m.Events), Gist: m.Gist(), Outcome: m.Outcome,
			Suspended: m.Suspended}
	}
	w.AnchorSession(s.Folder)
	if err := face.Ended(s, result); err != nil || result.Outcome == nil {
		return result, err
	}
	// After the result is shown: it is what the user waits for.
	if err := errors.Join(s.finish(ctx, w, face), live.Forget(s.Root, s.ID())); err != nil {
		return result, err
	}
	if damaged != nil {
		return result, fmt.Errorf("the execution is not approved in advance: %w", damaged)
	}
	return result, nil
}

// roster seats the members of the session.
func (s *Session) roster(w *site.World) *seat.Roster {
	if s.hold.Share != nil {
		return s.hold.Share.Roster()
	}
	return seat.RosterOf(w, s.Root.Path())
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
	return engine.Rule(s.Session, log, council.ExecutionApproved{
		By: w.User().Name(), BriefSHA256: h.BriefSHA256, InAdvance: true,
	})
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
