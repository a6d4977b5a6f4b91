package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// ArchiveFolder holds the archived sessions: one zip file each, with the session's folder in it, in the month in which
// the session began: archive/2026-11/<session>.zip. While there is one, it is the session; a folder of that name in
// sessions/ is left over from a move that was cut off.
const ArchiveFolder = "archive"

const packSuffix = ".zip"

// PackPath returns the path of a session's archive within the workspace.
func PackPath(id council.SessionID) string { return path.Join(packFolder(id), string(id)+packSuffix) }

func packFolder(id council.SessionID) string {
	const month = len("200601")
	if len(id) < month || strings.Trim(string(id[:month]), "0123456789") != "" {
		return ArchiveFolder + "/undated"
	}
	return ArchiveFolder + "/" + string(id[:4]) + "-" + string(id[4:month])
}

// Archive holds sessions as zip files. It moves them into the archive of a workspace and out of it.
type Archive struct{ root *Root }

// Holds reports whether a session is archived.
func (a Archive) Holds(id council.SessionID) bool {
	if checkID(id) != nil {
		return false
	}
	_, err := a.root.files.Lstat(PackPath(id))
	return err == nil
}

func (a Archive) ids() (ids []council.SessionID, err error) {
	months, err := atomicfile.ListFolder(a.root.files, ArchiveFolder)
	for _, month := range months {
		if !month.IsDir() {
			continue
		}
		in, failed := atomicfile.ListFolder(a.root.files, path.Join(ArchiveFolder, month.Name()))
		err = errors.Join(err, failed)
		for _, e := range in {
			name, ok := strings.CutSuffix(e.Name(), packSuffix)
			id := council.SessionID(name)
			if ok && checkID(id) == nil && path.Base(packFolder(id)) == month.Name() {
				ids = append(ids, id)
			}
		}
	}
	return ids, err
}

// open opens an archived session for reading. [fs.ErrNotExist]: it is not archived. [ErrDamaged]: its archive
// cannot be read.
func (a Archive) open(id council.SessionID) (pack packed, err error) {
	at := PackPath(id)
	f, err := a.root.files.Open(at)
	if err != nil {
		return pack, err
	}
	defer f.Close()
	size, err := f.Size()
	data := make([]byte, max(0, min(size, zipfile.Most)))
	if err == nil {
		_, err = f.ReadAt(data, 0)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return pack, fmt.Errorf("cannot read %s: %w", at, err)
	}
	all, err := zipfile.Open(bytes.NewReader(data), size)
	if err != nil {
		return pack, fmt.Errorf("%w: %s: %w", ErrDamaged, at, err)
	}
	within, err := fs.Sub(all, string(id))
	if err != nil {
		return pack, err
	}
	if _, err := fs.Stat(within, "."); err != nil {
		return pack, fmt.Errorf("%w: %s does not hold session %s", ErrDamaged, at, id)
	}
	return packed{within: within, path: path.Join(a.root.files.Path(), at)}, nil
}

// packed is a read-only folder of an archived session, held in memory. Writers take the session's lock first, which
// [Root.takeOpenLock] refuses for an archived one.
type packed struct {
	atomicfile.Files // nil
	within           fs.FS
	path             string // of the zip file
}

// Open opens a file of the archive. [ErrDamaged]: its checksum is wrong.
func (p packed) Open(name string) (atomicfile.File, error) {
	f, err := p.within.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, zipfile.Most+1))
	if err == nil && len(data) > zipfile.Most {
		err = zipfile.ErrLarge
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s in %s: %w", ErrDamaged, name, p.path, err)
	}
	return atomicfile.InMemory(data), nil
}

