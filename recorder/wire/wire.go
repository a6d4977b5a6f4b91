// Package wire is the form of events.json: a JSON array that is valid after every append, one event a line, each
// chained to the one before by a sum (see package chain). It knows bytes, not files. The format is described in
// docs/events.md.
package wire

import (
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// Format is the version of the form. It stands in the first line of every log and in the seed of its chain.
const Format = 1

// File is the name of a log in its session's folder: the truth of the session.
const File = "events.json"

// Entry is one event as it stands in events.json.
type Entry struct {
	council.Event
	ID      string // "e12"
	Session council.SessionID
	Time    time.Time // UTC, to the millisecond
	Salt    string    // hexadecimal; keeps a forgotten payload from being guessed by its digest
	Digest  string    // SHA-256 of salt and payload bytes, as they were recorded
	Sum     string    // SHA-256 of the previous sum and this line's bytes before its own

	// Forgotten: words of the payload were erased on request, and the salt with them. What is left of the payload is
	// not covered by the digest.
	Forgotten bool
}

// Started returns the opening of a log; ok is false when the log does not begin with one.
func Started(entries []Entry) (opening council.SessionStarted, ok bool) {
	if len(entries) > 0 {
		opening, ok = entries[0].Started()
	}
	return opening, ok
}

// Closing returns the index of the event that closes the session; -1 when there is none.
func Closing(entries []Entry) int {
	return slices.IndexFunc(entries, func(e Entry) bool {
		_, closes := e.Payload.(council.SessionClosed)
		return closes
	})
}
