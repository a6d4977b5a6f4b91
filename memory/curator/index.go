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
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
	"github.com/council-engine/council/recorder/wire"
)

// Index opens the index of the workspace, and builds a missing or incomplete one, which built reports. Where the record
// is read-only it is a copy. The caller closes it.
func (f *files) Index(ctx context.Context) (ix *index.Index, built bool, err error) {
	ix, err = index.Open(ctx, f.database())
	if errors.Is(err, index.ErrReadOnly) {
		ix, err = index.OpenCopy(ctx, f.database())
	}
	if err != nil {
		return nil, false, err
	}
	whole, err := ix.IsComplete(ctx)
	if err == nil && !whole {
		built = true
		err = ix.Rebuild(ctx, f.documents(nil))
	}
	if err != nil {
		return nil, false, errors.Join(err, ix.Close())
	}
	return ix, built, nil
}

// WithIndex runs do on the index. A damaged one has put itself aside, and is built again, once.
func (f *files) WithIndex(ctx context.Context, do func(*index.Index) error) error {
	for try := 1; ; try++ {
		ix, _, err := f.Index(ctx)
		if err == nil {
			err = errors.Join(do(ix), ix.Close())
		}
		if !errors.Is(err, index.ErrDamaged) || try > 1 {
			return err
		}
	}
}

func (f *files) index(ctx context.Context, docs []index.Doc, books []memory.Book, wrote []store.Written,
	rows []index.Session) error {
	for _, b := range books {
		for _, one := range wrote {
			if one.Member == b.Member { // records that have just left the book have changed too
				b.Records = slices.Concat(one.Moved, b.Records)
			}
		}
		docs = append(docs, bookDocs(b, b.Records)...)
	}
	return f.WithIndex(ctx, func(ix *index.Index) error {
		return errors.Join(ix.Put(ctx, docs...), ix.Keep(ctx, rows...))
	})
}

// documents yields the documents of the index: every closed session but some, the oldest first, and every record.
// Unreadable ones are left out; fsck and memory check name them.
func (f *files) documents(but map[council.SessionID]bool) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		var episodes []chronicle.Episode
		for e, err := range f.Chronicle.All() {
			if err == nil && !but[e.ID] {
				episodes = append(episodes, e)
			}
		}
		for _, e := range slices.Backward(episodes) {
			turns, _ := f.Chronicle.Turns(e)
			if !yieldAll(sessionDocs(e, turns), yield) {
				return
			}
		}
		f.recordDocuments(yield)
	}
}

func (f *files) recordDocuments(yield func(index.Doc, error) bool) {
	books, err := f.Store.Books()
	if err != nil {
		yield(index.Doc{}, err)
	}
	for _, b := range books {
		records, _ := f.Store.All(b.Member)
		slices.Reverse(records)
		if !yieldAll(bookDocs(b.Book, records), yield) {
			return
		}
	}
}

// yieldAll yields documents until no more are wanted, and reports whether it yielded all.
func yieldAll(docs []index.Doc, yield func(index.Doc, error) bool) bool {
	return !slices.ContainsFunc(docs, func(d index.Doc) bool { return !yield(d, nil) })
}

func sessionDocs(e chronicle.Episode, turns []chronicle.Turn) []index.Doc {
	docs := make([]index.Doc, 0, len(turns)+1)
	question := e.Topic
	for _, t := range turns {
		if t.Kind == chronicle.KindQuestion {
			question = t.Text
			continue
		}
		_, seq, err := chronicle.ParseTurnID(t.ID)
		if err != nil {
			continue
		}
		d := index.Doc{
			ID: t.ID, Kind: index.KindTurn, What: string(t.Kind), Session: e.ID, Topic: e.Topic, Event: seq.ID(),
			Name: t.Name, At: t.CreatedAt, Rehearsed: e.Rehearsed, Text: t.Text,
		}
		if t.Kind.ByPerson() {
			d.Name = t.Speaker
		} else {
			d.Member = council.MemberID(t.Speaker)
		}
		docs = append(docs, d)
	}
	return append(docs, index.Doc{
		ID: string(e.ID), Kind: index.KindEpisode, Session: e.ID, Topic: e.Topic, At: e.CreatedAt, Rehearsed: e.Rehearsed,
		Text: joinLines(question, e.Summary.ActionTaken, e.Summary.KeyOutcome, e.Summary.FutureImplication, e.Context),
	})
}

func bookDocs(b memory.Book, records []memory.Record) []index.Doc {
	by := map[string]string{}
	for _, r := range records {
		for _, old := range r.Supersedes {
			by[old] = r.ID
		}
	}
	var docs []index.Doc
	for _, r := range records {
		d := index.Doc{
			ID: r.ID, Kind: index.KindRecord, What: string(r.Kind), Member: b.Member, At: r.UpdatedAt,
			Status: string(r.Status), SupersededBy: by[r.ID], Rehearsed: r.Rehearsed, Text: joinLines(r.Told(), r.Detail),
		}
		if b.Member != "" {
			d.Name = b.Name
		}
		if len(r.Evidence) > 0 {
			d.Session, d.Event = r.Evidence[0].SessionID, r.Evidence[0].EventID
		}
		docs = append(docs, d)
	}
	return docs
}

