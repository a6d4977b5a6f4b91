package recorder

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
)

// versionFile says that a folder is a workspace, and of which layout.
const versionFile = "VERSION"

// layout is the version of the folder's layout.
const layout = 1

// claim makes the folder a workspace, unless it is one or holds something else.
func (r *Root) claim() error {
	ours, err := r.recognise()
	if err != nil {
		return err
	}
	if !ours {
		// Two processes may both come here. They write the same.
		if err := atomicfile.Write(r.files, versionFile, fmt.Appendf(nil, "council %d\n", layout)); err != nil {
			return plain(r.path, err)
		}
	}
	for _, folder := range []string{SessionsFolder, LocksFolder} {
		if err := atomicfile.EnsureFolder(r.files, folder); err != nil {
			return plain(r.path, err)
		}
	}
	return nil
}

// recognise reports whether the folder is a workspace already. It is not one yet if it is empty, or if the process
// that is making it was interrupted or is still at it.
func (r *Root) recognise() (bool, error) {
	entries, err := r.files.List()
	if err != nil {
		return false, plain(r.path, err)
	}
	strangers := ""
	for _, e := range entries {
		if e.Name() == versionFile {
			return true, r.checkVersion()
		}
		if !atomicfile.Temporary(e.Name()) && strangers == "" {
			strangers = e.Name()
		}
	}
	if strangers != "" {
		return false, fmt.Errorf("%w: %s has no file %s, but holds %q", ErrForeign, r.path, versionFile, strangers)
	}
	return false, nil
}

func (r *Root) checkVersion() error {
	text, err := atomicfile.Read(r.files, versionFile)
	if errors.Is(err, fs.ErrInvalid) || errors.Is(err, atomicfile.ErrLink) {
		return fmt.Errorf("%w: %s in %s is not a plain file", ErrForeign, versionFile, r.path)
	}
	if err != nil {
		return plain(r.path, err)
	}
	var version int
	switch n, err := fmt.Sscanf(string(text), "council %d\n", &version); {
	case n != 1 || err != nil || version < 1:
		return fmt.Errorf("%w: %s in %s was written by something else", ErrForeign, versionFile, r.path)
	case version > layout:
		return fmt.Errorf("%w: %s has layout %d, and this version knows layouts up to %d", ErrNewer, r.path, version, layout)
	}
	return nil
}
