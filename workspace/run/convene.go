package run

import (
	"context"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/memory/curator"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/site"
)

// Convene holds the session of a plan that was admitted, until it is closed or suspended.
func Convene(ctx context.Context, w *site.World, r *Request, p *Plan, face Face) (engine.Result, error) {
	root, err := recorder.OpenRoot(p.Charter.Storage.RootDir, w.Layer)
	if err != nil {
		return engine.Result{}, err
	}
	defer root.Close()
	of, err := w.OpenMemory(root, &p.Charter)
	if err != nil {
		return engine.Result{}, err
	}
	if r.Share == nil { // else that was done for all sessions
		if err := w.FinishMemory(ctx, of); err != nil {
			return engine.Result{}, err
		}
		registry.NoteUse(w, root)
	}
	if r.Begins != nil {
		if err := r.Begins(p.ID); err != nil {
			return engine.Result{}, err
		}
	}
	folder, err := root.Create(p.ID, w.Inputs(root))
	if err != nil {
		return engine.Result{}, err
	}
	defer folder.Close()
	session, reminders, err := open(ctx, w, of, folder, p, r)
	if err != nil {
		return engine.Result{}, err
	}
	face.Planned(p, reminders)
	s := &Session{Root: root, Folder: folder, Session: session, hold: r.Hold, command: "convene"}
	return s.drive(ctx, w, face)
}

// ConveneQuietly plans and holds a session that nobody watches.
func ConveneQuietly(ctx context.Context, w *site.World, r *Request) (engine.Result, error) {
	p, err := NewPlan(ctx, w, r)
	if err == nil {
		err = p.Admit(ctx, w, r)
	}
	if err != nil {
		return engine.Result{}, err
	}
	return Convene(ctx, w, r, p, Quiet{w})
}

// open records the beginning of a session: the opening with what memory reminds of, and what it recalls beyond that.
func open(ctx context.Context, w *site.World, of *curator.Curator, folder *recorder.Session, p *Plan,
	r *Request) (*rules.Session, []council.Reminder, error) {
	var begins curator.OpeningMemory
	if !r.NoMemory {
		begins = of.Remind(&p.Charter, p.Topic, w.Now(), w.Notices().Problem)
	}
	opening, err := rules.Open(p.ID, p.Topic, p.Charter, begins.Reminders...)
	if err != nil {
		return nil, nil, err
	}
	session, err := site.Begin(folder, opening)
	if err != nil || r.NoRecall || r.NoMemory {
		return session, begins.Reminders, err
	}
	recalled, found, err := of.Recall(ctx, p.Topic.Text, begins)
	if err != nil {
		w.Notices().Problem(err)
	}
	if !found {
		return session, begins.Reminders, nil
	}
	return session, begins.Reminders, engine.Rule(session, folder, recalled)
}
