package main

import (
	"encoding/hex"
	"fmt"
	"io"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/seating"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// inputs are the clock and the salts of a record.
func (a *app) inputs() recorder.Inputs {
	return recorder.Inputs{Now: a.now, Salt: func() string {
		salt := make([]byte, 16)
		if _, err := io.ReadFull(a.random, salt); err != nil {
			panic(fmt.Sprintf("council: the system has no randomness: %v", err)) // crypto/rand never fails
		}
		return hex.EncodeToString(salt)
	}}
}

// desk is what the commands in packages of their own know of the world.
func (a *app) desk() desk.Desk {
	return desk.Desk{
		In: a.stdin, Out: a.stdout, Errs: a.stderr, Terminal: a.terminal, Width: a.width, Getenv: a.getenv, Now: a.now,
		Random: a.random, Inputs: a.inputs(), Record: a.record(), By: a.by,
	}
}

// announced is the log of a running session that also writes each event to standard output, for --json.
type announced struct {
	folder *recorder.Session
	out    io.Writer
	json   bool
	told   int // entries written so far
}

// Append records an event and then announces it.
func (l *announced) Append(e council.Event) error {
	if err := l.folder.Append(e); err != nil {
		return err
	}
	return l.announce()
}

// announce writes the entries that were not written yet. An entry that cannot be written to a closed pipe stops the
// session: whoever follows it has gone.
func (l *announced) announce() error {
	if !l.json {
		return nil
	}
	entries := l.folder.Entries()
	for _, entry := range entries[l.told:] {
		line, err := entry.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(l.out, "%s\n", line); err != nil {
			return err
		}
	}
	l.told = len(entries)
	return nil
}

// record is how the record is opened.
func (a *app) record() []recorder.Option {
	if a.layer == nil {
		return nil
	}
	return []recorder.Option{recorder.Through(a.layer)}
}

// picker chooses models where nobody named one.
func (a *app) picker() seating.Picker { return seating.Picker{Getenv: a.getenv} }
