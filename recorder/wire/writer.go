package wire

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

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
	refuse := func(why string) (Entry, []byte, error) {
		return Entry{}, nil, fmt.Errorf("%w: %s", ErrUnwritable, why)
	}
	switch {
	case e.Seq != w.seq+1:
		return refuse(fmt.Sprintf("event %d cannot follow event %d", e.Seq, w.seq))
	case !hexadecimal(salt):
		return refuse("its salt is not hexadecimal")
	case !utf8.ValidString(string(w.session)) || !utf8.ValidString(string(e.Phase)) || !utf8.ValidString(string(e.Actor)):
		return refuse("its session, phase or actor is not text")
	}
	payload, read, err := encode(e.Payload)
	if err != nil {
		return Entry{}, nil, err
	}
	l := lineOf(Entry{Event: e, ID: e.Seq.ID(), Session: w.session, Time: at, Salt: salt,
		Digest: chain.Sum(salt, payload)}, payload)
	text, covered, err := l.bytes()
	if err != nil {
		return refuse(err.Error())
	}
	l.Sum = chain.Sum(w.sum, text[:covered])
	if text, _, err = l.bytes(); err != nil {
		return refuse(err.Error())
	}
	entry, err := l.entry(read)
	if err != nil {
		return refuse(err.Error())
	}
	if w.seq > 0 {
		text = append([]byte(","), text...)
	}
	w.seq, w.sum = e.Seq, l.Sum
	return entry, append(text, "\n]"...), nil
}
