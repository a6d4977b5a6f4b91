// Package curator does the work that follows the close of a session: its step in memory's journal, the books, its
// episode and turns, the index. All of it follows from the session's log and is repeated until it is done: a session is
// marked in its workspace from its beginning until then.
//
// It also gives memory to a session that begins: see [Curator.Remind] and [Curator.Recall].
package curator

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/groupcommit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
)

// Curator is a record with the memory that belongs to it.
type Curator struct {
	Root      *recorder.Root
	Store     *store.Store
	Chronicle *episodes.Files
	options   []store.Option
	closes    *groupcommit.Queue[*pendingClose]
	closing   chan struct{} // one for each close in progress
}

// Open returns the curator of a record and a folder of memory. It changes nothing; the caller closes the root.
func Open(root *recorder.Root, memoryDir string, options ...store.Option) (*Curator, error) {
	options = append([]store.Option{store.Sessions(root.Read)}, options...)
	s, err := openStore(root, memoryDir, options)
	if err != nil {
		return nil, err
	}
	return &Curator{Root: root, Store: s, Chronicle: episodes.New(root.Files()), options: options,
		closes: new(groupcommit.Queue[*pendingClose]), closing: make(chan struct{}, mostClosing)}, nil
}

// openStore opens the memory in a folder, unless it is reached by a link from the folder of the record.
func openStore(root *recorder.Root, dir string, options []store.Option) (*store.Store, error) {
	if err := atomicfile.RefuseLinks(root.Path(), dir); err != nil {
		return nil, fmt.Errorf("cannot open memory: %w; "+
			"put the folder itself there, or name its whole path in storage.memoryDir", err)
	}
	if inside, ok := ownFolder(root.Path(), dir); ok {
		return nil, fmt.Errorf("cannot open memory: %s is in %s, where the record keeps files of its own; "+
			"name another folder in storage.memoryDir",
			filepath.ToSlash(dir), filepath.ToSlash(inside))
	}
	return store.Open(dir, options...)
}

// ownFolder reports whether dir is, or is in, a folder of the record in root, and which one.
func ownFolder(root, dir string) (string, bool) {
	for _, name := range []string{recorder.SessionsFolder, recorder.LocksFolder, recorder.ArchiveFolder, "open", "turns",
		"episodes", roundtable.Folder} {
		inside := filepath.Join(root, name)
		if rel, err := filepath.Rel(absolutePath(inside), absolutePath(dir)); err == nil && filepath.IsLocal(rel) {
			return inside, true
		}
	}
	return "", false
}

// MemoryDir returns the folder of memory of a charter whose record is in root: memory inside the folder of the record
// moves with it.
func MemoryDir(s council.Storage, root string) string {
	in, err := filepath.Rel(s.RootDir, s.MemoryDir)
	if err != nil || in == ".." || strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return s.MemoryDir
	}
	return filepath.Join(root, in)
}

func (w *Curator) database() string { return filepath.Join(w.Root.Path(), index.File) }

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
