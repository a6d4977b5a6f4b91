// Package proof holds the commands that show what a record is worth: verify, replay, rebuild, anchor and fsck.
package proof

import (
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/recorder"
)

// Desk is what these commands know of the world around them.
type Desk struct {
	Out, Errs io.Writer
	Getenv    func(string) string
	Now       func() time.Time
	Random    io.Reader // unguessable bytes, for the key
	Inputs    recorder.Inputs
	Root      string            // the folder of the record, unless a flag names one
	Record    []recorder.Option // how it is opened

	NoArgs, AtMostOne cobra.PositionalArgs
	Usage             func(*cobra.Command, error) error // makes an error one of wrong use
}

// Commands are the commands of the desk.
func (d Desk) Commands() []*cobra.Command {
	return []*cobra.Command{d.newVerify(), d.newReplay(), d.newRebuild(), d.newAnchor(), d.newFsck()}
}

// ErrFindings: something was found that is no damage. What it is was printed.
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
