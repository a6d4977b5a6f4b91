// Package attend convenes routines and tries suspended sessions again, when they are due. It is its own package because
// it holds sessions, which package schedule, where the plans are, must not.
package attend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Keeper carries out the plans of a workspace when they are due. Only one process does so at a time. Its log is the
// warnings of the world.
type Keeper struct {
	*schedule.Plans
	World   *site.World
	Request func(schedule.Routine) (*run.Request, error) // returns the session that a routine asks for
	Problem func(schedule.Routine) error                 // returns why a routine cannot be convened, if that is known
	Trust   seat.TrustGate                               // of sessions that are tried again
	Hint    func(error) string                           // returns advice for an error, or ""

	running context.Context // ends when a stop is asked for; a session in hand has its own
	passed  chan os.Signal  // the signals for a stop, and for a stop at once, for the session in hand or the next
	said    map[string]bool // lines about routines that cannot be used, each logged once
}

// keep calls do while no other process keeps the workspace. [schedule.ErrKept]: one does.
func (k *Keeper) keep(ctx context.Context, do func() error) error {
	lock, err := schedule.TakeLock(k.Root)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	passed, done := make(chan os.Signal, 2), make(chan struct{})
	k.running, k.passed, k.said = running, passed, map[string]bool{}
	signals, release := k.World.Signals()
	go func() {
		for range cap(passed) {
			select {
			case s := <-signals:
				stop()
				passed <- s
			case <-done:
				return
			}
		}
	}()
	err = do()
	release()
	close(done)
	return errors.Join(err, lock.Release())
}

// RetryDue tries the sessions that are due, one after the other, and returns how many.
func (k *Keeper) RetryDue(ctx context.Context) (tried int, err error) {
	return tried, k.keep(ctx, func() error {
		for ; ; tried++ {
			e, ok := k.Queue.Next(k.World.Now(), k.Busy)
			if !ok || k.running.Err() != nil {
				return nil
			}
			if err := k.retry(ctx, e); err != nil {
				return err
			}
		}
	})
}

func (k *Keeper) log(format string, args ...any) {
	k.World.Warn("%s", site.Clock(k.World.Now())+" "+hostile.Label(site.CutSecrets(fmt.Sprintf(format, args...))))
}

// Attend carries out the plans until a stop. Its error is that of the ledger or the disk, or [schedule.ErrKept].
func (k *Keeper) Attend(ctx context.Context) error {
	return k.keep(ctx, func() error {
		files, err := k.RoutineFiles()
		if err != nil {
			return err
		}
		k.log("council schedule daemon looks after %s: %s, and %s", k.Root.Path(), plural.Things(len(files), "routine"),
			plural.Things(len(k.Queue), "suspended session that is tried again", "suspended sessions that are tried again"))
		for _, f := range files {
			if err := k.Problem(f); err != nil {
				k.unusable(f, err)
			}
		}
		for k.running.Err() == nil {
			acted, next, err := k.step(ctx)
			if err != nil {
				return err
			}
			if !acted {
				k.nap(next)
			}
		}
		k.log("stopped")
		return ctx.Err()
	})
}

// step carries out one thing that is due, else returns when that changes, as far as is known; zero: never.
func (k *Keeper) step(ctx context.Context) (acted bool, next time.Time, err error) {
	if err := k.Read(); err != nil {
		return false, next, err
	}
	if e, ok := k.Queue.Next(k.World.Now(), k.Busy); ok {
		return true, next, k.retry(ctx, e)
	}
	next = k.Queue.Soonest()
	files, err := k.RoutineFiles()
	if err != nil {
		return false, next, err
	}
	for _, f := range files {
		acted, due, err := k.routine(ctx, f)
		if acted || err != nil {
			return true, next, err
		}
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return false, next, nil
}

// nap waits until a time, a stop, or at most half a minute: timers do not run while a machine sleeps, and know nothing
// of a clock that is set.
func (k *Keeper) nap(until time.Time) {
	wait := 30 * time.Second
	if left := until.Sub(k.World.Now()); left > 0 {
		wait = min(wait, left)
	}
	ctx, cancel := context.WithTimeout(k.running, wait)
	defer cancel()
	if k.World.Wait != nil {
		_ = k.World.Wait(ctx, wait) // the caller looks at why it ended
		return
	}
	<-ctx.Done()
}

// retry records an entry about the queue and tries the session that it names.
func (k *Keeper) retry(ctx context.Context, e audit.Entry) error {
	if err := k.Note(e); err != nil {
		return err
	}
	w := k.Queue[e.Session]
	if w == nil { // a person has dropped it, or closed the session, in this moment
		return nil
	}
	k.log("session %s is tried again: try %d of %d", e.Session, w.Tries, audit.RetryTries)
	err := k.run(func(world *site.World) (engine.Result, error) {
		return run.Resume(ctx, world, &run.Resumption{Root: k.Root.Path(), Session: string(e.Session),
			Hold: run.Hold{Trust: k.Trust, Unattended: true}}, run.Quiet{World: world})
	})
	if errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun) {
		k.log("session %s is not tried any more: %v", e.Session, err)
		return k.Note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryGone, Session: e.Session, Events: w.Events})
	}
	return k.logState(e.Session, err)
}

