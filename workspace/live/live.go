// Package live holds the unpersisted status of running sessions: open questions, streamed words and waits.
// The process that drives a session updates it on a [Board]; others read the board's file by [Follow] and hand in notes
// by [Spool].
//
// The files are in the folder live of the workspace and not part of the record. A session's file is written at most
// four times a second, not synced, and removed when its driver ends. One left by a crash is ignored, because
// the session's lock is free. A note is durable until the driver has recorded it.
package live

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// State is the unpersisted status of a running session.
type State struct {
	At     time.Time // of this state
	Began  time.Time // when the driver began
	Paused bool      // no further question is put
	Asks   []Ask     // that are with their members, or whose replies are not recorded yet, in the order they were put
}

// Ask is a question that is with its member. Its words and what it waits for are fit for a terminal.
type Ask struct {
	ID     council.AskID
	Member council.MemberID
	Kind   council.AskKind
	Since  time.Time
	Blind  bool      // the answer stays sealed until all that were asked with the member have answered
	Done   bool      // the reply is in hand, and waits to be recorded with others
	Words  string    // the end of what was said so far, on one line; "" of a blind ask
	Wait   string    // what the member waits for; "" if for nothing but its reply
	Until  time.Time // when the wait ends at the latest; zero if that is not known
}

const folder = "live"

// Board keeps the state of a session that this process drives. It is safe for concurrent use.
type Board struct {
	now     func() time.Time
	began   time.Time
	changed func()
	over    chan struct{}
	written sync.WaitGroup
	fresh   chan struct{} // has one while there is something to write

	mu   sync.Mutex
	asks []*asked
	held chan struct{} // closed when the run may go on; nil: it is not held
}

// asked is an open question with the words that its member has streamed.
type asked struct {
	Ask
	words member.Words
	upto  int // bytes of the words that were made fit to be shown
}

// Open returns the board of a session. It calls changed, which must not block, after every change, in the goroutine
// that makes it. The caller closes the board once, after the run. Without a file to write it serves its own process.
func Open(root *recorder.Root, id council.SessionID, now func() time.Time, changed func()) *Board {
	b := &Board{now: now, began: now(), changed: changed, over: make(chan struct{}), fresh: make(chan struct{}, 1)}
	b.fresh <- struct{}{}
	b.written.Go(func() { b.write(root.Path(), fileOf(id)) })
	return b
}

func fileOf(id council.SessionID) string { return string(id) + ".json" }

// Close removes the board's file.
func (b *Board) Close() {
	close(b.over)
	b.written.Wait()
}

// write rewrites the file, beside the record's storage layers, until the board is closed. Its failures stop nothing.
func (b *Board) write(workspace, name string) {
	root, err := atomicfile.OpenDir(workspace)
	if err != nil {
		return
	}
	defer root.Close()
	_ = atomicfile.WithinMade(root, folder, func(files atomicfile.Files) error {
		defer atomicfile.Discard(files, name)
		for {
			select {
			case <-time.After(250 * time.Millisecond):
			case <-b.over:
				return nil
			}
			select {
			case <-b.fresh:
			case <-b.over:
				return nil
			}
			if text, err := json.Marshal(b.State()); err == nil {
				_ = atomicfile.WriteUnsynced(files, name, text) // the next one may be written
			}
		}
	})
}

// change updates the state and notifies changed.
func (b *Board) change(by func()) {
	b.mu.Lock()
	by()
	b.mu.Unlock()
	select {
	case b.fresh <- struct{}{}:
	default:
	}
	b.changed()
}

// State returns the current state.
func (b *Board) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := State{At: b.now(), Began: b.began, Paused: b.held != nil}
	for _, a := range b.asks {
		if len(a.words.Text) != a.upto {
			const most = 1000 // characters
			a.Words, a.upto = hostile.Line(a.words.Shown(most)), len(a.words.Text)
		}
		s.Asks = append(s.Asks, a.Ask)
	}
	return s
}

// Observe receives every step of the engine.
func (b *Board) Observe(p engine.Progress) {
	b.change(func() {
		var gone council.AskID
		switch p := p.(type) {
		case engine.Asked:
			b.asks = append(b.asks, &asked{Ask: Ask{ID: p.Ask.ID, Member: p.Ask.Member, Kind: p.Ask.Kind, Since: b.now(),
				Blind: p.Blind}})
		case engine.Replied:
			for _, a := range b.asks {
				if a.ID == p.Ask.ID {
					a.Done, a.Wait, a.Until = true, "", time.Time{}
				}
			}
		case engine.Withdrawn:
			gone = p.Ask.ID
		case engine.Recorded:
			reply, _ := p.Event.Answered()
			gone = reply.Ask
		}
		b.asks = slices.DeleteFunc(b.asks, func(a *asked) bool { return a.ID == gone })
	})
}

// Wait records that a member waits. See [member.Listener].
func (b *Board) Wait(w member.Wait) {
	b.change(func() {
		for _, a := range b.asks {
			if a.Member == w.Member && !a.Done {
				a.Wait, a.Until = strings.TrimSuffix(hostile.Line(w.Why), "."), time.Time{}
				if w.Most > 0 {
					a.Until = b.now().Add(w.Most)
				}
			}
		}
	})
}

// Words records words that a member streams. See [member.Listener].
func (b *Board) Words(w member.Words) {
	b.change(func() {
		for _, a := range b.asks {
			if a.ID == w.Ask.ID && !a.Done {
				a.Wait, a.Until = "", time.Time{}
				if !a.Blind {
					a.words = w
				}
				if w.Text == "" { // another reply may be as long
					a.upto = -1
				}
			}
		}
	})
}

