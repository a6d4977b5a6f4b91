package main

import (
	"errors"
	"io"
	"sync"
	"syscall"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/internal/fileerror"
)

// output is a stream that keeps the first error of writing to it, because whoever prints for people does not look.
type output struct {
	io.Writer
	mu     sync.Mutex
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.failed == nil {
			o.failed = err
		}
	}
	return n, err
}

// unshownError: what a command was to show could not be written.
type unshownError struct{ err error }

func (u *unshownError) Error() string {
	return "what was to be shown could not be written to standard output: " + fileerror.Of(u.err).Error()
}

// unshown is the error of a command: err, or an [unshownError] where the command came to its end otherwise. A reader that
// went away has seen enough.
func (o *output) unshown(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var code exitCode
	ended := err == nil || errors.As(err, &code) && code == exitNotDecided || errors.Is(err, desk.ErrFindings)
	if o.failed == nil || errors.Is(o.failed, syscall.EPIPE) || !ended && !errors.Is(err, o.failed) {
		return err
	}
	return &unshownError{o.failed}
}
