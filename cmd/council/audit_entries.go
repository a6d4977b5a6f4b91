package main

import (
	"fmt"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/workspace"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/recorder/wire"
)

// ledgers are those that a command has opened, by the path of their workspace.
type ledgers struct {
	mu sync.Mutex
	of map[string]*ledger.Ledger
}

// ledger returns the ledger of a workspace. It is the same one until the command ends, also for another root of the
// same path, so that the entries of all who wait are written together.
func (a *app) ledger(root *recorder.Root) (*ledger.Ledger, error) {
	a.ledgers.mu.Lock()
	defer a.ledgers.mu.Unlock()
	if kept, ok := a.ledgers.of[root.Path()]; ok {
		return kept, nil
	}
	files, err := atomicfile.OpenDir(root.Path())
	if err != nil {
		return nil, err
	}
	if a.ledgers.of == nil {
		a.ledgers.of = map[string]*ledger.Ledger{}
	}
	opened := ledger.Open(a.Through(files), a.Now)
	a.ledgers.of[root.Path()] = opened
	return opened, nil
}

// close closes them. What it fails to sync are no more than the last lines of what calls took.
func (l *ledgers) close() {
	for _, one := range l.of {
		_ = one.Close()
	}
}

// enter records entries in the ledger of a workspace, before what they announce is done.
func (a *app) enter(root *recorder.Root, entries ...audit.Entry) error {
	l, err := a.ledger(root)
	for _, e := range entries {
		if err == nil {
			_, err = l.Append(e)
		}
	}
	return err
}

// inputs returns the clock and the salts of the records in a workspace, and enters in its ledger what is about to be
// recorded: ends of sessions, and rulings of people.
func (a *app) inputs(root *recorder.Root) recorder.Inputs {
	in := a.Inputs()
	in.Announce = func(w wire.Entry) error {
		e, ok := announcement(w)
		if !ok {
			return nil
		}
		return a.enter(root, e)
	}
	return in
}

// announcement returns what the ledger has of an event; ok is false for most events.
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

// enterForgetting records which sessions and records are about to lose words.
func (a *app) enterForgetting(root *recorder.Root, o workspace.ForgetPlan) error {
	var entries []audit.Entry
	for _, r := range o.Records {
		entries = append(entries, audit.Entry{Type: audit.TypeMemory, By: a.By(), What: r.ID, Action: "forget"})
	}
	for _, r := range o.Reduced {
		entries = append(entries, audit.Entry{Type: audit.TypeMemory, By: a.By(), What: r.ID, Action: "forget words of it"})
	}
	for _, id := range o.Sessions() {
		log, err := root.Read(id)
		if err != nil {
			return err
		}
		entries = append(entries, audit.Entry{Type: audit.TypeSession, Session: id, By: a.By(),
			Action: audit.ActionForgotten, Digest: log[len(log)-1].Sum, Events: len(log)})
	}
	return a.enter(root, entries...)
}
