// Package wire is the form of events.json: a JSON array that is valid after every append, one event a line, each
// chained to the one before by a sum (see package chain). It knows bytes, not files. The format is described in
// docs/events.md.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/chain"
)

// Format is the version of the form. It is in the first line of every log and in the seed of its chain.
const Format = 1

// File is the name of a log in its session's folder: the truth of the session.
const File = "events.json"

// Entry is one event of events.json.
type Entry struct {
	council.Event
	ID      string // "e12"
	Session council.SessionID
	Time    time.Time // UTC, to the millisecond
	Salt    string    // hexadecimal; keeps a forgotten payload from being guessed by its digest
	Digest  string    // SHA-256 of salt and payload bytes, as they were recorded
	Sum     string    // SHA-256 of the previous sum and this line's bytes before its own

	// Forgotten: words of the payload were erased on request, and the salt with them. The digest does not cover the rest.
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

// Empty is a log without events. An append writes over its last byte, and so over that of every log after it.
const Empty = "[\n]"

// Overlap is how many bytes an append overwrites: the bracket that closes the array.
const Overlap = 1

// ErrUnwritable: the event would not come back as it went in, so it was not written.
var ErrUnwritable = errors.New("the event cannot be recorded")

// Writer encodes events one after the other. The zero Writer is not usable: see [NewWriter] and [Log.Writer].
type Writer struct {
	session council.SessionID
	seq     council.Seq
	sum     string
}

// NewWriter returns a writer for a log that has no events yet.
func NewWriter(session council.SessionID) *Writer {
	return &Writer{session: session, sum: chain.Seed("events", string(session))}
}

// Next returns the entry for an event, as a reader will find it, and the bytes to write over the last [Overlap] bytes
// of the log. at is rounded down to the millisecond; salt is lower-case hexadecimal. [ErrUnwritable]: the event is not
// the next one, or would be read back as another; the writer is as before.
func (w *Writer) Next(e council.Event, at time.Time, salt string) (Entry, []byte, error) {
	entry, line, err := w.write(e, at, salt)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if w.seq > 0 {
		line = append([]byte(","), line...)
	}
	w.seq, w.sum = e.Seq, entry.Sum
	return entry, append(line, "\n]"...), nil
}

// write returns the line of an event, and the entry that is read from it.
func (w *Writer) write(e council.Event, at time.Time, salt string) (Entry, []byte, error) {
	if e.Seq != w.seq+1 || e.Payload == nil {
		return Entry{}, nil, fmt.Errorf("event %d cannot follow event %d, or has no payload", e.Seq, w.seq)
	}
	payload, err := JSON(e.Payload)
	if err != nil {
		return Entry{}, nil, err // such as NaN
	}
	l := lineOf(Entry{Event: e, ID: e.Seq.ID(), Session: w.session, Time: at, Salt: salt,
		Digest: chain.Sum(salt, payload)}, payload)
	line, covered, err := l.bytes()
	if err == nil {
		l.Sum = chain.Sum(w.sum, line[:covered])
		line, _, err = l.bytes()
	}
	if err != nil {
		return Entry{}, nil, err
	}
	entry, err := check(w.session, e.Seq, line, w.sum)
	if err != nil {
		return Entry{}, nil, err
	}
	// Text that is not UTF-8 is written as an escape, and read as other text. An empty list is read as none, which means
	// the same.
	if again, err := JSON(entry.Payload); err != nil || !bytes.Equal(again, payload) {
		return Entry{}, nil, fmt.Errorf("a %s would be read as something else than was written", e.Type())
	}
	if reflect.DeepEqual(entry.Payload, e.Payload) {
		entry.Payload = e.Payload // shares the words with the caller
	}
	return entry, line, nil
}

// decode reads a payload. [chain.ErrNewer]: this version does not know the type, or a field of it.
func decode(t council.EventType, text []byte) (council.Payload, error) {
	p := council.NewPayload(t)
	if p == nil {
		return nil, fmt.Errorf("%w: it holds an event of type %q", chain.ErrNewer, t)
	}
	err := council.ReadJSON(text, p)
	if err == nil {
		return council.Deref(p), nil
	}
	if json.Unmarshal(text, council.NewPayload(t)) == nil { // only the strictness made it fail
		return nil, fmt.Errorf("%w: a %s of it has a field that this version does not know (%v)", chain.ErrNewer, t, err)
	}
	return nil, fmt.Errorf("its payload is no %s", t)
}

// JSON returns v as compact JSON on one line with invisible characters escaped, so that a file can be shown on a
// terminal; see [hostile.JSON]. HTML is not escaped.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return hostile.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