// Pause holds the run before it puts further questions, or lets it go on.
func (b *Board) Pause(pause bool) {
	b.change(func() {
		if pause && b.held == nil {
			b.held = make(chan struct{})
		} else if !pause && b.held != nil {
			close(b.held)
			b.held = nil
		}
	})
}

// Hold is asked by the engine before it puts questions: see [engine.Options].
func (b *Board) Hold() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Read returns the state written by the process that drives the session, or [fs.ErrNotExist].
func Read(root *recorder.Root, id council.SessionID) (s State, err error) {
	if _, held := root.Holder(id); !held {
		return s, fs.ErrNotExist
	}
	text, err := atomicfile.Read(root.Files(), path.Join(folder, fileOf(id)))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// Update holds the changes in a session since the last one.
type Update struct {
	Entries []wire.Entry // events that were recorded since, all of them at first
	State   State        // zero while nobody drives the session
	Running bool         // a process drives the session
}

// Follow passes the current state of a session and then every change to tell, until tell returns an error or ctx ends;
// it returns that error. It only reads, and of the log only appended events.
// Further errors are those of [recorder.Root.ReadOn].
func Follow(ctx context.Context, root *recorder.Root, id council.SessionID, tell func(Update) error) error {
	log := &wire.Log{Session: id}
	var logged, told string // what the files looked like
	var now Update
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for n := 0; ; n++ {
		stamp, board, changed := root.Stamp(id), "", n == 0
		if info, err := root.Files().Lstat(path.Join(folder, fileOf(id))); err == nil {
			board = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		if n%20 == 0 || board == "" && now.Running { // rarely: to ask for a lock is to touch it
			_, held := root.Holder(id)
			now.Running, changed = held, changed || held != now.Running
			stamp = root.Stamp(id) // what was recorded before the lock was given back
		}
		if stamp != logged {
			added, err := root.ReadOn(log)
			if err != nil {
				return err
			}
			logged, now.Entries = stamp, added
			changed = changed || len(added) > 0
		}
		if changed || board != told {
			told, now.State = board, State{}
			if s, err := Read(root, id); err == nil {
				now.State = s
			}
			if err := tell(now); err != nil {
				return err
			}
			now.Entries = nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notes is the folder of spooled notes: it is empty most of the time, and looked into before every question, while
// folder has a file of every session that runs. spooled leads the part of a note's file name behind the session's id.
const (
	notes   = folder + "/notes"
	spooled = ".note-"
)

// Spool keeps a note for members of a session, durably, for the process that drives the session or will. The note gets
// an id. The caller has cleaned it and seen to its length.
func Spool(root *recorder.Root, id council.SessionID, note council.NoteGiven, at time.Time) (council.NoteGiven, error) {
	note.ID = at.UTC().Format("20060102-150405.000000") + "-" + strings.ToLower(rand.Text()[:6]) // sorts by time
	text, err := json.Marshal(note)
	if err != nil {
		return note, err
	}
	return note, atomicfile.WithinMade(root.Files(), notes, func(files atomicfile.Files) error {
		return atomicfile.Write(files, string(id)+spooled+note.ID+".json", text)
	})
}

// Spooled returns the notes of a session that log lacks, oldest first, and removes those in it and those done with.
func Spooled(root *recorder.Root, id council.SessionID, log []council.Event, done ...council.NoteGiven) (
	found []council.NoteGiven, err error) {
	err = atomicfile.WithinAny(root.Files(), notes, func(files atomicfile.Files) error {
		entries, err := files.List()
		for _, e := range entries {
			if err != nil || !strings.HasPrefix(e.Name(), string(id)+spooled) {
				continue
			}
			var note council.NoteGiven
			text, failed := atomicfile.Read(files, e.Name())
			if failed == nil {
				failed = json.Unmarshal(text, &note)
			}
			switch {
			case failed != nil:
				err = fmt.Errorf("the note in %s/%s cannot be read: %w", notes, e.Name(), failed)
			case note.In(log) || slices.Contains(done, note):
				err = errors.Join(files.Remove(e.Name()), files.Sync())
			default:
				found = append(found, note)
			}
		}
		return err
	})
	return found, err
}

// Drafts keeps unfinished answers to the questions of a session, where only their authors can read them: they may be
// secret ballots.
type Drafts struct {
	Root *recorder.Root
	ID   council.SessionID
}

func (d *Drafts) file(ask council.AskID) string {
	return string(d.ID) + ".draft-" + string(ask) + ".json"
}

// Load returns what was kept of an answer, or nil.
func (d *Drafts) Load(ask council.AskID) []byte {
	text, err := atomicfile.Read(d.Root.Files(), path.Join(folder, d.file(ask)))
	if err != nil {
		return nil // what cannot be read is typed again
	}
	return text
}

// Keep saves an answer so far. A nil text removes it.
func (d *Drafts) Keep(ask council.AskID, text []byte) error {
	return atomicfile.WithinMade(d.Root.Files(), folder, func(files atomicfile.Files) error {
		if text != nil {
			return atomicfile.Write(files, d.file(ask), text)
		}
		return removeOf(files, d.file(ask))
	})
}

// Forget removes the state, spooled notes and drafts of a session.
func Forget(root *recorder.Root, id council.SessionID) error {
	remove := func(files atomicfile.Files) error { return removeOf(files, string(id)+".") }
	return errors.Join(atomicfile.WithinAny(root.Files(), folder, remove),
		atomicfile.WithinAny(root.Files(), notes, remove))
}

// removeOf removes the files whose names have the given prefix.
func removeOf(files atomicfile.Files, begin string) error {
	return atomicfile.Sweep(files, func(name string) bool { return strings.HasPrefix(name, begin) })
}
