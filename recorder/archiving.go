package recorder

import (
	"bytes"
	"errors"
	"fmt"
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

// Pending reports whether a session is archived and its folder is still there, because a move was cut off.
// [Root.Archive] finishes it.
func (r *Root) Pending(id council.SessionID) bool {
	return r.stands(id) && r.Archived(id)
}

// Archive moves a closed session into the archive; see [ArchiveFolder]. agree is called with the session's log while
// this process has the session's lock, before anything is written; its error is returned and nothing is moved. The
// archive is durable and was read back before the first file of the folder is removed. Killed anywhere, the session can
// be read as before, and the next call finishes it. Of a session that is archived already nothing is done.
//
// [ErrStays]: the folder holds something that an archive cannot, or that differs from the archive of a move that was
// cut off; or what follows from the session's close is not done. [ErrNotClosed], [ErrUnknownSession], [ErrDamaged]; a
// [*LockedError].
func (r *Root) Archive(id council.SessionID, agree func([]wire.Entry) error) error {
	return r.locked(id, r.seize, func() error {
		folder, err := r.unpacked(id)
		if errors.Is(err, ErrUnknownSession) && r.Archived(id) {
			return nil // another process was faster
		}
		if err != nil {
			return err
		}
		defer folder.Close()
		entries, err := r.Read(id)
		if err != nil {
			return err
		}
		if _, outcome := render.Standing(entries); outcome == nil {
			return fmt.Errorf("%w: %s", ErrNotClosed, id)
		}
		if _, err := r.files.Lstat(path.Join(openFolder, string(id))); err == nil {
			return fmt.Errorf("%w: what follows from its close is not done yet", ErrStays)
		}
		files, folders, err := contents(folder, "")
		if err == nil {
			err = agree(entries)
		}
		if err == nil && !r.Archived(id) {
			err = r.pack(id, folder, files)
		}
		if err != nil {
			return err
		}
		return r.unfold(id, folder, files, folders)
	})
}

// Restore moves a session out of the archive. agree is called as [Root.Archive] does. Killed anywhere, the session can
// be read as before, and the next call finishes it. [ErrUnknownSession]: no session of that id is archived.
// [ErrStays]: a folder of that name holds something else. [ErrDamaged]; a [*LockedError].
func (r *Root) Restore(id council.SessionID, agree func([]wire.Entry) error) error {
	return r.locked(id, r.seize, func() error {
		if !r.Archived(id) {
			return fmt.Errorf("%w in the archive: %s", ErrUnknownSession, id)
		}
		entries, err := r.Read(id)
		if err == nil {
			err = agree(entries)
		}
		if err != nil {
			return err
		}
		pack, err := r.openPack(id)
		if err != nil {
			return err
		}
		err = atomicfile.Within(r.files, SessionsFolder, func(sessions atomicfile.Files) error {
			return unpack(sessions, string(id), pack)
		})
		if err != nil {
			return err
		}
		// From here on the folder is the session. The removal lasts before the lock is given back, so that no archive of
		// before comes back after the folder was changed.
		return atomicfile.Within(r.files, packFolder(id), func(month atomicfile.Files) error {
			return errors.Join(month.Remove(path.Base(PackPath(id))), month.Sync())
		})
	})
}

// contents names the files in a folder of a session and below it, and the folders, each behind those in it. It removes
// what interrupted writes have left. [ErrStays]: something there is neither a file nor a folder.
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
			err = fmt.Errorf("%w: %s is neither a file nor a folder", ErrStays, name)
		}
	}
	return files, folders, err
}

// pack writes the archive of a session.
func (r *Root) pack(id council.SessionID, folder atomicfile.Files, names []string) error {
	var sources []zipfile.Source
	for _, name := range names {
		sources = append(sources, zipfile.Source{Name: path.Join(string(id), name),
			Load: func() ([]byte, error) { return atomicfile.Read(folder, name) }})
	}
	if err := atomicfile.EnsureFolder(r.files, ArchiveFolder); err != nil {
		return err
	}
	in, name := path.Split(PackPath(id))
	err := atomicfile.Within(r.files, ArchiveFolder, func(archive atomicfile.Files) error {
		return atomicfile.EnsureFolder(archive, path.Base(in))
	})
	if err != nil {
		return err
	}
	return atomicfile.Within(r.files, path.Clean(in), func(month atomicfile.Files) error {
		entries, err := month.List()
		for _, e := range entries { // of this session alone: other processes archive others
			if err == nil && atomicfile.Temporary(e.Name()) && strings.HasPrefix(e.Name(), "."+name) {
				err = month.Remove(e.Name())
			}
		}
		if err != nil {
			return err
		}
		return zipfile.Write(month, name, sources, zipfile.Most)
	})
}

// unfold removes the folder of a session that is archived, with the files and folders in it: none of them unless the
// archive holds all files.
func (r *Root) unfold(id council.SessionID, folder atomicfile.Files, files, folders []string) error {
	pack, err := r.openPack(id)
	if err != nil {
		return err
	}
	for _, name := range files {
		held, err := atomicfile.Read(folder, name)
		if err != nil {
			return err
		}
		if kept, err := atomicfile.Read(pack, name); err != nil || !bytes.Equal(held, kept) {
			return fmt.Errorf("%w: %s is not what %s holds", ErrStays, name, PackPath(id))
		}
	}
	return atomicfile.Within(r.files, SessionsFolder, func(sessions atomicfile.Files) error {
		for _, name := range slices.Concat(files, folders, []string{""}) {
			if err := sessions.Remove(path.Join(string(id), name)); err != nil {
				return err
			}
		}
		return sessions.Sync()
	})
}

// unpack writes a folder of an archived session. What a call that was cut off has written is left as it is. [ErrStays].
func unpack(in atomicfile.Files, name string, from atomicfile.Files) error {
	if err := atomicfile.EnsureFolder(in, name); err != nil {
		return err
	}
	return atomicfile.Within(in, name, func(folder atomicfile.Files) error {
		if err := atomicfile.Tidy(folder); err != nil {
			return err
		}
		entries, err := from.List()
		for _, e := range entries {
			switch {
			case err != nil:
				return err
			case e.IsDir():
				err = atomicfile.Within(from, e.Name(), func(below atomicfile.Files) error {
					return unpack(folder, e.Name(), below)
				})
			default:
				err = unpackFile(folder, e.Name(), from)
			}
		}
		return err
	})
}

// unpackFile writes one file of an archived session, unless it is there already.
func unpackFile(folder atomicfile.Files, name string, from atomicfile.Files) error {
	kept, err := atomicfile.Read(from, name)
	if err != nil {
		return err
	}
	held, err := atomicfile.Read(folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return atomicfile.Write(folder, name, kept)
	case err == nil && !bytes.Equal(held, kept):
		return fmt.Errorf("%w: %s holds something else than the archive", ErrStays, path.Join(folder.Path(), name))
	}
	return err
}
