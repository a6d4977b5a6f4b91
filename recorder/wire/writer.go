package wire

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
)

// Empty is a log without events. An append writes over its last byte, and so over that of every log after it.
const Empty = "[\n]"

// Over is how many bytes an append overwrites: the bracket that closes the array.
const Over = 1

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

// Next returns the entry for an event, as a reader will find it, and the bytes that put it into the log: they are to be
// written over the last [Over] bytes. at is rounded down to the millisecond; salt is lower-case hexadecimal.
// [ErrUnwritable]: the event is not the next one, or would not come back as it is; the writer is as before.
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
		return Entry{}, nil, err // a number that is none, for example
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
	// Text that is not UTF-8 is written as an escape and read as other text, which is not written so. An empty list is
	// read as none, which means the same.
	if again, err := JSON(entry.Payload); err != nil || !bytes.Equal(again, payload) {
		return Entry{}, nil, fmt.Errorf("a %s would be read as something else than was written", e.Type())
	}
	return entry, line, nil
}
