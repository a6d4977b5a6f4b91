package closing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/shelf"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
)

// Rebuilt says what a rebuild did.
type Rebuilt struct {
	Memory          shelf.Report
	Sessions, Turns int      // that have episodes and turns now
	Unread          []error  // sessions that could not be read
	Aside           []string // packs that could not be read, as they are called now
}

// Rebuild makes everything that follows from closed sessions again: memory from its journal, episodes, turns and the
// index. What is as it should be is left as it is. Sessions that are in no step of the journal come into it.
func (w *Workspace) Rebuild(ctx context.Context, now time.Time) (Rebuilt, error) {
	var done Rebuilt
	sessions, err := w.Root.List()
	if err != nil {
		return done, err
	}
	var closed []council.SessionID
	for _, s := range slices.Backward(sessions) {
		switch {
		case s.Err != nil && !errors.Is(s.Err, recorder.ErrNotBegun):
			done.Unread = append(done.Unread, fmt.Errorf("session %s: %w", s.ID, s.Err))
		case s.Status == recorder.StatusClosed:
			closed = append(closed, s.ID)
		}
	}
	if done.Memory, err = w.Shelf.Rebuild(closed...); err != nil {
		return done, err
	}
	if done.Aside, err = w.Chronicle.SetAside(now); err != nil {
		return done, err
	}
	for _, id := range closed {
		entries, err := w.Root.Closed(id)
		if err != nil || entries == nil {
			continue // it was read a moment ago: List says what is wrong
		}
		episode, turns := chronicle.Of(entries)
		if err := w.Chronicle.Write(episode, turns); err != nil {
			return done, err
		}
		done.Sessions++
		done.Turns += len(turns)
	}
	return done, w.Reindex(ctx)
}

// Reindex builds the index anew.
func (w *Workspace) Reindex(ctx context.Context) error {
	ix, err := index.Open(ctx, w.database())
	if err != nil {
		return err
	}
	return errors.Join(ix.Rebuild(ctx, w.Documents()), ix.Close())
}
