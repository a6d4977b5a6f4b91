// Package plainly says in plain words what the system says of a file.
package plainly

import (
	"errors"
	"io/fs"
	"syscall"
)

// words are what is said for the system's errors. The first that matches counts.
var words = []struct {
	is   error
	says string
}{
	{fs.ErrNotExist, "there is no such file or folder"},
	{fs.ErrPermission, "this user may not read it"},
	{syscall.EISDIR, "it is a folder, not a file"},
	{syscall.ENOTDIR, "it lies in something that is no folder"},
	{syscall.ENAMETOOLONG, "its name is too long for this system"},
	{syscall.EINVAL, "its name is not one that this system allows"},
}

// Of returns what kept a file from being read, for people who know which file it was: in plain words where there are any,
// and without the path, which may name folders that are nobody's business. The error that it returns wraps no other.
func Of(err error) error {
	for _, w := range words {
		if errors.Is(err, w.is) {
			return errors.New(w.says)
		}
	}
	var told *fs.PathError
	if errors.As(err, &told) {
		return told.Err
	}
	return err
}
