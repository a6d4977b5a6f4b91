package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// Rebuilt says what a rebuild did.
type Rebuilt struct {
	Memory          store.Report
	Sessions, Turns int      // that have episodes and turns now
	Unread          []error  // sessions that could not be read
	Aside           []string // packs that could not be read, as they are called now
}

// Rebuild makes everything that follows from closed sessions again: memory from its journal, episodes, turns and the
// index. What is as it should be is left as it is. Sessions that are in no step of the journal come into it.
func (w *Workspace) Rebuild(ctx context.Context, now time.Time) (Rebuilt, error) {
	var done Rebuilt
	ids, err := w.Root.IDs()
	if err != nil {
		return done, err
	}
	slices.Sort(ids)
	if done.Memory, err = w.Store.Rebuild(ids...); err != nil {
		return done, err
	}
	if done.Aside, err = w.Chronicle.SetAside(now); err != nil {
		return done, err
	}
	type closed struct {
		episode chronicle.Episode
		turns   []chronicle.Turn
		ok      bool
		err     error
	}
	for id, c := range ahead.Each(ids, func(id council.SessionID) (c closed) {
		entries, err := w.Root.Read(id)
		if c.err = err; err == nil && hasClosed(entries) {
			c.episode, c.turns = chronicle.Of(entries)
			c.ok = true
		}
		return c
	}) {
		if c.err != nil && !errors.Is(c.err, recorder.ErrNotBegun) {
			done.Unread = append(done.Unread, fmt.Errorf("session %s: %w", id, c.err))
		}
		if !c.ok {
			continue
		}
		if err := w.Chronicle.Write(c.episode, c.turns); err != nil {
			return done, err
		}
		done.Sessions++
		done.Turns += len(c.turns)
	}
	return done, w.Reindex(ctx)
}

func hasClosed(entries []wire.Entry) bool {
	return slices.ContainsFunc(entries, func(e wire.Entry) bool { return e.Type() == council.TypeOf[council.SessionClosed]() })
}

// Reindex builds the index anew.
func (w *Workspace) Reindex(ctx context.Context) error {
	ix, err := index.Open(ctx, w.database())
	if err != nil {
		return err
	}
	return errors.Join(ix.Rebuild(ctx, w.Documents()), ix.Close())
}