func joinLines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

func (f *files) clearStale() error { return atomicfile.Discard(f.Root.Files(), staleFile) }

// Check checks all that follows from closed sessions and changes nothing: memory, with paths within its folder, and
// episodes, turns and the index, with paths within the folder of the record. An error says why nothing could be
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
	same, err := w.indexMatches(ctx, w.comparedDocuments(ids, func(more []error) { problems = append(problems, more...) }))
	if inRecord = council.Map(problems, findingOf); err == nil && !same {
		inRecord = append(inRecord, store.Found{Kind: store.Differs, Path: index.File,
			Problem: "The index does not hold what the sessions and memory hold: it is damaged, or something else " +
				"changed it."})
	}
	return inMemory, inRecord, err
}

type logResult struct {
	episode  chronicle.Episode
	turns    []chronicle.Turn
	problems []error // the differences of the files, if they are compared
	err      error   // of the log, or of the comparison
}

// readClosed yields the results of the logs, several of which are read at once, and compares the files with them.
func (f *files) readClosed(ids []council.SessionID, compare bool) iter.Seq2[council.SessionID, logResult] {
	return prefetch.Each(ids, func(id council.SessionID) (c logResult) {
		entries, err := f.Root.Read(id)
		if err != nil || wire.Closing(entries) < 0 {
			return logResult{err: err}
		}
		c.episode, c.turns = chronicle.Of(entries)
		if compare {
			c.problems, c.err = f.Chronicle.Compare(c.episode, c.turns)
		}
		return c
	})
}

// comparedDocuments yields the documents of the index, those of closed sessions by their logs, and reports differences
// of their episodes and turns to note. It reads each log once.
func (f *files) comparedDocuments(ids []council.SessionID, note func([]error)) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		told := map[council.SessionID]bool{}
		for id, c := range f.readClosed(ids, true) {
			note(c.problems)
			if told[id] = c.episode.ID != ""; !told[id] {
				continue // it is open, or its log is lost, which is reported elsewhere
			}
			if c.err != nil {
				yield(index.Doc{}, c.err)
				return
			}
			if !yieldAll(sessionDocs(c.episode, c.turns), yield) {
				return
			}
		}
		for d, err := range f.documents(told) {
			if !yield(d, err) {
				return
			}
		}
	}
}

// indexMatches reports whether the index has exactly the documents, all of which are read in any case. A missing index
// has.
func (f *files) indexMatches(ctx context.Context, docs iter.Seq2[index.Doc, error]) (same bool, err error) {
	wanted, err := dump(ctx, "", docs)
	if info, missing := os.Stat(f.database()); err != nil || missing != nil || info.Size() == 0 {
		return err == nil, err
	}
	held, err := dump(ctx, f.database(), nil)
	if errors.Is(err, index.ErrDamaged) {
		return false, nil
	}
	return held == wanted, err
}

// dump returns the SHA-256 of the contents of an index, or of one that is built from documents.
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

func findingOf(err error) store.Found {
	f := store.Found{Kind: store.Unreadable, Problem: err.Error(), Err: err}
	if errors.Is(err, episodes.ErrDiffers) {
		f.Kind = store.Differs
	}
	if at := new(episodes.PathError); errors.As(err, &at) {
		text := at.Err.Error()
		f.Path, f.Problem = at.Path, strings.ToUpper(text[:1])+text[1:]+"."
	}
	return f
}

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Memory          store.Report
	Sessions, Turns int     // the number of episodes and turns now
	Unread          []error // sessions that could not be read
}

// Rebuild makes everything that follows from closed sessions again: memory from its journal, episodes, turns and the
// index. Correct files stay. Sessions that are in no step of the journal come into it.
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
	for id, c := range w.readClosed(ids, false) {
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

// Adopted writes the episodes and turns of the sessions that were adopted from roundtable, and returns their numbers.
// It reports unreadable sessions to unread.
func (f *files) Adopted(unread func(error)) (sessions, turns int, err error) {
	err = roundtable.In(f.Root.Files(), func(r *roundtable.Record) error {
		all, failed := r.Sessions()
		for _, err := range failed {
			unread(err)
		}
		for _, s := range all {
			episode, said := chronicle.Of(s.Log)
			if err := f.Chronicle.Write(episode, said); err != nil {
				return err
			}
			sessions++
			turns += len(said)
		}
		return nil
	})
	return sessions, turns, err
}

// Reindex builds the database anew, and no file. It returns the numbers of sessions, calls and texts in it, and reports
// unreadable ones to failed.
func (f *files) Reindex(ctx context.Context, failed func(error)) (sessions, calls, texts int, err error) {
	ix, err := index.Open(ctx, f.database())
	if err != nil {
		return 0, 0, 0, err
	}
	if err = ix.Rebuild(ctx, f.documents(nil)); err == nil {
		err = history.CatchUp(ctx, f.Root, ix, failed)
	}
	if err == nil {
		sessions, calls, texts, err = ix.Counts(ctx)
	}
	return sessions, calls, texts, errors.Join(err, ix.Close())
}
