package store

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// bookUpdate is a book between the version on disk and that of the journal.
type bookUpdate struct {
	from     diskBook
	book     memory.Book
	archived []StoredRecord
	member   *council.Member // the member as of the last session, if there was one
	caughtUp int             // the number of steps that the book lacked
	edits    []Edit          // the edits that the book has now
	failure  error           // why a step, and so all later ones, could not be folded in
}

func newBookUpdate(v diskBook) *bookUpdate { return &bookUpdate{from: v, book: v.book} }

// fold folds in one step. With an error the book is as it was, and must not take a newer one.
func (g *bookUpdate) fold(r rules, s memory.Step, logs *logReader) (err error) {
	var after memory.Book
	var left []memory.Record
	if s.Change != nil {
		if after, left, err = r.apply(g.book, *s.Change, s.At); err != nil {
			return err
		}
		g.archived = slices.DeleteFunc(g.archived, func(m StoredRecord) bool { return slices.Contains(s.Change.Drop, m.ID) })
	} else {
		session, err := logs.session(*s.Session)
		if err != nil {
			return err
		}
		after, left = r.close(g.book, session)
		started, _ := wire.Started(session.Entries)
		if m := started.Charter.Member(g.book.Member); m != nil {
			g.member = m
		}
	}
	after.Format, after.Member, after.Step = memory.Format, g.book.Member, s.N
	g.book = after
	for _, record := range left {
		g.archived = append(g.archived, StoredRecord{Step: s.N, Root: after.Root, Record: record, Year: s.At.UTC().Year()})
	}
	return nil
}

// accepts reports whether a file is an edit that the book has now.
func (g *bookUpdate) accepts(held []byte) bool {
	return slices.ContainsFunc(g.edits, func(e Edit) bool { return bytes.Equal(e.text, held) })
}

// refold folds steps of the journal into fresh books: all, or some. A book that lacks a session is stuck, and reported.
func (s *Store) refold(steps []memory.Step, report *Report, only ...owner) map[owner]*bookUpdate {
	all := map[owner]*bookUpdate{}
	load, stop := loadAhead(steps, s.load)
	defer stop()
	logs := &logReader{load: load}
	for _, step := range steps {
		for _, o := range ownersOf(step) {
			if len(only) > 0 && !slices.Contains(only, o) {
				continue
			}
			if all[o] == nil {
				all[o] = newBookUpdate(diskBook{owner: o, book: newBook(o), isAbsent: true})
			}
			all[o].advance(s.rules, step, logs, report)
		}
	}
	return all
}

func (g *bookUpdate) advance(r rules, s memory.Step, logs *logReader, report *Report) {
	if g.failure != nil || s.N <= g.book.Step || !slices.Contains(ownersOf(s), g.from.owner) {
		return
	}
	if g.failure = g.fold(r, s, logs); g.failure == nil {
		g.caughtUp++
		return
	}
	if s.Session != nil && errors.Is(g.failure, errLacking) {
		report.addLacking(s.Session.ID, g.failure)
	}
	o := g.from.owner
	report.addLeft(o.path(o.book()), fmt.Errorf("%w at step %d: %w", ErrBehind, s.N, g.failure))
}

func sortOwners[T any](all map[owner]T) []owner { return slices.Sorted(maps.Keys(all)) }

type derivedFile struct {
	name    string // within the owner's folder
	text    []byte
	page    bool                   // it is rendered from another file
	ours    func(held []byte) bool // whether the file on disk can be written over without loss
	damaged func(held []byte) bool // whether any other file on disk is damaged, and not edited; nil for a page
	write   func(atomicfile.Files, string, []byte) error
}

func absentFile(name string) derivedFile {
	return derivedFile{name: name, ours: func([]byte) bool { return false },
		write: func(folder atomicfile.Files, name string, _ []byte) error { return atomicfile.Discard(folder, name) }}
}

// files lists the files of a book but for its archives, in the order of writing: the book last.
func (g *bookUpdate) files() ([]derivedFile, error) {
	o := g.from.owner
	page := func(name string, text []byte) derivedFile {
		ours := func(held []byte) bool { return memory.Unedited(held) || g.accepts(held) }
		return derivedFile{name, text, true, ours, nil, atomicfile.Write}
	}
	var all []derivedFile
	if g.member != nil {
		all = append(all, page(profile, memory.ProfilePage(*g.member)))
	}
	text, err := encodeBook(g.book)
	return append(all, page(o.page(), memory.BookPage(g.book)), derivedFile{o.book(), text, false,
		func(held []byte) bool { // it only lags, or is taken in
			return g.accepts(held) || !g.from.isAbsent && g.from.edit == nil && g.from.book.Step < g.book.Step
		}, func([]byte) bool { return g.from.isAbsent }, atomicfile.Write}), err
}

func (g *bookUpdate) allFiles() (all []derivedFile, err error) {
	left := g.leftByYear()
	for _, year := range slices.Sorted(maps.Keys(left)) {
		files, err := g.archives(year, left[year])
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
	}
	files, err := g.files()
	return append(all, files...), err
}

func (g *bookUpdate) leftByYear() map[int][]StoredRecord {
	all := map[int][]StoredRecord{}
	for _, m := range g.archived {
		all[m.Year] = append(all[m.Year], m)
	}
	return all
}

// errLacking means that the log of a session could not be read, or not as far as memory holds it.
var errLacking = errors.New("the log of its session could not be read")

// Load reads the log of a session. Steps whose log it cannot read are folded in later.
type Load func(council.SessionID) ([]wire.Entry, error)

// logReader reads the logs of sessions, the last one once.
type logReader struct {
	load    Load
	id      council.SessionID
	entries []wire.Entry
	err     error
}

// session returns the session of a step. Its error is errLacking.
func (l *logReader) session(f memory.Fold) (memory.Session, error) {
	if l.id != f.ID {
		l.id = f.ID
		l.entries, l.err = l.load(f.ID)
	}
	if l.err != nil {
		return memory.Session{}, fmt.Errorf("%w: %s: %w", errLacking, f.ID, l.err)
	}
	if len(l.entries) < int(f.To) {
		return memory.Session{}, fmt.Errorf("%w: %s: it ends at event %d, and memory holds it up to event %d",
			errLacking, f.ID, len(l.entries), f.To)
	}
	return memory.Session{ID: f.ID, Entries: l.entries[:f.To], From: f.From}, nil
}

// loadAhead returns a load that reads the sessions of several steps at once, if they are asked for in this order. The
// caller calls stop.
func loadAhead(steps []memory.Step, load Load) (loaded Load, stop func()) {
	var sessions []council.SessionID
	for _, s := range steps {
		if s.Session != nil {
			sessions = append(sessions, s.Session.ID)
		}
	}
	next, stop := iter.Pull2(prefetch.Each(slices.Compact(sessions), func(id council.SessionID) (l logReader) {
		l.entries, l.err = load(id)
		return l
	}))
	return func(id council.SessionID) ([]wire.Entry, error) {
		for {
			at, l, ok := next()
			if !ok {
				return load(id)
			}
			if at == id {
				return l.entries, l.err
			}
		}
	}, stop
}

// closingTimes returns the times of the close of a session and of its last event; ok is false for an open one.
func closingTimes(entries []wire.Entry) (closed, last time.Time, ok bool) {
	if at := wire.Closing(entries); at >= 0 {
		return entries[at].Time.UTC(), entries[len(entries)-1].Time.UTC(), true
	}
	return closed, last, false
}
