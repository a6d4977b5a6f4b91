package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Latest is the name of the session that began last.
const Latest = "latest"

// Find returns the id of the session that is meant by its id, by a prefix that only it has, or by [Latest].
// [ErrUnknownSession]: there is none. An [*AmbiguousError]: there are several.
func (r *Root) Find(name string) (council.SessionID, error) {
	if err := checkID(council.SessionID(name)); err != nil {
		return "", err
	}
	if id := council.SessionID(name); name != Latest && (r.Archived(id) || r.stands(id)) {
		return id, nil // without a list of all
	}
	if name == Latest {
		id, err := r.latest()
		if err == nil && id == "" {
			err = fmt.Errorf("%w: no council has met in %s yet", ErrUnknownSession, r.path)
		}
		return id, err
	}
	ids, err := r.IDs()
	if err != nil {
		return "", err
	}
	var candidates []council.SessionID
	for _, id := range ids {
		if strings.HasPrefix(string(id), name) {
			candidates = append(candidates, id)
		}
	}
	switch len(candidates) {
	case 0:
		return "", fmt.Errorf("%w: none in %s has a name that begins with %s", ErrUnknownSession, r.path, quoted(name))
	case 1:
		return candidates[0], nil
	}
	return "", &AmbiguousError{Name: name, Candidates: candidates}
}

// stands reports whether the folder of a session, or a link, is in sessions.
func (r *Root) stands(id council.SessionID) bool {
	info, err := r.files.Lstat(path.Join(SessionsFolder, string(id)))
	return err == nil && (info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
}

// IDs lists what is called like a session in the workspace, archived or not, newest first.
func (r *Root) IDs() ([]council.SessionID, error) {
	// First, so that what is archived meanwhile is met in the archive.
	entries, err := atomicfile.ListFolder(r.files, SessionsFolder)
	ids, failed := r.archived()
	if err := errors.Join(err, failed); err != nil {
		return nil, plain(r.path, err)
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

// folder opens a session's folder, of an archived one for reading alone. [ErrUnknownSession]: there is none. A symlink
// in its place is refused.
func (r *Root) folder(id council.SessionID) (atomicfile.Files, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	files, err := r.openPack(id)
	if errors.Is(err, fs.ErrNotExist) {
		if files, err = r.unpacked(id); errors.Is(err, ErrUnknownSession) {
			if pack, failed := r.openPack(id); failed == nil { // it was archived between the two looks
				return pack, nil
			}
		}
	}
	return files, err
}

// unpacked opens a session's folder in sessions. [ErrUnknownSession]: there is none.
func (r *Root) unpacked(id council.SessionID) (atomicfile.Files, error) {
	files, err := r.files.Folder(SessionsFolder + "/" + string(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownSession, id)
	}
	return files, err
}
