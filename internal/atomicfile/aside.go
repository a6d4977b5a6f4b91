package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// The kinds of what is kept beside a file instead of being replaced: somebody's edits, and what cannot be read.
const (
	Edited  = "edited"
	Damaged = "damaged"
)

// Aside gives a file another name in its folder, <name>.<kind>-<time in UTC>, so that its own is free for another
// content, and returns the new name. A number follows when that name is taken.
func Aside(files Files, name, kind string, at time.Time) (string, error) {
	stem := name + "." + kind + "-" + at.UTC().Format("20060102T150405Z")
	kept := stem
	for n := 2; ; n++ {
		if _, err := files.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		kept = fmt.Sprintf("%s-%d", stem, n)
	}
	if err := files.Rename(name, kept); err != nil {
		return "", err
	}
	return kept, files.Sync()
}