// run calls do in a world where no person can be asked, and writes its warnings into the log.
func (k *Keeper) run(do func(*site.World) (engine.Result, error)) (err error) {
	defer engine.CatchPanic(&err)
	world, warnings := k.World.Apart()
	world.Signals = func() (<-chan os.Signal, func()) { return k.passed, func() {} }
	result, err := do(world)
	if err != nil || result.Outcome != nil { // else the next try warns of it
		for _, line := range warnings() {
			k.log("  %s", line)
		}
	}
	return err
}

// logState logs the state of a session after a try. The error is one that must end the keeper.
func (k *Keeper) logState(id council.SessionID, err error) error {
	switch {
	case errors.Is(err, ledger.ErrUnwritten):
		return err
	case errors.Is(err, context.Canceled):
		k.log("session %s was stopped at once; a call that was cut off may be billed all the same", id)
		return nil
	case err != nil:
		k.log("session %s: %s", id, k.withHint(err))
		return nil
	}
	if err := k.Read(); err != nil {
		return err
	}
	now := k.Root.Summary(id)
	if k.Queue[id] != nil && now.Outcome != nil { // by a process that died before it could say so
		err := k.Note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryDropped, Session: id, Why: "it is closed"})
		if err != nil {
			return err
		}
	}
	words := "session " + string(id) + " is " + listing.Status(now)
	switch w := k.Queue[id]; {
	case w == nil:
	case w.Parked:
		words += fmt.Sprintf("; it was tried %s in vain and is parked: council schedule release",
			plural.Things(w.Tries, "time"))
	default:
		words += "; the next try is due at " + site.Clock(w.Due.Local())
	}
	k.log("%s", words)
	return nil
}

func (k *Keeper) withHint(err error) string {
	return strings.TrimSpace(err.Error() + "\n" + k.Hint(err))
}

// Fire convenes a routine by hold, and returns the session, if it came to one. hold calls begins before anything of the
// session is written: then it is in the ledger that the session waits for another try, and that the routine fires. If
// this process dies, the next daemon goes on with it.
func Fire(world *site.World, p *schedule.Plans, f schedule.Routine, commit string, due time.Time,
	hold func(begins func(council.SessionID) error) error) (council.SessionID, error) {
	e := audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineFailed, What: f.Name, Due: due, Digest: commit}
	err := hold(func(id council.SessionID) error {
		e.Action, e.Session = audit.RoutineFired, id
		if err := p.Note(p.Queue.RetryEntry(id, council.Fault{Kind: "interrupted"}, 0, world.Now())); err != nil {
			return err
		}
		return p.Note(e)
	})
	if err != nil && e.Session == "" {
		e.Why = hostile.Excerpt(site.CutSecrets(err.Error()), 200)
		err = errors.Join(p.Note(e), err)
	}
	return e.Session, err
}

// routine looks whether a routine is due, and convenes it then. It returns when it is due next; zero: never.
func (k *Keeper) routine(ctx context.Context, f schedule.Routine) (acted bool, due time.Time, err error) {
	s, now := k.Routines[f.Name], k.World.Now()
	e := audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineChanged, What: f.Name, Digest: f.Digest}
	switch {
	case f.Err != nil:
		k.unusable(f, f.Err)
		return false, due, nil
	case s == nil || s.File != f.Digest:
		return true, due, k.Note(e)
	case s.Paused:
		return false, due, nil
	case s.ClockWentBack(now):
		e.Why = "the clock was set back"
		k.log("routine %s: the clock was set back, so its turns are counted from now on", f.Name)
		return true, due, k.Note(e)
	}
	if due, err = f.Next(s.Since); err != nil || now.Before(due) {
		return false, due, err
	}
	var commit string
	commit, f.Err = Commit(ctx, f.Routine)
	if commit != "" && commit == s.Commit {
		k.log("routine %s is skipped: %s %s", f.Name, f.Unless, site.Clock(s.Since.In(due.Location())))
		return true, due, k.Note(audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineSkipped, What: f.Name,
			Why: f.Unless, Due: due})
	}
	k.log("routine %s is due since %s", f.Name, site.Clock(due))
	var id council.SessionID
	err = k.run(func(world *site.World) (result engine.Result, err error) {
		id, err = Fire(world, k.Plans, f, commit, due, func(begins func(council.SessionID) error) error {
			r, err := k.Request(f)
			if err == nil {
				r.Begins, r.Unattended = begins, true
				result, err = run.ConveneQuietly(ctx, world, r)
			}
			return err
		})
		return result, err
	})
	if id != "" || errors.Is(err, ledger.ErrUnwritten) {
		return true, due, k.logState(id, err)
	}
	k.log("routine %s cannot be convened: %s", f.Name, k.withHint(err))
	return true, due, nil
}

// unusable writes into the log why a routine cannot be convened, once for each reason.
func (k *Keeper) unusable(f schedule.Routine, err error) {
	words := fmt.Sprintf("routine %s cannot be convened: %v", f.Name, err)
	if !k.said[words] {
		k.said[words] = true
		k.log("%s", words)
	}
}

// Commit returns the digest of the commit at which the working folder is, where the routine's condition needs it.
func Commit(ctx context.Context, r routine.Routine) (string, error) {
	if r.Unless == "" {
		return "", nil
	}
	id, err := documents.Commit(ctx, ".")
	if err != nil {
		return "", fmt.Errorf("git cannot tell whether there are new commits: %w", err)
	}
	return council.Digest(id), nil
}
