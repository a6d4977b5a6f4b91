package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/wire"
)

// OpenLedger returns the ledger of a workspace. All roots of one path share a ledger until the world is closed, so
// that concurrent entries are written together.
func (w *World) OpenLedger(root *recorder.Root) (*ledger.Ledger, error) {
	w.opened.mu.Lock()
	defer w.opened.mu.Unlock()
	if kept, ok := w.opened.ledgers[root.Path()]; ok {
		return kept, nil
	}
	files, err := atomicfile.OpenDir(root.Path())
	if err != nil {
		return nil, err
	}
	l := ledger.Open(w.Through(files), w.Now)
	w.opened.ledgers[root.Path()] = l
	return l, nil
}

// Enter records entries in the ledger of a workspace, before the acts that they announce.
func (w *World) Enter(root *recorder.Root, entries ...audit.Entry) error {
	l, err := w.OpenLedger(root)
	for _, e := range entries {
		if err == nil {
			_, err = l.Append(e)
		}
	}
	return err
}

// Clock returns the clock and the salts of records, for changes that the ledger does not list.
func (w *World) Clock() recorder.Inputs { return recorder.Inputs{Now: w.Now, Random: w.Random} }

// Inputs returns the clock and the salts of the records in a workspace, with a hook that enters ends of sessions and
// people's rulings in its ledger before they are recorded.
func (w *World) Inputs(root *recorder.Root) recorder.Inputs {
	in := w.Clock()
	in.Announce = func(entry wire.Entry) error {
		e, ok := announcement(entry)
		if !ok {
			return nil
		}
		return w.Enter(root, e)
	}
	return in
}

// announcement returns the ledger entry for an event; ok is false for most events.
func announcement(w wire.Entry) (e audit.Entry, ok bool) {
	e = audit.Entry{Type: audit.TypeApproval, Session: w.Session, Events: int(w.Seq)}
	switch p := w.Payload.(type) {
	case council.SessionClosed:
		e.Type, e.Action, e.Digest = audit.TypeSession, audit.ActionClosed, w.Sum
	case council.SessionSuspended:
		e.Type, e.Action, e.Digest, e.Why = audit.TypeSession, audit.ActionSuspended, w.Sum, string(p.Fault.Kind)
	case council.DraftDecided:
		e.Action, e.Digest = "document not approved", p.SHA256
		if p.Result == quorum.Carried {
			e.Action = "document approved"
		}
	case council.BriefAmended:
		e.By, e.Action, e.Digest = p.By, "brief amended", p.BriefSHA256
	case council.ExecutionApproved:
		e.By, e.Action, e.Digest = p.By, "execution approved", p.BriefSHA256
		if p.InAdvance {
			e.Action += " in advance"
		}
	case council.ExecutionRejected:
		e.By, e.Action, e.Digest = p.By, "execution rejected", p.BriefSHA256
	case council.ExecutionStarted:
		e.By, e.Action, e.Digest = p.By, "execution started", p.BriefSHA256
	case council.ExecutionFinished:
		e.By, e.Action = p.By, fmt.Sprintf("execution finished, succeeded: %t", p.Succeeded)
	default:
		return e, false
	}
	return e, true
}

// EnterForgetting enters the sessions and records from which a plan will erase words.
func EnterForgetting(w *World, root *recorder.Root, o curator.ForgetPlan) error {
	var entries []audit.Entry
	for _, r := range o.Records {
		entries = append(entries, audit.Entry{Type: audit.TypeMemory, By: w.User().Name(), What: r.ID, Action: "forget"})
	}
	for _, id := range o.Sessions() {
		log, err := root.Read(id)
		if err != nil {
			return err
		}
		entries = append(entries, audit.Entry{Type: audit.TypeSession, Session: id, By: w.User().Name(),
			Action: audit.ActionForgotten, Digest: log[len(log)-1].Sum, Events: len(log)})
	}
	return w.Enter(root, entries...)
}

// BeginRun enters in the ledger that a command begins to work on a session, before any member is asked. The returned
// function enters how the run ended: suspended by a fault, with an error, or closed.
func BeginRun(w *World, root *recorder.Root, id council.SessionID, command string) (func(*council.Fault, error),
	error) {
	l, err := w.OpenLedger(root)
	if err != nil {
		return nil, err
	}
	n, err := l.Append(audit.Entry{
		Type: audit.TypeRun, Action: audit.RunBegun, Session: id, What: command, By: w.User().Name(),
	})
	if err != nil {
		return nil, err
	}
	return func(suspended *council.Fault, err error) {
		e := audit.Entry{Type: audit.TypeRun, Action: audit.RunClosed, Session: id, Of: n}
		switch {
		case errors.Is(err, context.Canceled):
			e.Action, e.Why = audit.RunFailed, "stopped at once"
		case err != nil:
			e.Action, e.Why = audit.RunFailed, hostile.Shorten(CutSecrets(hostile.Line(err.Error())), 200)
		case suspended != nil:
			e.Action, e.Why = audit.RunSuspended, string(suspended.Kind)
		}
		if _, err := l.Append(e); err != nil { // what the session holds is recorded all the same
			w.Warn("council: the end of this run is not in the ledger: %v", err)
		}
	}, nil
}
