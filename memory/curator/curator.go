// Package curator does the work that follows the close of a session: its step in memory's journal, the books, its
// episode and turns, the index. All of it follows from the session's log and is repeated until it is done: a session is
// marked in its workspace from its beginning until then.
//
// It also gives memory to a session that begins: see [Curator.Remind] and [Curator.Recall].
package curator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/groupcommit"
	"github.com/council-engine/council/internal/hostile"
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

// Curator is a record with the memory that belongs to it.
type Curator struct {
	files
	options store.Options
	closes  *groupcommit.Queue[*pendingClose]
}

// files are the record, memory, and the episodes, turns and index that follow from both.
type files struct {
	Root      *recorder.Root
	Store     *store.Store
	Chronicle *episodes.Files
}

// Open returns the curator of a record and a folder of memory. It changes nothing; the caller closes the root.
func Open(root *recorder.Root, memoryDir string, options store.Options) (*Curator, error) {
	if options.Load == nil {
		options.Load = root.Read
	}
	s, err := openStore(root, memoryDir, options)
	if err != nil {
		return nil, err
	}
	return &Curator{files{root, s, episodes.New(root.Files())}, options, new(groupcommit.Queue[*pendingClose])}, nil
}

// openStore opens the memory in a folder, unless it is reached by a link from the folder of the record.
func openStore(root *recorder.Root, dir string, options store.Options) (*store.Store, error) {
	if err := atomicfile.RefuseLinks(root.Path(), dir); err != nil {
		return nil, fmt.Errorf("cannot open memory: %w; "+
			"put the folder itself there, or name its whole path in storage.memoryDir", err)
	}
	for _, name := range []string{recorder.SessionsFolder, recorder.LocksFolder, recorder.ArchiveFolder, "open", "turns",
		"episodes", roundtable.Folder} {
		inside := filepath.Join(root.Path(), name)
		if rel, err := filepath.Rel(absolutePath(inside), absolutePath(dir)); err == nil && filepath.IsLocal(rel) {
			return nil, fmt.Errorf("cannot open memory: %s is in %s, where the record keeps files of its own; "+
				"name another folder in storage.memoryDir", filepath.ToSlash(dir), filepath.ToSlash(inside))
		}
	}
	return store.Open(dir, options)
}

// MemoryDir returns the folder of memory of a charter whose record is in root: memory inside the folder of the record
// moves with it.
func MemoryDir(s council.Storage, root string) string {
	if in, err := filepath.Rel(s.RootDir, s.MemoryDir); err == nil && filepath.IsLocal(in) {
		return filepath.Join(root, in)
	}
	return s.MemoryDir
}

func (f *files) database() string { return filepath.Join(f.Root.Path(), index.File) }

// OpeningMemory is the memory for a session that opens.
type OpeningMemory struct {
	Reminders []council.Reminder  // the council's first, then in seat order
	unfaded   []council.SessionID // sessions whose records have not faded from the council's memory
	rehearsal bool                // all members are the rehearsal
}

// Remind returns the reminders of the council and its members for a session on a topic that opens now. An unreadable
// book is reported to failed and left out.
func (w *Curator) Remind(c *council.Charter, topic council.Topic, now time.Time, failed func(error)) OpeningMemory {
	about := memory.About(topic)
	begins := OpeningMemory{rehearsal: c.Rehearsing() == len(c.Members)}
	for _, owner := range append([]council.MemberID{""}, c.Seats()...) {
		b, err := w.Store.Book(owner)
		if err != nil {
			failed(err)
			continue
		}
		if r := memory.Digest(b, now, about, c.ReminderSize(owner), begins.rehearsal); len(r.Records) > 0 {
			begins.Reminders = append(begins.Reminders, r)
		}
		if owner == "" {
			begins.unfaded = b.Unfaded()
		}
	}
	return begins
}

// Recall searches the index for texts on a topic that the reminders lack: not in the sessions that have not faded, nor,
// unless the session is a rehearsal, in rehearsals. It reports whether there are any.
func (w *Curator) Recall(ctx context.Context, topic string, begins OpeningMemory) (council.MemoryRecalled, bool,
	error) {
	var reminded []string
	for _, r := range begins.Reminders {
		for _, m := range r.Records {
			reminded = append(reminded, m.ID)
		}
	}
	var hits []index.Hit
	err := w.WithIndex(ctx, func(ix *index.Index) (err error) {
		hits, err = ix.Recollect(ctx, topic, index.Query{
			Except: begins.unfaded, Without: reminded, Unrehearsed: !begins.rehearsal,
		})
		return err
	})
	if err != nil || len(hits) == 0 {
		return council.MemoryRecalled{}, false, err
	}
	r := council.MemoryRecalled{Query: hostile.Shorten(topic, council.MaxRecallQuery)}
	for _, h := range hits {
		r.Hits = append(r.Hits, council.Recollection{
			ID: h.ID, Kind: string(h.Kind), Session: h.Session, Speaker: h.Name,
			Date: h.At.UTC().Format(time.DateOnly), Text: hostile.Shorten(h.Text, council.MaxRecollection),
		})
	}
	return r, true, nil
}

// Finished is the result of a close.
type Finished struct {
	Session council.SessionID
	Memory  store.Report
	Kept    map[memory.Kind]int // the number of records with evidence in this session, by kind, in all books
	Turns   int                 // the number of its turns
	Forgot  *ForgetResult       // with no session: the rest of a forgetting that was cut off
}

