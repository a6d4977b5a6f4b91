package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

type diskBook struct {
	owner    owner
	book     memory.Book
	isAbsent bool // there is no file, and the book is fresh

	edit       []byte // the file after a person's edit: then the book is that of the journal
	isOutdated bool   // the edit is of an older book, or a newer one was about to be written
}

func absentBook(o owner) diskBook {
	return diskBook{owner: o, isAbsent: true, book: memory.Book{Format: memory.Format, Member: council.MemberID(o),
		Recent: []memory.Closed{}, Records: []memory.Record{}}}
}

// read reads a book. An edited one comes as it was before: see findEdits. The error wraps [ErrDamaged], [ErrNewer]
// or [ErrUnreadable].
func (s *Store) read(files atomicfile.Files, o owner) (diskBook, error) {
	name := o.path(o.book())
	text, err := atomicfile.Read(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return absentBook(o), nil
	}
	if err != nil {
		return diskBook{owner: o}, unreadable(name, err)
	}
	b, err := decodeBook(council.MemberID(o), name, text)
	if !errors.Is(err, errEdited) {
		return diskBook{owner: o, book: b}, err
	}
	was, err := s.bookByJournal(files, o)
	if err != nil {
		err = damagedError(name, "it was changed since it was written, and what it was cannot be told: %v", err)
	}
	return diskBook{owner: o, book: was, edit: text, isOutdated: b.Step != was.Step}, err
}

// A book ends with a sum of the rest, which shows changes by persons and disks.
const (
	bookClosing = "\n}\n"
	bookSumKey  = ",\n  \"sum\": \""
)

func encodeBook(b memory.Book) ([]byte, error) {
	text, err := plainBook(b)
	return sealBook(b.Member, bytes.TrimSuffix(text, []byte(bookClosing))), err
}

func plainBook(b memory.Book) ([]byte, error) {
	b.Records = withLists(b.Records)
	return wire.IndentedJSON(b)
}

// sealBook returns the file of a book by its JSON without the closing.
func sealBook(member council.MemberID, open []byte) []byte {
	plain := slices.Concat(open, []byte(bookClosing))
	return slices.Concat(open, []byte(bookSumKey+chain.Sum(chain.Seed("book", string(member)), plain)+`"`+bookClosing))
}

// errEdited means that a book is valid JSON and was changed since it was written.
var errEdited = errors.New("the book was edited")

// decodeBook reads the book of a member, or the council's. One without its sum may have another layout, and no other
// content than council writes. [ErrDamaged], [ErrNewer], errEdited.
func decodeBook(member council.MemberID, name string, text []byte) (b memory.Book, err error) {
	err = json.Unmarshal(text, &b)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		line := 1 + bytes.Count(text[:syntax.Offset], []byte("\n"))
		return memory.Book{}, damagedError(fmt.Sprintf("%s:%d", name, line), "%v", atomicfile.Explain(err))
	}
	if b.Format > memory.Format {
		return memory.Book{}, newerError(name, b.Format)
	}
	written := b.Format == memory.Format && b.Step >= 0 && b.Sessions >= 0 &&
		!slices.ContainsFunc(b.Records, func(r memory.Record) bool { return memory.CheckRecord(r) != nil }) &&
		!slices.ContainsFunc(b.Recent, func(c memory.Closed) bool { return c.Session == "" || c.At.IsZero() || c.UpTo < 1 })
	sum := max(bytes.LastIndex(text, []byte(bookSumKey)), 0)
	if err != nil || !written || !bytes.Equal(text, sealBook(member, text[:sum])) {
		if again, failed := encodeBook(b); errors.Join(err, failed) != nil || !isSameJSON(text, again) {
			return b, errEdited
		}
	}
	if b.Member != member {
		return memory.Book{}, damagedError(name, "it is the book of %q", b.Member)
	}
	seen := make(map[string]bool, len(b.Records))
	for _, r := range b.Records {
		if seen[r.ID] {
			return memory.Book{}, damagedError(name, "it has two records %s", r.ID)
		}
		seen[r.ID] = true
	}
	return b, nil
}

// withLists returns records whose empty lists are not null in JSON.
func withLists(records []memory.Record) []memory.Record {
	return append([]memory.Record{}, council.Map(records, memory.Record.Clone)...)
}

// bookUpdate is a book between the version on disk and that of the journal.
type bookUpdate struct {
	from     diskBook
	book     memory.Book
	archived []StoredRecord
	member   *council.Member // the member as of the last session, if there was one
	caughtUp int             // the number of steps that the book lacked
	failure  error           // why a step, and so all later ones, could not be folded in
}

