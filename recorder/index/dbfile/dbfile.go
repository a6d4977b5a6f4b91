// Package dbfile handles the files of a database as files: it moves them aside, copies them, and knows whether they are as
// the last process that used them left them.
package dbfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrChanged: the database is not as it was left.
var ErrChanged = errors.New("something else than council changed it, or its last use was cut off")

// ErrNotAFile: something else than a file has the database's name.
var ErrNotAFile = errors.New("not a file")

// cleanEnding is that of the file in which whoever closes the index last notes the size and the time of the database.
// A database that is not as it was noted was changed by something else, and what it would answer is not known: SQLite
// has no checksum of what it keeps, so a changed bit can turn a right answer into a wrong one without an error.
const cleanEnding = "-clean"

// Patience is how long an opener waits for whoever is making a database, or has just closed it and not noted that yet.
var Patience = 500 * time.Millisecond

// note is what a clean end leaves: the size and the time of the database. It is empty when there is no database.
func note(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes, %s\n", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

// clean reports whether the database is as the last clean end left it.
func clean(path string) bool {
	was, _ := os.ReadFile(path + cleanEnding)
	now := note(path)
	return now == "" || string(was) == now
}

// live reports whether the database has a log: some process uses it, or was killed while it did.
func live(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil
}

// Ended notes a clean end, unless some other process uses the database still. The note is derived from what is there: when
// it cannot be written, or is lost, the index is built again.
func Ended(path string) {
	if now := note(path); now != "" && !live(path) && !clean(path) {
		_ = os.WriteFile(path+cleanEnding, []byte(now), 0o600)
	}
}

// Unchanged waits until the database is as its last clean end left it or some process uses it. [ErrChanged]: neither is
// so. check says whether its pages have to be checked: it was changed after the last clean end, maybe by a process that
// was killed.
func Unchanged(ctx context.Context, path string) (check bool, err error) {
	const pause = 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		switch {
		case clean(path):
			return false, nil
		case live(path):
			return true, nil
		case waited >= Patience || ctx.Err() != nil:
			return false, ErrChanged
		}
		time.Sleep(pause)
	}
}

// companions are what is kept beside a database, by SQLite and by us.
var companions = []string{"-wal", "-shm", "-journal", cleanEnding}

// SetAside moves a database out of the way and returns its new name. It keeps one for each ending: what is derived need
// not be kept twice.
func SetAside(path, ending string) (string, error) {
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

// Copy copies a database that nothing has changed since its last clean end, and its log. Of any other there is no copy.
func Copy(from, to string) error {
	if !clean(from) {
		return nil
	}
	for _, c := range []string{"", "-wal"} {
		text, err := os.ReadFile(from + c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+c, text, 0o600)
		}
		if err != nil {
			return fmt.Errorf("cannot copy the index: %w", err)
		}
	}
	Ended(to)
	return nil
}

// Touch makes the file, closed to others. SQLite gives its companions the same permissions.
func Touch(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot open the index: %s: %w", path, ErrNotAFile)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make the index: %w", err)
	}
	return f.Close()
}
