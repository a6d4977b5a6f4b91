package recorder

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// Inputs are the outside sources of a record. Now is called by several goroutines at a time.
type Inputs struct {
	Now    func() time.Time // the wall clock
	Random io.Reader        // of salts, 16 bytes for each event; crypto/rand.Reader outside of tests

	// Announce is called before an event is recorded. An error stops the session before the event. It may be nil.
	Announce func(wire.Entry) error
}

// Session is the record of one session, open for writing.
type Session struct {
	id     council.SessionID
	in     Inputs
	lock   *atomicfile.Lock
	files  atomicfile.Files
	events *atomicfile.Tail
	log    *wire.Log // as far as it is on the disk
	err    error     // of the first write that failed

	transcript *render.Transcript
	text       *atomicfile.Tail

	mu    sync.Mutex
	tapes map[council.MemberID]*conversation.CallLog
}

// Create makes the folder of a new session and locks it. [ErrExists]: a session of that id has begun. [ErrLocked]:
// another process has the session. A folder without an event, which a crash left, is taken over. The session is marked
// as unsettled before its folder is made, so that [Root.Discard] finds it after a crash.
func (r *Root) Create(id council.SessionID, in Inputs) (*Session, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	return r.hold(id, in, func() error {
		if err := r.Unsettled.Mark(id); err != nil {
			return err
		}
		return atomicfile.EnsureFolder(r.files, SessionsFolder+"/"+string(id))
	}, begin)
}

// Resume locks a session that has begun, repairs its end if a crash tore it, and brings the transcript in step.
// [ErrUnknownSession], [ErrNotBegun], [ErrNewer], [ErrLocked]; [ErrDamaged] if more than the end is wrong.
func (r *Root) Resume(id council.SessionID, in Inputs) (*Session, error) {
	if err := r.checkExists(id); err != nil {
		return nil, err
	}
	return r.hold(id, in, func() error { return nil },
		func(files atomicfile.Files, id council.SessionID) (*wire.Log, error) { return load(files, id, true) })
}

// hold locks a session, makes its folder, reads its log and opens its files.
func (r *Root) hold(id council.SessionID, in Inputs, make func() error,
	read func(atomicfile.Files, council.SessionID) (*wire.Log, error)) (*Session, error) {
	l, err := r.takeOpenLock(id)
	if err != nil {
		return nil, err
	}
	s := &Session{id: id, in: in, lock: l, tapes: map[council.MemberID]*conversation.CallLog{}}
	if err = make(); err == nil {
		s.files, err = r.Folder(id)
	}
	if err == nil {
		err = atomicfile.Tidy(s.files)
	}
	if err == nil {
		s.log, err = read(s.files, id)
	}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, errors.Join(explainDisk(r.path, err), s.letGo())
	}
	return s, nil
}

// begin writes and reads a log without events. [ErrExists].
func begin(files atomicfile.Files, id council.SessionID) (*wire.Log, error) {
	log, err := scan(files, id)
	if err == nil && len(log.Entries) > 0 {
		return nil, fmt.Errorf("%w: %s", ErrExists, id)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Write(files, wire.File, []byte(wire.Empty))
	}
	if err != nil {
		return nil, err
	}
	return scan(files, id)
}

// open opens the files of a session whose log was read, and brings the transcript in step.
func (s *Session) open() (err error) {
	if s.events, err = atomicfile.OpenTail(s.files, wire.File, s.log.Length()); err != nil {
		return err
	}
	var text []byte
	s.transcript, text = render.NewTranscript(s.log.Entries)
	return s.openTranscript(text)
}

// load is scan for a session that has begun, and repairs a torn end if mend is set. [ErrNotBegun]; [ErrDamaged] where
// the log was lost.
func load(files atomicfile.Files, id council.SessionID, mend bool) (*wire.Log, error) {
	log, err := scan(files, id)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(log.Entries) == 0 {
		if err := verify.Begun(files); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %s was interrupted before its first event", ErrNotBegun, id)
	}
	if err == nil && mend {
		err = log.Mend(files, wire.File)
	}
	return log, err
}

func scan(files atomicfile.Files, id council.SessionID) (*wire.Log, error) {
	data, err := atomicfile.Read(files, wire.File)
	if err != nil {
		return nil, err
	}
	return wire.Scan(id, data)
}

// ID returns the session's id.
func (s *Session) ID() council.SessionID { return s.id }

// Entries returns the log so far. It must not be changed.
func (s *Session) Entries() []wire.Entry { return slices.Clip(s.log.Entries) }

// Minutes returns the minutes of the log so far. They must not be changed.
func (s *Session) Minutes() *minutes.Minutes { return s.transcript.Minutes() }