// Finish completes the work that follows a session's close, and removes the session's mark. An open session has none.
// The caller holds the session, whose log this is.
//
// It is safe for concurrent use. Sessions that close while memory is written are folded in together afterwards: the
// journal grows once for all, and each book and the index are written once.
//
// After an error the mark stays, and [Curator.Recover] tries again.
func (w *Curator) Finish(ctx context.Context, id council.SessionID, entries []wire.Entry) (Finished, error) {
	c := &pendingClose{Finished: Finished{Session: id}, err: errors.New("its close was cut off")}
	if wire.Closing(entries) < 0 {
		return c.Finished, nil
	}
	c.session = memory.Session{ID: id, Entries: entries, From: 1}
	c.episode, c.turns = chronicle.Of(entries)
	c.row = history.Closed(w.Root, id, entries)
	w.closes.Do(c, func(all []*pendingClose) { w.finish(ctx, all) })
	if c.err != nil {
		return c.Finished, c.err
	}
	return c.Finished, w.Root.Unsettled.Clear(id)
}

type pendingClose struct {
	Finished
	session memory.Session
	episode chronicle.Episode
	turns   []chronicle.Turn
	row     *index.Session // nil if it cannot be read, which a list of sessions reports
	err     error
}

// finish is Finish for all sessions that closed meanwhile.
func (w *Curator) finish(ctx context.Context, all []*pendingClose) {
	var sessions []memory.Session
	owners := []council.MemberID{""}
	for _, c := range all {
		sessions = append(sessions, c.session)
		started, _ := wire.Started(c.session.Entries)
		owners = append(owners, started.Charter.Seats()...)
	}
	report, err := w.Store.Close(sessions...)
	var docs []index.Doc
	var rows []index.Session
	for _, c := range all {
		if c.Memory, c.Turns = report, len(c.turns); err != nil {
			c.err, c.Turns = fmt.Errorf("session %s is not in memory yet: %w", c.Session, err), 0
			continue
		}
		if c.err = w.Chronicle.Write(c.episode, c.turns); c.err != nil {
			c.err = fmt.Errorf("the turns of session %s are not all written: %w", c.Session, c.err)
			continue
		}
		if docs = append(docs, sessionDocs(c.episode, c.turns)...); c.row != nil {
			rows = append(rows, *c.row)
		}
	}
	if err != nil {
		return
	}
	slices.Sort(owners)
	books, err := w.readBooks(slices.Compact(owners))
	if err == nil {
		err = w.index(ctx, docs, books, report.Wrote, rows)
	}
	for _, c := range all {
		c.Kept = countKept(c.Session, books)
		if err != nil && c.err == nil {
			c.err = fmt.Errorf("session %s is not in the index yet: %w", c.Session, err)
		}
	}
}

// readBooks reads the books of owners, without the unreadable ones, which the report of the write names.
func (f *files) readBooks(of []council.MemberID) ([]memory.Book, error) {
	var books []memory.Book
	for _, owner := range of {
		b, err := f.Store.Book(owner)
		if store.IsUnreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		books = append(books, b)
	}
	return books, nil
}

func countKept(id council.SessionID, books []memory.Book) map[memory.Kind]int {
	count := map[memory.Kind]int{}
	for _, b := range books {
		for _, r := range b.Records {
			if slices.ContainsFunc(r.Evidence, func(e memory.Evidence) bool { return e.SessionID == id && e.EventID != "" }) {
				count[r.Kind]++
			}
		}
	}
	return count
}

// Recover completes interrupted work: a forgetting, every closed session of the record that is still marked, books that
// lag behind the journal, and an index that lacks a person's change. It reports errors to failed and goes on; sessions
// that another process holds are left to it. The error is that of the workspace itself.
func (w *Curator) Recover(ctx context.Context, in recorder.Inputs, failed func(error)) ([]Finished, error) {
	var all []Finished
	tell := func(err error) {
		if err != nil {
			failed(err)
		}
	}
	forgot, err := w.finishForgetting(ctx, in)
	if tell(err); err == nil {
		for _, f := range forgot {
			all = append(all, Finished{Forgot: &f, Memory: f.Memory})
		}
	}
	ids, err := w.Root.Unsettled.List()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		done, err := w.recover(ctx, id, in)
		if !errors.Is(err, recorder.ErrLocked) {
			tell(err)
		}
		if done.Turns > 0 {
			all = append(all, done)
		}
	}
	report, err := w.Store.Recover()
	tell(err)
	if len(report.Wrote) > 0 {
		tell(w.markStale())
	}
	if len(report.Wrote)+len(report.Asides)+len(report.Left)+len(report.Edits) > 0 {
		all = append(all, Finished{Memory: report})
	}
	tell(w.updateStale(ctx))
	return all, nil
}

func (w *Curator) recover(ctx context.Context, id council.SessionID, in recorder.Inputs) (Finished, error) {
	entries, err := w.Root.Closed(id)
	if err == nil && entries == nil {
		return Finished{}, nil // under way, or suspended
	}
	if isGone(err) {
		return Finished{}, w.Root.Discard(id)
	}
	if err != nil {
		return Finished{}, fmt.Errorf("session %s is not in memory yet: %w", id, err)
	}
	folder, err := w.Root.Resume(id, in)
	if err != nil {
		return Finished{}, err
	}
	var done Finished
	if err = folder.Finalize(); err == nil {
		if started, ok := wire.Started(entries); ok {
			w = w.withMemory(MemoryDir(started.Charter.Storage, w.Root.Path()))
		}
		done, err = w.Finish(ctx, id, entries)
	}
	return done, errors.Join(err, folder.Close())
}

// withMemory returns a curator with the memory in a folder; with its own where that cannot be opened.
func (w *Curator) withMemory(dir string) *Curator {
	there := *w
	if s, err := openStore(w.Root, dir, w.options); err == nil {
		there.Store, there.closes = s, new(groupcommit.Queue[*pendingClose])
	}
	return &there
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
