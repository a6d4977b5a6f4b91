package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// EnsurePath makes what is missing of a path of the operating system, one folder after the other, each through the
// layer. With an error it returns the folder that could not be made.
func EnsurePath(path string, through func(Files) Files) (failed string, err error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return path, err
	}
	there := full
	for {
		_, err := os.Stat(there)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	missing := strings.Split(strings.TrimPrefix(strings.TrimPrefix(full, there), string(filepath.Separator)),
		string(filepath.Separator))
	for _, name := range missing {
		if name == "" {
			continue
		}
		if err := ensureIn(there, name, through); err != nil {
			return filepath.Join(there, name), err
		}
		there = filepath.Join(there, name)
	}
	return "", nil
}

// Unlinked returns an [ErrLink] when a step of the path below the folder base is a symlink. A step that does not exist
// is no link, and a path that does not lie below base is not looked at: the user named it.
func Unlinked(base, path string) error {
	base, err := filepath.Abs(base)
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	below, err := filepath.Rel(base, path)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return nil
	}
	for step := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		base = filepath.Join(base, step)
		info, err := os.Lstat(base)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return &fs.PathError{Op: "open", Path: base, Err: ErrLink}
		}
	}
	return nil
}

func ensureIn(in, name string, through func(Files) Files) error {
	dir, err := OpenDir(in)
	if err != nil {
		return err
	}
	return errors.Join(EnsureFolder(through(dir), name), dir.Close())
}
