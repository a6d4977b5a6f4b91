// Package schedule has the verbs for sessions that begin or go on by themselves.
package schedule

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

// longestNap is how long the daemon waits at most before it looks at the clock again. Timers do not run while a machine
// sleeps, and know nothing of a clock that is set.
const longestNap = 30 * time.Second

// NewDaemon returns the command daemon.
func NewDaemon(a *cli.Env) *cobra.Command {
	return plansVerb(a, &cobra.Command{Use: "daemon",
		Short: "Convene routines and try suspended sessions again, when they are due, until it is stopped",
		Long: `
daemon carries out what is due in one workspace, one session after the other: routines (council routine) and sessions
that were suspended by an outage or a rate limit (council retry). Run it in the folder where you would run council
convene. It asks nobody: what needs a person, such as trust or a login, is told in its log, which is standard error.

Ctrl-C or SIGTERM stops it: what is in hand is waited for and kept, and the session goes on when the daemon runs again.
A second one stops at once. There is one daemon for a workspace; docs/operations.md has a unit for systemd.`,
	}, func(c *cli.Command, p *schedule.Plans) error {
		return keepSchedule(a, c.Ctx, p, func(k *keeper) error { return k.attend(c.Ctx) })
	})
}

// keeper carries out what is due in a workspace. Only one process does so at a time.
type keeper struct {
	*schedule.Plans
	env     *cli.Env
	running context.Context // ends when a stop is asked for; a session in hand has its own
	passed  chan os.Signal  // what asked for it, and for a stop at once, for the session in hand or the next
	told    map[string]bool // what was said about routines that cannot be used
}

// keepSchedule calls do with the keeper of a workspace. [errKept]: another process is it.
func keepSchedule(a *cli.Env, ctx context.Context, p *schedule.Plans, do func(*keeper) error) (err error) {
	lock, err := schedule.TakeLock(p.Root)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	k := &keeper{Plans: p, env: a, running: running, passed: make(chan os.Signal, 2), told: map[string]bool{}}
	signals, release := a.Signals()
	done := make(chan struct{})
	var heard sync.WaitGroup
	heard.Go(func() {
		for range cap(k.passed) {
			select {
			case s := <-signals:
				stop()
				k.passed <- s
			case <-done:
				return
			}
		}
	})
	defer func() {
		release()
		close(done)
		heard.Wait()
		stop()
		err = errors.Join(err, lock.Release())
	}()
	return do(k)
}

// log writes a line about something that happened.
func (k *keeper) log(format string, args ...any) {
	k.env.Warn("%s", site.Clock(k.env.Now())+" "+hostile.Label(site.CutSecrets(fmt.Sprintf(format, args...))))
}

// attend carries out what is due until a stop is asked for. Its error is that of the ledger or the disk.
func (k *keeper) attend(ctx context.Context) error {
	files, err := k.RoutineFiles()
	if err != nil {
		return err
	}
	k.log("council daemon looks after %s: %s, and %s", k.Root.Path(), plural.Things(len(files), "routine"),
		plural.Things(len(k.Queue), "suspended session that is tried again", "suspended sessions that are tried again"))
	for _, f := range files {
		if err := RoutineProblem(k.env, k.Root, f); err != nil {
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
}

// step carries out one thing that is due. When nothing is, it returns when that changes, as far as is known; zero:
// never.
func (k *keeper) step(ctx context.Context) (acted bool, next time.Time, err error) {
	if err := k.Read(); err != nil {
		return false, next, err
	}
	if e, ok := k.Queue.Next(k.env.Now(), k.Busy); ok {
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

// nap waits until a time, a stop, or at most for [longestNap].
func (k *keeper) nap(until time.Time) {
	wait := longestNap
	if left := until.Sub(k.env.Now()); left > 0 {
		wait = min(wait, left)
	}
	ctx, cancel := context.WithTimeout(k.running, wait)
	defer cancel()
	if k.env.Wait != nil {
		_ = k.env.Wait(ctx, wait) // the caller looks at why it ended
		return
	}
	<-ctx.Done()
}

// retry records an entry about the queue and does what it announces.
func (k *keeper) retry(ctx context.Context, e audit.Entry) error {
	if err := k.Note(e); err != nil {
		return err
	}
	w := k.Queue[e.Session]
	if w == nil { // a person has dropped it, or closed the session, in this moment
		return nil
	}
	k.log("session %s is tried again: try %d of %d", e.Session, w.Tries, audit.RetryTries)
	err := k.run(func(a *cli.Env) error {
		result, err := run.Resume(ctx, a.World, &run.Resumption{Root: k.Root.Path(), Session: string(e.Session),
			Hold: run.Hold{Trust: cli.Trust(a), Unattended: true}}, run.Quiet{World: a.World})
		return cmp.Or(err, cli.ResultCode(result))
	})
	if errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun) {
		k.log("session %s is not tried any more: %v", e.Session, err)
		return k.Note(audit.Entry{Type: audit.TypeRetry, Action: audit.RetryGone, Session: e.Session, Events: w.Events})
	}
	return k.tell(e.Session, err)
}

// unwatched is how a session is shown that nobody watches.
var unwatched = session.Display{Quiet: true, Later: true}

// run calls do with an app that has nobody to ask, and writes what it warned of into the log.
func (k *keeper) run(do func(*cli.Env) error) (err error) {
	defer engine.CatchPanic(&err)
	var warned bytes.Buffer
	err = do(k.env.Alone(&cli.Output{Writer: &warned}, func() (<-chan os.Signal, func()) { return k.passed, func() {} }))
	var code cli.ExitCode
	if !errors.As(err, &code) || code != cli.ExitSuspended { // that is told with the next try
		for line := range strings.Lines(warned.String()) {
			k.log("  %s", strings.TrimRight(line, "\n"))
		}
	}
	return err
}

// tell writes into the log how a session stands after a try. The error is one that must end the keeper.
func (k *keeper) tell(id council.SessionID, err error) error {
	var code cli.ExitCode
	switch {
	case errors.Is(err, ledger.ErrUnwritten):
		return err
	case errors.Is(err, context.Canceled):
		k.log("session %s was stopped at once; a call that was cut off may be billed all the same", id)
		return nil
	case err != nil && !errors.As(err, &code):
		k.log("session %s: %s", id, withHint(err))
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
		words += fmt.Sprintf("; it was tried %s in vain and is parked: council retry release", plural.Things(w.Tries, "time"))
	default:
		words += "; the next try is due at " + site.Clock(w.Due.Local())
	}
	k.log("%s", words)
	return nil
}

// withHint returns the words of an error, and what to do about it.
func withHint(err error) string {
	_, hint := cli.Explain(err)
	return strings.TrimSpace(err.Error() + "\n" + hint)
}
