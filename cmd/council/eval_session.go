package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// evalBench is where the sessions of an evaluation are held.
type evalBench struct {
	*app
	root      *recorder.Root
	roster    *seating.Roster // one for all questions: limits of calls a minute hold across them
	interrupt <-chan struct{}
}

// look returns the session of a question as far as it has come, or nil when none has begun.
func (b *evalBench) look(id council.SessionID) (*rules.Session, error) {
	entries, err := b.root.Read(id)
	if errors.Is(err, recorder.ErrUnknownSession) || errors.Is(err, recorder.ErrNotBegun) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return rules.Replay(rules.Log(expunge.Restated(entries)...))
}

// hold begins the session of a question or goes on with it, until it is closed or, for the fault returned, suspended.
func (b *evalBench) hold(ctx context.Context, id council.SessionID, c council.Charter, t council.Topic) (_ *rules.Session, stopped *council.Fault, err error) {
	folder, s, err := b.open(id, c, t)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if s.Ready().Outcome != nil { // it was cut off between its end and its files
		return s, nil, folder.Finalize()
	}
	if s.Budget() != c.Budget {
		if err := settle(s, folder, council.BudgetAmended{By: b.By(), Budget: c.Budget}); err != nil {
			return nil, nil, err
		}
	}
	doubtful, err := folder.Ambiguous()
	if err != nil {
		return nil, nil, err
	}
	for _, ask := range doubtful {
		b.Warn("Asked before session %s was cut off, and asked again; it is not known whether that was paid for: %s", id, ask)
	}
	members, budget, err := b.roster.Seat(folder, s, nil)
	if err != nil {
		return nil, nil, err
	}
	ctx = member.Listen(ctx, func(w member.Wait) { fmt.Fprintln(b.Errs, terminal.Waiting(s.Charter(), w, b.Now())) })
	result, err := engine.Run(ctx, s, members, folder, engine.Options{By: b.By(), Interrupt: b.interrupt, Admit: budget.Admit})
	if err != nil {
		return nil, nil, err
	}
	return s, result.Suspended, folder.Finalize()
}

// open takes the folder of a session for writing. A session that has not begun begins.
func (b *evalBench) open(id council.SessionID, c council.Charter, t council.Topic) (*recorder.Session, *rules.Session, error) {
	folder, err := b.root.Resume(id, b.Inputs())
	if err == nil {
		s, err := rules.Replay(rules.Log(expunge.Restated(folder.Entries())...))
		if err != nil {
			return nil, nil, errors.Join(err, folder.Close())
		}
		return folder, s, nil
	}
	if !errors.Is(err, recorder.ErrUnknownSession) && !errors.Is(err, recorder.ErrNotBegun) {
		return nil, nil, err
	}
	opening, err := rules.Open(id, t, c)
	if err != nil {
		return nil, nil, err
	}
	if folder, err = b.root.Create(id, b.Inputs()); err != nil {
		return nil, nil, err
	}
	if err := folder.Append(opening); err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	s, err := rules.Replay(rules.Log(opening))
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, s, nil
}

// evalFolder is the folder of an evaluation, held by one process.
type evalFolder struct {
	path  string
	files atomicfile.Files
	lock  *atomicfile.Lock
}

// takeEvalFolder makes the folder if there is none, and takes it.
func (a *app) takeEvalFolder(path string) (*evalFolder, error) {
	through := a.Layer
	if through == nil {
		through = func(f atomicfile.Files) atomicfile.Files { return f }
	}
	if failed, err := atomicfile.EnsurePath(path, through); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", failed, err)
	}
	files, err := atomicfile.OpenDir(path)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be used: %w", path, err)
	}
	files = through(files)
	lock, err := atomicfile.TakeLock(files, "eval.lock")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the folder %s cannot be used: %w", path, err), files.Close())
	}
	return &evalFolder{path: path, files: files, lock: lock}, nil
}

func (p *evalFolder) put(name string, text []byte) error {
	return atomicfile.Write(p.files, name, text)
}

func (p *evalFolder) leave() error { return errors.Join(p.lock.Release(), p.files.Close()) }
