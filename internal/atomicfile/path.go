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
	parent := filepath.Dir(full)
	if _, err := os.Stat(full); !errors.Is(err, fs.ErrNotExist) || parent == full {
		return "", nil
	}
	if failed, err := EnsurePath(parent, through); err != nil {
		return failed, err
	}
	dir, err := OpenDir(parent)
	if err == nil {
		err = errors.Join(EnsureFolder(through(dir), filepath.Base(full)), dir.Close())
	}
	return full, err
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
