// Package desk is what every command knows of the world around it, and how a command line is refused.
package desk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/council-engine/council/recorder"
)

// Desk is what a command knows of the world around it.
type Desk struct {
	In        io.Reader
	Out, Errs io.Writer
	Terminal  bool       // both streams are a terminal
	Width     func() int // its columns; 0, as well as nil, where they are not known
	Getenv    func(string) string
	Now       func() time.Time
	Random    io.Reader // unguessable bytes
	Inputs    recorder.Inputs
	Record    []recorder.Option // how the record is opened
	By        func() string     // names the person at the keyboard
}

// ErrFindings: something was found that is not damage. What it is was printed.
var ErrFindings = errors.New("something is not as it should be")

// Told is an error that has been explained to the user already. What it wraps decides the exit code.
type Told struct{ Err error }

func (t *Told) Error() string { return t.Err.Error() }

// Unwrap returns what was told.
func (t *Told) Unwrap() error { return t.Err }

// NameOf is the session that was named, else the latest.
func NameOf(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return recorder.Latest
}

// ConfigFolder is the folder of the user's own settings, as the environment names it, or "" where it names none.
func ConfigFolder(getenv func(string) string) string {
	folder := getenv("XDG_CONFIG_HOME")
	if home := getenv("HOME"); folder == "" && home != "" {
		folder = filepath.Join(home, ".config")
	}
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "council")
}

// errNoState: the environment names no folder for what council keeps outside of all records.
var errNoState = errors.New("there is no folder for the state of this user: neither XDG_STATE_HOME nor HOME names one")

// StateFolder is the folder in which council keeps what belongs to no record, such as the key of this machine.
func StateFolder(getenv func(string) string) (string, error) {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // the specification says to ignore one that is not
		home := getenv("HOME")
		// A home that does not exist is that of nobody; it is not for council to make one.
		if info, err := os.Stat(home); !filepath.IsAbs(home) || err != nil || !info.IsDir() {
			return "", errNoState
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "council"), nil
}
