package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// openFolder holds an empty file for every session that has not closed, or whose close has not reached memory, episodes
// and the index.
const openFolder = "open"

// MarkUnsettled marks a session whose close is to be followed up. The caller holds the session.
func (r *Root) MarkUnsettled(id council.SessionID) error {
	if err := checkID(id); err != nil {
		return err
	}
	if err := atomicfile.EnsureFolder(r.files, openFolder); err != nil {
		return explainDisk(r.path, err)
	}
	return r.inOpen(func(open atomicfile.Files) error {
		f, err := open.Create(string(id)) // empty, so that it is never read in part
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), open.Sync())
	})
}

// inOpen runs do in the folder of marks. It does nothing when there is none.
func (r *Root) inOpen(do func(atomicfile.Files) error) error {
	return explainDisk(r.path, atomicfile.WithinAny(r.files, openFolder, do))
}

// Unsettled lists the sessions that are marked, oldest first.
func (r *Root) Unsettled() (ids []council.SessionID, err error) {
	err = r.inOpen(func(open atomicfile.Files) error {
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

// ClearUnsettled removes the mark: the close was followed up, or there is no such session.
func (r *Root) ClearUnsettled(id council.SessionID) error {
	if err := checkID(id); err != nil {
		return err
	}
	return r.inOpen(func(open atomicfile.Files) error {
		err := open.Remove(string(id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return open.Sync()
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
		return r.ClearUnsettled(id)
	}
	if err != nil {
		return err
	}
	defer files.Close()
	if log, _, err := scan(files, id); err == nil && len(log.Entries) > 0 {
		return nil // it has begun meanwhile
	}
	if err := verify.Begun(files); err != nil {
		return err
	}
	if err := atomicfile.Tidy(files); err != nil {
		return explainDisk(files.Path(), err)
	}
	entries, err := files.List()
	for _, e := range entries {
		if e.Type().IsRegular() && (e.Name() == wire.File || render.Derived(e.Name())) {
			err = errors.Join(err, files.Remove(e.Name()))
			continue
		}
		return errors.Join(err, r.ClearUnsettled(id)) // a person keeps something there
	}
	if err == nil {
		err = atomicfile.Within(r.files, SessionsFolder, func(sessions atomicfile.Files) error {
			return errors.Join(sessions.Remove(string(id)), sessions.Sync())
		})
	}
	return errors.Join(explainDisk(r.path, err), r.ClearUnsettled(id))
}

// Closed returns the log of a closed session, and nothing, cheaply, for another one. Errors are those of [Root.Read].
func (r *Root) Closed(id council.SessionID) ([]wire.Entry, error) {
	open := false
	err := r.inFolder(id, func(files atomicfile.Files) error {
		data, err := atomicfile.Read(files, wire.File)
		open = err == nil && !bytes.Contains(data, closing)
		return err
	})
	if open || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, err := r.Read(id)
	if err != nil || wire.Closing(entries) < 0 {
		return nil, err
	}
	return entries, nil
}

// closing is in the line of the event that closes a session, and in no string: quotes are escaped there.
var closing = fmt.Appendf(nil, `"type":%q`, council.TypeOf[council.SessionClosed]())
