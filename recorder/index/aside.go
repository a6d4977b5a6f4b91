package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// companions are what is kept beside a database, by SQLite and by us.
var companions = []string{"-wal", "-shm", "-journal", cleanEnding}

// setAside moves a database out of the way and returns its new name. It keeps one for each ending: what is derived need
// not be kept twice.
func setAside(path, ending string) (string, error) {
	to := path + ending
	for _, c := range append([]string{""}, companions...) {
		if err := os.Remove(to + c); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot move the index aside: %w", err)
		}
	}
	// The log goes before its database, lest a new database finds the log of another.
	for _, c := range append(append([]string{}, companions...), "") {
		if err := os.Rename(path+c, to+c); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot move the index aside: %w", err)
		}
	}
	return to, nil
}

// reopen moves what cannot be used aside and opens a new index.
func reopen(ctx context.Context, path, ending, why string) (*Index, error) {
	to, err := setAside(path, ending)
	if err != nil {
		return nil, unwritable(err)
	}
	ix, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	ix.aside = &Aside{Path: to, Why: why}
	return ix, nil
}