func newBookUpdate(v diskBook) *bookUpdate { return &bookUpdate{from: v, book: v.book} }

// fold folds in one step. With an error the book is as it was, and must not take a newer one.
func (g *bookUpdate) fold(r rules, s memory.Step, log stepLog) (err error) {
	var after memory.Book
	var left []memory.Record
	if s.Change != nil {
		if after, left, err = r.apply(g.book, *s.Change, s.At); err != nil {
			return err
		}
		g.archived = slices.DeleteFunc(g.archived, func(m StoredRecord) bool { return slices.Contains(s.Change.Drop, m.ID) })
	} else {
		session, err := log()
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

// refold folds steps of the journal into fresh books: all, or some. A book that lacks a session is stuck, and reported.
func (s *Store) refold(steps []memory.Step, report *Report, only ...owner) map[owner]*bookUpdate {
	all := map[owner]*bookUpdate{}
	for step, log := range prefetch.Each(steps, func(step memory.Step) stepLog {
		log := logOf(s.load, step)
		if step.Session != nil {
			_, _ = log() // ahead: it returns the error again
		}
		return log
	}) {
		for _, o := range ownersOf(step) {
			if len(only) > 0 && !slices.Contains(only, o) {
				continue
			}
			all[o] = cmp.Or(all[o], newBookUpdate(absentBook(o)))
			all[o].advance(s.rules, step, log, report)
		}
	}
	return all
}

func (g *bookUpdate) advance(r rules, s memory.Step, log stepLog, report *Report) {
	if g.failure != nil || s.N <= g.book.Step || !slices.Contains(ownersOf(s), g.from.owner) {
		return
	}
	if g.failure = g.fold(r, s, log); g.failure == nil {
		g.caughtUp++
		return
	}
	if s.Session != nil && errors.Is(g.failure, errLacking) {
		report.addLacking(s.Session.ID, g.failure)
	}
	o := g.from.owner
	report.addLeft(o.path(o.book()), fmt.Errorf("%w at step %d: %w", ErrBehind, s.N, g.failure))
}

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
		return derivedFile{name, text, true, memory.Unedited, nil, atomicfile.Write}
	}
	var all []derivedFile
	if g.member != nil {
		all = append(all, page(profile, memory.ProfilePage(*g.member)))
	}
	text, err := encodeBook(g.book)
	return append(all, page(o.page(), memory.BookPage(g.book)), derivedFile{o.book(), text, false,
		func([]byte) bool { // it only lags
			return !g.from.isAbsent && g.from.edit == nil && g.from.book.Step < g.book.Step
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

// stepLog returns the session of a step. Its error is errLacking.
type stepLog func() (memory.Session, error)

// logOf returns the log of a step, which is read once, when it is asked for.
func logOf(load Load, s memory.Step) stepLog {
	return sync.OnceValues(func() (memory.Session, error) {
		f := s.Session
		entries, err := load(f.ID)
		if err == nil && len(entries) < int(f.To) {
			err = fmt.Errorf("it ends at event %d, and memory holds it up to event %d", len(entries), f.To)
		}
		if err != nil {
			return memory.Session{}, fmt.Errorf("%w: %s: %w", errLacking, f.ID, err)
		}
		return memory.Session{ID: f.ID, Entries: entries[:f.To], From: f.From}, nil
	})
}

// stepOf returns the step that folds in a session from one of its events on.
func (w *writer) stepOf(id council.SessionID, from council.Seq, entries []wire.Entry) memory.Step {
	return memory.Step{At: memory.Precise(entries[len(entries)-1].Time), Session: &memory.Fold{
		ID: id, From: from, To: council.Seq(len(entries)), Members: w.rules.members(entries),
	}}
}

func listOwners(files atomicfile.Files) ([]owner, error) {
	entries, err := files.List()
	if err != nil {
		return nil, err
	}
	var found []owner
	for _, e := range entries {
		if e.Name() == owner("").book() {
			found = slices.Insert(found, 0, owner(""))
		}
		o, ok := ownerOfFolder(e.Name())
		if !ok || o == "" || !e.IsDir() {
			continue
		}
		if _, err := files.Lstat(o.path(o.book())); !errors.Is(err, fs.ErrNotExist) {
			found = append(found, o)
		}
	}
	return found, nil
}