// Folder opens a folder of the archive.
func (p packed) Folder(name string) (atomicfile.Files, error) {
	info, err := fs.Stat(p.within, name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	within, err := fs.Sub(p.within, name)
	return packed{within: within, path: p.path}, err
}

func (p packed) Lstat(name string) (fs.FileInfo, error) { return fs.Stat(p.within, name) }
func (p packed) List() ([]fs.DirEntry, error)           { return fs.ReadDir(p.within, ".") }
func (p packed) Path() string                           { return p.path }
func (p packed) Close() error                           { return nil }

// Interrupted reports whether a move into the archive or out of it was cut off. Pack finishes it.
func (a Archive) Interrupted(id council.SessionID) bool {
	return a.root.hasFolder(id) && a.Holds(id)
}

// Pack moves a closed session into the archive; see [ArchiveFolder]. agree is called with the session's log under
// its lock, before anything is written; its error is returned and nothing is moved. The archive is durable and was read
// back before the first file of the folder is removed. Killed anywhere, the session can be read as before, and the next
// call finishes. An archived session stays as it is.
//
// [ErrNotArchivable]: the folder holds something else than files and folders, or differs from the archive of a move
// that was cut off, or the close of the session is not settled. [ErrNotClosed], [ErrUnknownSession], [ErrDamaged],
// [ErrLocked].
func (a Archive) Pack(id council.SessionID, agree func([]wire.Entry) error) error {
	return a.root.withLock(id, a.root.takeLock, func() error {
		folder, err := a.root.openUnpacked(id)
		if errors.Is(err, ErrUnknownSession) && a.Holds(id) {
			return nil // another process was faster
		}
		if err != nil {
			return err
		}
		defer folder.Close()
		entries, err := a.root.Read(id)
		if err != nil {
			return err
		}
		if render.MinutesOf(entries).Outcome == nil {
			return fmt.Errorf("%w: %s", ErrNotClosed, id)
		}
		if _, err := a.root.files.Lstat(path.Join(openFolder, string(id))); err == nil {
			return fmt.Errorf("%w: what follows from its close is not done yet", ErrNotArchivable)
		}
		files, folders, err := contents(folder, "")
		if err == nil {
			err = agree(entries)
		}
		if err == nil && !a.Holds(id) {
			err = a.write(id, folder, files)
		}
		if err != nil {
			return err
		}
		return a.removeFolder(id, folder, files, folders)
	})
}

// Restore moves a session out of the archive. Pack calls agree. Killed anywhere, the session can
// be read as before, and the next call finishes. [ErrUnknownSession]: no session of that id is archived.
// [ErrNotArchivable]: a file of its folder differs. [ErrDamaged]; [ErrLocked].
func (a Archive) Restore(id council.SessionID, agree func([]wire.Entry) error) error {
	return a.root.withLock(id, a.root.takeLock, func() error {
		if !a.Holds(id) {
			return fmt.Errorf("%w in the archive: %s", ErrUnknownSession, id)
		}
		entries, err := a.root.Read(id)
		if err == nil {
			err = agree(entries)
		}
		if err != nil {
			return err
		}
		pack, err := a.open(id)
		if err != nil {
			return err
		}
		err = atomicfile.Within(a.root.files, SessionsFolder, func(sessions atomicfile.Files) error {
			return unpack(sessions, id, pack)
		})
		if err != nil {
			return err
		}
		// From here on the folder is the session. The removal is durable before the lock is released: an older archive must
		// not come back after the folder was changed.
		return atomicfile.Within(a.root.files, packFolder(id), func(month atomicfile.Files) error {
			return errors.Join(month.Remove(path.Base(PackPath(id))), month.Sync())
		})
	})
}

// contents lists the files below a folder of a session, and the folders, each after those in it. It removes the files
// of unfinished writes. [ErrNotArchivable]: something is neither a file nor a folder.
func contents(folder atomicfile.Files, within string) (files, folders []string, err error) {
	if err := atomicfile.Tidy(folder); err != nil {
		return nil, nil, err
	}
	entries, err := folder.List()
	for _, e := range entries {
		name := path.Join(within, e.Name())
		switch {
		case err != nil:
			return nil, nil, err
		case e.IsDir():
			err = atomicfile.Within(folder, e.Name(), func(below atomicfile.Files) error {
				more, in, err := contents(below, name)
				files, folders = append(files, more...), append(append(folders, in...), name)
				return err
			})
		case e.Type().IsRegular():
			files = append(files, name)
		default:
			err = fmt.Errorf("%w: %s is neither a file nor a folder", ErrNotArchivable, name)
		}
	}
	return files, folders, err
}

func (a Archive) write(id council.SessionID, folder atomicfile.Files, names []string) error {
	files := map[string][]byte{}
	for _, name := range names {
		data, err := atomicfile.Read(folder, name)
		if err != nil {
			return err
		}
		files[path.Join(string(id), name)] = data
	}
	in, name := packFolder(id), path.Base(PackPath(id))
	return atomicfile.WithinMade(a.root.files, in, func(month atomicfile.Files) error {
		err := atomicfile.Sweep(month, func(left string) bool { // of this session: other processes archive others
			return atomicfile.Temporary(left) && strings.HasPrefix(left, "."+name)
		})
		if err != nil {
			return err
		}
		return zipfile.Write(month, name, files, zipfile.Most)
	})
}

// removeFolder removes the folder of an archived session, with the files and folders in it; nothing unless the archive
// holds all files.
func (a Archive) removeFolder(id council.SessionID, folder atomicfile.Files, files, folders []string) error {
	pack, err := a.open(id)
	if err != nil {
		return err
	}
	for _, name := range files {
		held, err := atomicfile.Read(folder, name)
		if err != nil {
			return err
		}
		if kept, err := atomicfile.Read(pack, name); err != nil || !bytes.Equal(held, kept) {
			return fmt.Errorf("%w: %s is not what %s holds", ErrNotArchivable, name, PackPath(id))
		}
	}
	return atomicfile.Within(a.root.files, SessionsFolder, func(sessions atomicfile.Files) error {
		for _, name := range slices.Concat(files, folders, []string{""}) {
			if err := sessions.Remove(path.Join(string(id), name)); err != nil {
				return err
			}
		}
		return sessions.Sync()
	})
}

// unpack writes the folder of an archived session, and keeps the files that an interrupted call wrote.
// [ErrNotArchivable].
func unpack(sessions atomicfile.Files, id council.SessionID, from packed) error {
	return fs.WalkDir(from.within, ".", func(name string, e fs.DirEntry, err error) error {
		at := path.Join(string(id), name)
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return atomicfile.Within(sessions, path.Dir(at), func(folder atomicfile.Files) error {
				return unpackFile(folder, from, name)
			})
		}
		return atomicfile.WithinMade(sessions, at, atomicfile.Tidy)
	})
}

// unpackFile writes one file of an archived session into its folder, unless it is there already.
func unpackFile(folder atomicfile.Files, from packed, of string) error {
	kept, err := atomicfile.Read(from, of)
	if err != nil {
		return err
	}
	name := path.Base(of)
	held, err := atomicfile.Read(folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return atomicfile.Write(folder, name, kept)
	case err == nil && !bytes.Equal(held, kept):
		return fmt.Errorf("%w: %s holds something else than the archive", ErrNotArchivable, path.Join(folder.Path(), name))
	}
	return err
}
