package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
)

// ArchiveFolder holds the sessions that are archived: one zip file each, with the session's folder in it, in the month
// in which the session began: archive/2026-11/<session>.zip. While there is one, it is the session. A folder of that
// name in sessions/ beside it is what a move that was cut off has left.
const ArchiveFolder = "archive"

// packSuffix ends the name of an archived session.
const packSuffix = ".zip"

// PackPath returns where a session is when it is archived, within the workspace.
func PackPath(id council.SessionID) string { return path.Join(packFolder(id), string(id)+packSuffix) }

// packFolder returns the folder of the month that a session's id begins with.
func packFolder(id council.SessionID) string {
	const month = len("200601")
	if len(id) < month || strings.Trim(string(id[:month]), "0123456789") != "" {
		return ArchiveFolder + "/undated"
	}
	return ArchiveFolder + "/" + string(id[:4]) + "-" + string(id[4:month])
}

// Archived reports whether a session is archived.
func (r *Root) Archived(id council.SessionID) bool {
	if checkID(id) != nil {
		return false
	}
	_, err := r.files.Lstat(PackPath(id))
	return err == nil
}

// moved reports whether a session was archived since its folder was opened: what was read of it may be half of it.
func (r *Root) moved(id council.SessionID, opened atomicfile.Files) bool {
	_, archive := opened.(packed)
	return !archive && r.Archived(id)
}

// Place returns the path of a session's folder, or of the zip file that it is archived in.
func (r *Root) Place(id council.SessionID) string {
	if r.Archived(id) {
		return filepath.Join(r.path, filepath.FromSlash(PackPath(id)))
	}
	return filepath.Join(r.path, SessionsFolder, string(id))
}

// archived lists the sessions in the archive.
func (r *Root) archived() (ids []council.SessionID, err error) {
	months, err := atomicfile.ListFolder(r.files, ArchiveFolder)
	for _, month := range months {
		if !month.IsDir() {
			continue
		}
		packs, failed := atomicfile.ListFolder(r.files, path.Join(ArchiveFolder, month.Name()))
		err = errors.Join(err, failed)
		for _, e := range packs {
			name, ok := strings.CutSuffix(e.Name(), packSuffix)
			id := council.SessionID(name)
			if ok && checkID(id) == nil && path.Base(packFolder(id)) == month.Name() {
				ids = append(ids, id)
			}
		}
	}
	return ids, err
}

// openPack opens an archived session for reading. [fs.ErrNotExist]: it is not archived. [ErrDamaged]: it is, and the
// archive is not what was written.
func (r *Root) openPack(id council.SessionID) (atomicfile.Files, error) {
	at := PackPath(id)
	f, err := r.files.Open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	data := make([]byte, max(0, min(size, zipfile.Most)))
	if err == nil {
		_, err = f.ReadAt(data, 0)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot read %s: %w", at, err)
	}
	all, err := zipfile.Open(bytes.NewReader(data), size)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, at, err)
	}
	within, err := fs.Sub(all, string(id))
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(within, "."); err != nil {
		return nil, fmt.Errorf("%w: %s does not hold session %s", ErrDamaged, at, id)
	}
	return packed{within: within, path: path.Join(r.files.Path(), at)}, nil
}

// packed is a folder of an archived session, held in memory. It cannot be changed: whoever would takes the session's
// lock first, which [Root.acquire] does not give of one that is archived.
type packed struct {
	atomicfile.Files // nil
	within           fs.FS
	path             string // of the zip file
}

// Open opens a file of the archive. [ErrDamaged]: it does not sum to what the archive says.
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
	return atomicfile.Held(data), nil
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
