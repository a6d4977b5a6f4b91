package curator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/index"
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

// ErrNotIndexed means that memory has a change that recall does not find yet. [Curator.Recover] tries again.
var ErrNotIndexed = errors.New("it is remembered, and recall does not find it yet")

// staleFile is in the folder of the record while memory has a person's change that the index may lack. A close needs
// none, because its session is marked.
const staleFile = ".reindex"

// Change makes a person's change to memory and the index. [ErrNotIndexed]; after any other error, which is the store's,
// nothing was changed.
func (w *Curator) Change(ctx context.Context, c memory.Change, at time.Time,
	taken ...store.Edit) (store.Report, error) {
	if err := w.markStale(); err != nil {
		return store.Report{}, fmt.Errorf("cannot write in the folder of the record: %w", err)
	}
	report, err := w.Store.Change(c, at, taken...)
	if err != nil {
		return report, errors.Join(err, w.clearStale())
	}
	b, err := w.Store.Book(c.Member)
	if err != nil {
		return report, err
	}
	if err := w.index(ctx, nil, []memory.Book{b}, report.Wrote, nil); err != nil {
		return report, fmt.Errorf("%w: %w", ErrNotIndexed, err)
	}
	return report, w.clearStale()
}

func (f *files) markStale() error { return atomicfile.Mark(f.Root.Files(), staleFile) }

func (f *files) clearStale() error { return atomicfile.Discard(f.Root.Files(), staleFile) }

func (f *files) updateStale(ctx context.Context) error {
	if _, err := f.Root.Files().Lstat(staleFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := f.Store.Close(); err != nil { // which writes the pages of categories
		return err
	}
	var docs []index.Doc
	for d, err := range f.recordDocuments {
		if err != nil {
			return err
		}
		docs = append(docs, d)
	}
	if err := f.WithIndex(ctx, func(ix *index.Index) error { return ix.Put(ctx, docs...) }); err != nil {
		return fmt.Errorf("the index lacks what was changed last: %w", err)
	}
	return f.clearStale()
}