// Append makes the event durable and grows the transcript. Derived files are written again after events of
// [render.ChangesFiles]. [wire.ErrUnwritable]: the event cannot be recorded; any other error is the disk's.
func (s *Session) Append(e council.Event) (err error) {
	if s.err != nil {
		return s.err
	}
	defer func() { s.err = err }()
	salt := make([]byte, 16)
	if _, err := io.ReadFull(s.in.Random, salt); err != nil {
		return fmt.Errorf("there is no randomness for the salt of event %d: %w", e.Seq, err)
	}
	before := s.log.Entries
	entry, text, err := s.log.Next(e, s.in.Now(), hex.EncodeToString(salt))
	if err == nil && s.in.Announce != nil {
		err = s.in.Announce(entry)
	}
	if err == nil {
		err = explainDisk(s.files.Path(), s.events.Append(text, wire.Overlap))
	}
	if err != nil {
		s.log.Entries = before
		return err
	}
	more, grows := s.transcript.Add(entry)
	if grows {
		err = explainDisk(s.files.Path(), s.text.Grow([]byte(more), 0))
	}
	if err == nil && (!grows || render.ChangesFiles(entry.Event)) {
		err = s.derive(grows)
	}
	return err
}

// Close releases the session. It writes nothing.
func (s *Session) Close() error {
	if errors.Is(s.err, ErrClosed) {
		return nil
	}
	s.err = ErrClosed
	return s.letGo()
}

func (s *Session) letGo() error {
	var errs []error
	s.mu.Lock()
	for _, c := range s.tapes {
		errs = append(errs, c.Close())
	}
	s.tapes = nil
	s.mu.Unlock()
	for _, t := range []*atomicfile.Tail{s.events, s.text} {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	if s.files != nil {
		errs = append(errs, s.files.Close())
	}
	return errors.Join(append(errs, s.lock.Release())...)
}

// openFolder holds an empty file for every session that has not closed, or whose close has not reached memory, episodes
// and the index.
const openFolder = "open"

// Unsettled are the marks of the sessions whose close is to be followed up.
type Unsettled struct{ root *Root }

// Mark marks a session whose close is to be followed up. The caller holds the session.
func (u Unsettled) Mark(id council.SessionID) error {
	if err := checkID(id); err != nil {
		return err
	}
	return explainDisk(u.root.path, atomicfile.WithinMade(u.root.files, openFolder, func(open atomicfile.Files) error {
		return atomicfile.Mark(open, string(id))
	}))
}

// inOpen runs do in the folder of marks. It does nothing when there is none.
func (u Unsettled) inOpen(do func(atomicfile.Files) error) error {
	return explainDisk(u.root.path, atomicfile.WithinAny(u.root.files, openFolder, do))
}

// List lists the sessions that are marked, oldest first.
func (u Unsettled) List() (ids []council.SessionID, err error) {
	err = u.inOpen(func(open atomicfile.Files) error {
		entries, err := open.List()
		for _, e := range entries {
			if id := council.SessionID(e.Name()); checkID(id) == nil {
				ids = append(ids, id)
			}
		}
		return err
	})
	return ids, err
}

// Clear removes the mark: the close was followed up, or there is no such session.
func (u Unsettled) Clear(id council.SessionID) error {
	if err := checkID(id); err != nil {
		return err
	}
	return u.inOpen(func(open atomicfile.Files) error {
		if _, err := open.Lstat(string(id)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(open.Remove(string(id)), open.Sync())
	})
}

// Discard removes the remains of a session that never had an event, and its mark. A folder with anything else stays.
// [ErrLocked]: a process is making the session.
func (r *Root) Discard(id council.SessionID) (err error) {
	l, err := r.takeOpenLock(id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	files, err := r.Folder(id)
	if errors.Is(err, ErrUnknownSession) {
		return r.Unsettled.Clear(id)
	}
	if err != nil {
		return err
	}
	defer files.Close()
	if log, err := scan(files, id); err == nil && len(log.Entries) > 0 {
		return nil // it has begun meanwhile
	}
	if err := verify.Begun(files); err != nil {
		return err
	}
	err = atomicfile.Sweep(files, func(name string) bool {
		return atomicfile.Temporary(name) || name == wire.File || render.Derived(name)
	})
	if err != nil {
		return explainDisk(files.Path(), err)
	}
	rest, err := files.List()
	if err == nil && len(rest) == 0 { // else a person keeps something there
		err = atomicfile.Within(r.files, SessionsFolder, func(sessions atomicfile.Files) error {
			return errors.Join(sessions.Remove(string(id)), sessions.Sync())
		})
	}
	return errors.Join(explainDisk(r.path, err), r.Unsettled.Clear(id))
}
