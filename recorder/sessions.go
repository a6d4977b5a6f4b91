package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// sessions are the folders of the sessions, archived or not. Its exported methods change nothing.
type sessions struct {
	*folder
	locks *Locks
	packs *packs
}

// IDs lists the names of all sessions in the workspace, archived or not, newest first.
func (s *sessions) IDs() ([]council.SessionID, error) {
	// First, so that a session that is archived meanwhile is found in the archive.
	entries, err := atomicfile.ListFolder(s.files, SessionsFolder)
	ids, failed := s.packs.ids()
	if err := errors.Join(err, failed); err != nil {
		return nil, explainDisk(s.path, err)
	}
	for _, e := range entries {
		if id := council.SessionID(e.Name()); checkID(id) == nil && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	return ids, nil
}

// Folder opens a session's folder; that of an archived one is read-only. The caller closes it. [ErrUnknownSession]:
// there is none. A symlink in its place is refused.
func (s *sessions) Folder(id council.SessionID) (atomicfile.Files, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	pack, err := s.packs.open(id)
	if !errors.Is(err, fs.ErrNotExist) {
		return pack, err
	}
	files, err := s.openUnpacked(id)
	if errors.Is(err, ErrUnknownSession) {
		if pack, failed := s.packs.open(id); failed == nil { // it was archived between the two looks
			return pack, nil
		}
	}
	return files, err
}

func (s *sessions) openUnpacked(id council.SessionID) (atomicfile.Files, error) {
	files, err := s.files.Folder(SessionsFolder + "/" + string(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownSession, id)
	}
	return files, err
}

func (s *sessions) hasFolder(id council.SessionID) bool {
	info, err := s.files.Lstat(path.Join(SessionsFolder, string(id)))
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
}

// Location returns the path of a session's folder, or of the zip file that it is archived in.
func (s *sessions) Location(id council.SessionID) string {
	if s.packs.Holds(id) {
		return filepath.Join(s.path, filepath.FromSlash(PackPath(id)))
	}
	return filepath.Join(s.path, SessionsFolder, string(id))
}

// wasArchived reports whether a session was archived since its folder was opened, so that it may have been read in
// part.
func (s *sessions) wasArchived(id council.SessionID, opened atomicfile.Files) bool {
	_, archive := opened.(packed)
	return !archive && s.packs.Holds(id)
}

// Stamp returns a text that changes whenever the log of a session does; "" where there is none.
func (s *sessions) Stamp(id council.SessionID) string {
	if checkID(id) != nil {
		return ""
	}
	if info, err := s.files.Lstat(PackPath(id)); err == nil {
		return fmt.Sprintf("%d %d archived", info.Size(), info.ModTime().UnixNano())
	}
	files, err := s.openUnpacked(id)
	if err != nil {
		return ""
	}
	defer files.Close()
	info, err := files.Lstat(wire.File)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf("%d %d %o", info.Size(), info.ModTime().UnixNano(), info.Mode().Perm())
}

// Read returns the events of a session and changes nothing. An unfinished end is left out: it may be an append under
// way. With [ErrDamaged] and [ErrNewer] it returns the events before the place. [ErrUnknownSession], [ErrNotBegun].
func (s *sessions) Read(id council.SessionID) ([]wire.Entry, error) {
	log, err := s.scanUnlocked(id)
	if log == nil {
		return nil, err
	}
	if err == nil && len(log.Entries) == 0 {
		err = fmt.Errorf("%w: %s", ErrNotBegun, id)
	}
	return log.Entries, err
}

// ReadOn adds the events that were appended since to a log, and returns them; to a log that holds only the id of its
// session, all. [ErrDamaged]: or the log was rewritten meanwhile.
func (s *sessions) ReadOn(log *wire.Log) ([]wire.Entry, error) {
	var rest []byte
	err := s.inFolder(log.Session, func(files atomicfile.Files) error {
		f, err := files.Open(wire.File)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it has not begun
		}
		if err != nil {
			return err
		}
		defer f.Close()
		rest, err = atomicfile.ReadFrom(f, log.Good)
		return err
	})
	if err != nil || rest == nil {
		return nil, err
	}
	return log.Extend(rest)
}

func (s *sessions) scanUnlocked(id council.SessionID) (*wire.Log, error) {
	files, err := s.Folder(id)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	log, err := scan(files, id)
	if errors.Is(err, fs.ErrNotExist) {
		log, err = &wire.Log{Session: id}, nil
	}
	if err == nil && len(log.Entries) == 0 {
		if err = verify.Begun(files); err != nil {
			// It may have begun meanwhile.
			if again, failed := scan(files, id); failed == nil && len(again.Entries) > 0 {
				return again, nil
			}
		}
	}
	if (err != nil || len(log.Entries) == 0) && s.wasArchived(id, files) {
		return s.scanUnlocked(id)
	}
	return log, explainDisk(files.Path(), err)
}

// Closed returns the log of a closed session, and nothing, cheaply, for another one. Errors are those of [Root.Read].
func (s *sessions) Closed(id council.SessionID) ([]wire.Entry, error) {
	open := false
	err := s.inFolder(id, func(files atomicfile.Files) error {
		data, err := atomicfile.Read(files, wire.File)
		open = err == nil && !bytes.Contains(data, closing)
		return err
	})
	if open || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := s.Read(id)
	if err != nil || wire.Closing(entries) < 0 {
		return nil, err
	}
	return entries, nil
}

// closing is in the line of the event that closes a session, and in no string: quotes are escaped there.
var closing = fmt.Appendf(nil, `"type":%q`, council.TypeOf[council.SessionClosed]())

// takeOpenLock takes the lock of a session, to change it. [ErrLocked]: another process has it. [ErrArchived].
func (s *sessions) takeOpenLock(id council.SessionID) (*atomicfile.Lock, error) {
	l, err := s.locks.take(id)
	if err == nil && s.packs.Holds(id) {
		return nil, errors.Join(fmt.Errorf("%w: %s", ErrArchived, id), l.Release())
	}
	return l, err
}

// withLock runs do under the lock of a session, which take takes. [ErrUnknownSession]; [ErrLocked].
func (s *sessions) withLock(
	id council.SessionID, take func(council.SessionID) (*atomicfile.Lock, error), do func() error,
) error {
	if err := s.checkExists(id); err != nil {
		return err
	}
	l, err := take(id)
	if err != nil {
		return err
	}
	return errors.Join(explainDisk(s.path, do()), l.Release())
}

// checkExists returns an [ErrUnknownSession] for an id that no session has, so that no lock file is made for it.
func (s *sessions) checkExists(id council.SessionID) error {
	return s.inFolder(id, func(atomicfile.Files) error { return nil })
}

// inFolder runs do in a session's folder, and explains its error. [ErrUnknownSession].
func (s *sessions) inFolder(id council.SessionID, do func(atomicfile.Files) error) error {
	files, err := s.Folder(id)
	if err != nil {
		return err
	}
	return errors.Join(explainDisk(files.Path(), do(files)), files.Close())
}

// inLockedFolder runs do in a session's folder under the session's lock. Errors are those of withLock, and
// [ErrArchived].
func (s *sessions) inLockedFolder(id council.SessionID, do func(atomicfile.Files) error) error {
	return s.withLock(id, s.takeOpenLock, func() error { return s.inFolder(id, do) })
}
