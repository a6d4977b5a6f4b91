package curator

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// Check looks through all that follows from closed sessions and changes nothing: memory, with paths within its folder,
// and episodes, turns and the index, with paths within the folder of the record. An error says why nothing could be
// checked.
func (w *Curator) Check(ctx context.Context) (inMemory, inRecord []store.Found, err error) {
	if inMemory, err = w.Store.Check(); err != nil {
		return nil, nil, err
	}
	problems := w.Chronicle.Check()
	ids, err := w.Root.IDs()
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(ids)
	same, err := w.indexed(ctx, w.compared(ids, func(more []error) { problems = append(problems, more...) }))
	for _, err := range problems {
		inRecord = append(inRecord, derived(err))
	}
	if err == nil && !same {
		inRecord = append(inRecord, store.Found{Kind: store.Differs, Path: index.File,
			Problem: "The index does not hold what the sessions and memory hold: it is damaged, or something else " +
				"changed it."})
	}
	return inMemory, inRecord, err
}

// closed is what the log of a session yields; nothing for one that is not closed.
type closed struct {
	episode  chronicle.Episode
	turns    []chronicle.Turn
	problems []error // in which the files differ, if they are compared
	err      error   // of the log, or of what kept the files from being compared
}

// closed yields what sessions leave by their logs, several of which are read at once, and compares the files with it.
func (w *Curator) closed(ids []council.SessionID, compare bool) iter.Seq2[council.SessionID, closed] {
	return prefetch.Each(ids, func(id council.SessionID) (c closed) {
		entries, err := w.Root.Read(id)
		if err != nil || wire.Closing(entries) < 0 {
			return closed{err: err}
		}
		c.episode, c.turns = chronicle.Of(entries)
		if compare {
			c.problems, c.err = w.Chronicle.Compare(c.episode, c.turns)
		}
		return c
	})
}

// compared are [Curator.Documents], those of closed sessions by their logs: note is told in what their episodes and
// turns differ. Each log is read once.
func (w *Curator) compared(ids []council.SessionID, note func([]error)) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		told := map[council.SessionID]bool{}
		for id, c := range w.closed(ids, true) {
			note(c.problems)
			if told[id] = c.episode.ID != ""; !told[id] {
				continue // it is not closed, or a log that memory needs and that is lost: that is named already
			}
			if c.err != nil {
				yield(index.Doc{}, c.err)
				return
			}
			if !each(sessionDocs(c.episode, c.turns), yield) {
				return
			}
		}
		for d, err := range w.documents(told) {
			if !yield(d, err) {
				return
			}
		}
	}
}

// indexed reports whether the index holds the documents, all of which are read in any case. One that is yet to be built
// does.
func (w *Curator) indexed(ctx context.Context, docs iter.Seq2[index.Doc, error]) (same bool, err error) {
	var held [sha256.Size]byte
	info, err := os.Stat(w.database())
	absent := err != nil || info.Size() == 0
	if !absent {
		held, err = dump(ctx, w.database(), nil)
	}
	if absent || errors.Is(err, index.ErrDamaged) {
		for _, err := range docs {
			if err != nil {
				return false, err
			}
		}
		return absent, nil
	}
	if err != nil {
		return false, err
	}
	wanted, err := dump(ctx, "", docs)
	return held == wanted, err
}

// dump returns the SHA-256 of what a copy of an index holds, or of one that is built from documents.
func dump(ctx context.Context, path string, docs iter.Seq2[index.Doc, error]) (sum [sha256.Size]byte, err error) {
	ix, err := index.OpenCopy(ctx, path)
	if err != nil {
		return sum, err
	}
	if docs != nil {
		err = ix.Rebuild(ctx, docs)
	}
	h := sha256.New()
	if err == nil {
		err = ix.Dump(ctx, h)
	}
	h.Sum(sum[:0])
	return sum, errors.Join(err, ix.Close())
}

// derived turns an error about an episode or a turn into a finding.
func derived(err error) store.Found {
	f := store.Found{Kind: store.Unreadable, Problem: err.Error(), Err: err}
	if errors.Is(err, episodes.ErrDiffers) {
		f.Kind = store.Differs
	}
	if at := new(episodes.PathError); errors.As(err, &at) {
		f.Path, f.Problem = at.Path, sentence(at.Err)
	}
	return f
}

// sentence returns an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Memory          store.Report
	Sessions, Turns int     // that have episodes and turns now
	Unread          []error // sessions that could not be read
}

// Rebuild makes everything that follows from closed sessions again: memory from its journal, episodes, turns and the
// index. What is as it should be is left as it is. Sessions that are in no step of the journal come into it.
func (w *Curator) Rebuild(ctx context.Context) (Rebuilt, error) {
	var done Rebuilt
	ids, err := w.Root.IDs()
	if err != nil {
		return done, err
	}
	slices.Sort(ids)
	if done.Memory, err = w.Store.Rebuild(ids...); err != nil {
		return done, err
	}
	for id, c := range w.closed(ids, false) {
		if c.err != nil && !errors.Is(c.err, recorder.ErrNotBegun) {
			done.Unread = append(done.Unread, fmt.Errorf("session %s: %w", id, c.err))
		}
		if c.episode.ID == "" {
			continue
		}
		if err := w.Chronicle.Write(c.episode, c.turns); err != nil {
			return done, err
		}
		done.Sessions++
		done.Turns += len(c.turns)
	}
	sessions, turns, err := w.Adopted(func(err error) { done.Unread = append(done.Unread, err) })
	done.Sessions, done.Turns = done.Sessions+sessions, done.Turns+turns
	if err != nil {
		return done, err
	}
	_, _, _, err = w.Reindex(ctx, func(error) {})
	return done, err
}

// Adopted writes the episodes and turns of the sessions that were taken over from roundtable, if there are any, and
// returns how many of both there are. The sessions that it cannot read are told to unread.
func (w *Curator) Adopted(unread func(error)) (sessions, turns int, err error) {
	r, err := roundtable.Open(w.Root.Files())
	if errors.Is(err, roundtable.ErrNone) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	all, failed := r.Sessions()
	for _, err := range failed {
		unread(err)
	}
	for _, s := range all {
		episode, said := chronicle.Of(s.Log)
		if err := w.Chronicle.Write(episode, said); err != nil {
			return sessions, turns, err
		}
		sessions++
		turns += len(said)
	}
	return sessions, turns, nil
}

// Reindex builds the database anew, and no file. It returns how many sessions, calls and texts it holds now. What
// cannot be read is told to failed, and is not in it.
func (w *Curator) Reindex(ctx context.Context, failed func(error)) (sessions, calls, texts int, err error) {
	ix, err := index.Open(ctx, w.database())
	if err != nil {
		return 0, 0, 0, err
	}
	if err = ix.Rebuild(ctx, w.Documents()); err == nil {
		err = history.CatchUp(ctx, w.Root, ix, failed)
	}
	if err == nil {
		sessions, calls, texts, err = ix.Counts(ctx)
	}
	return sessions, calls, texts, errors.Join(err, ix.Close())
}
