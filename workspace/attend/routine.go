package attend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

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
		return true, due, k.tell(id, err)
	}
	k.log("routine %s cannot be convened: %s", f.Name, k.withHint(err))
	return true, due, nil
}

// unusable writes into the log why a routine cannot be convened, once for each reason.
func (k *Keeper) unusable(f schedule.Routine, err error) {
	words := fmt.Sprintf("routine %s cannot be convened: %v", f.Name, err)
	if !k.told[words] {
		k.told[words] = true
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
