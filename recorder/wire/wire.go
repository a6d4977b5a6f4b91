// Package wire is the form of events.json: a JSON array that is valid after every append, one event a line, each
// chained to the one before by a sum (see package chain). It knows bytes, not files. The format is described in
// docs/events.md.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Next adds an event to the log, and returns its entry, as a reader will find it, and the bytes to write over the last
// [Overlap] bytes of the file. at is rounded down to the millisecond; salt is lower-case hexadecimal. [ErrUnwritable]:
// the event is not the next one, or would be read back as another; the log is as before.
func (l *Log) Next(e council.Event, at time.Time, salt string) (Entry, []byte, error) {
	entry, line, err := l.write(e, at, salt)
	if err != nil {
		return Entry{}, nil, fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	if len(l.Entries) > 0 {
		line = append([]byte(","), line...)
	}
	l.Entries = append(l.Entries, entry)
	return entry, append(line, "\n]"...), nil
}

// write returns the line of an event, and the entry that is read from it.
func (l *Log) write(e council.Event, at time.Time, salt string) (Entry, []byte, error) {
	if last := len(l.Entries); int(e.Seq) != last+1 || e.Payload == nil {
		return Entry{}, nil, fmt.Errorf("event %d cannot follow event %d, or has no payload", e.Seq, last)
	}
	payload, err := JSON(e.Payload)
	if err != nil {
		return Entry{}, nil, err // such as NaN
	}
	next := lineOf(Entry{Event: e, ID: e.Seq.ID(), Session: l.Session, Time: at, Salt: salt,
		Digest: chain.Sum(salt, payload)}, payload)
	text, covered, err := next.bytes()
	if err == nil {
		next.Sum = chain.Sum(l.sum(), text[:covered])
		text, _, err = next.bytes()
	}
	if err != nil {
		return Entry{}, nil, err
	}
	entry, err := check(l.Session, e.Seq, text, l.sum())
	if err != nil {
		return Entry{}, nil, err
	}
	// Text that is not UTF-8 is written as an escape, and read as other text. An empty list is read as none, which means
	// the same.
	if again, err := JSON(entry.Payload); err != nil || !bytes.Equal(again, payload) {
		return Entry{}, nil, fmt.Errorf("a %s would be read as something else than was written", e.Type())
	}
	return entry, text, nil
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

// IndentedJSON is [JSON] on indented lines, with a newline at the end.
func IndentedJSON(v any) ([]byte, error) {
	text, err := JSON(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, text, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// timeLayout is RFC 3339 in UTC, always with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Stamp writes a time in the way of all files: RFC 3339 in UTC with milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// head holds the fields before a line's sum, in this order.
type head struct {
	Format    int               `json:"format,omitempty"` // in the first line only
	Seq       council.Seq       `json:"seq"`
	ID        string            `json:"id"`
	Session   council.SessionID `json:"sessionId"`
	Timestamp string            `json:"timestamp"`
	Type      council.EventType `json:"type"`
	Phase     council.PhaseID   `json:"phaseId,omitempty"`
	Round     int               `json:"round,omitempty"`
	Turn      int               `json:"turnIndex,omitempty"`
	Actor     council.MemberID  `json:"actorId,omitempty"`
	Digest    string            `json:"digest"`
}

// line is a whole line. One that was forgotten has no salt.
type line struct {
	head
	Sum       string          `json:"sum"`
	Payload   json.RawMessage `json:"payload"`
	Salt      string          `json:"salt"`
	Forgotten bool            `json:"forgotten"`
}

func lineOf(e Entry, payload []byte) *line {
	l := &line{Sum: e.Sum, Payload: payload, Salt: e.Salt, Forgotten: e.Forgotten, head: head{Seq: e.Seq, ID: e.ID,
		Session: e.Session, Timestamp: Stamp(e.Time), Type: e.Type(), Phase: e.Phase, Round: e.Round, Turn: e.Turn,
		Actor: e.Actor, Digest: e.Digest}}
	if e.Seq == 1 {
		l.Format = Format
	}
	return l
}

// Line returns the entry as a line of events.json, without the comma before it.
func (e Entry) Line() ([]byte, error) {
	payload, err := JSON(e.Payload)
	if err != nil {
		return nil, err
	}
	text, _, err := lineOf(e, payload).bytes()
	return text, err
}

// bytes returns the line in its written form, and how many bytes of it the sum covers.
func (l *line) bytes() ([]byte, int, error) {
	front, err := JSON(l.head)
	if err != nil {
		return nil, 0, err
	}
	front[len(front)-1] = ',' // the object goes on
	end := `"forgotten":true}`
	if !l.Forgotten {
		end = `"salt":"` + l.Salt + `"}`
	}
	return fmt.Appendf(front, `"sum":"%s","payload":%s,%s`, l.Sum, l.Payload, end), len(front), nil
}

// parse reads a line without checking its place in the chain. A line in any other form than [line.bytes] writes is an
// error: [chain.ErrNewer] where fields follow after the known ones.
func parse(text []byte) (*line, int, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, 0, errors.New("it is not a line of JSON")
	}
	if !isHexadecimal(l.Sum) || !isHexadecimal(l.Salt) {
		return nil, 0, errors.New("its sum or its salt is not hexadecimal")
	}
	again, covered, err := l.bytes()
	if err == nil && bytes.Equal(again, text) {
		return &l, covered, nil
	}
	if more, ok := bytes.CutPrefix(text, again[:max(0, len(again)-1)]); err == nil && ok && more[0] == ',' {
		return nil, 0, fmt.Errorf("%w: an event of it has a field that this version does not know", chain.ErrNewer)
	}
	return nil, 0, errors.New("it is not in the form in which events are written")
}

func isHexadecimal(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// Forget returns the log with the payloads of some events replaced by their reduced forms. The chain holds, because it
// does not cover payloads; the salt goes, so that the erased words cannot be guessed by their digest. [ErrUnwritable]:
// a payload is of another type than its event, or holds no [council.ForgottenMark].
func (l *Log) Forget(left map[council.Seq]council.Payload) ([]byte, error) {
	out := []byte(Empty[:1])
	for _, e := range l.Entries {
		if p, ok := left[e.Seq]; ok {
			payload, err := JSON(p)
			if err == nil && (p == nil || p.Row().Type != e.Type() || !isReduced(payload)) {
				err = fmt.Errorf("%w: that is not what is left of a %s", ErrUnwritable, e.Type())
			}
			if err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
			e.Payload, e.Salt, e.Forgotten = p, "", true
		}
		line, err := e.Line()
		if err != nil {
			return nil, err
		}
		if out = append(out, '\n'); e.Seq > 1 {
			out = append(out, ',')
		}
		out = append(out, line...)
	}
	return append(out, "\n]"...), nil
}

// isReduced reports whether a payload is in the written form and holds a [council.ForgottenMark].
func isReduced(payload []byte) bool {
	var compact bytes.Buffer
	return bytes.Contains(payload, []byte(council.ForgottenMark)) && json.Compact(&compact, payload) == nil &&
		bytes.Equal(compact.Bytes(), payload) && bytes.Equal(hostile.JSON(payload), payload)
}

// Log is a log of events, as it was scanned or as it is written. One that holds only the id of its session has none.
type Log struct {
	Session council.SessionID
	Entries []Entry
	chain.End
}

// sum returns the sum that the next event follows.
func (l *Log) sum() string {
	if n := len(l.Entries); n > 0 {
		return l.Entries[n-1].Sum
	}
	return chain.Seed("events", string(l.Session))
}

// Text returns the log as a file.
func (l *Log) Text() ([]byte, error) { return l.Forget(nil) }

// Scan reads a whole events.json of the given session and checks its form, its chain and its digests. Errors, with the
// name of the file, and torn ends are those of [chain.Form.Scan]; with an error the log holds the events before the
// place.
func Scan(session council.SessionID, data []byte) (*Log, error) {
	log := &Log{Session: session}
	_, err := log.Extend(data)
	return log, chain.InFile(File, err)
}

// Extend adds the events that were appended since the first l.Good bytes, which rest follows, and returns them. Errors
// are those of [Scan], with offsets in rest; with one, or a torn end, the events before it are added.
func (l *Log) Extend(rest []byte) ([]Entry, error) {
	known := len(l.Entries)
	if known > 0 {
		if !bytes.HasPrefix(rest, []byte("\n,")) {
			return nil, nil
		}
		rest = append([]byte("[\n"), rest[2:]...) // as long, and a file of its own
	}
	end, err := chain.Array.Scan(rest, func(line []byte) error {
		entry, err := check(l.Session, council.Seq(len(l.Entries)+1), line, l.sum())
		if err == nil {
			l.Entries = append(l.Entries, entry)
		}
		return err
	})
	if end.Good += l.Good; known == 0 || len(l.Entries) > known {
		l.End = end
	}
	return l.Entries[known:], err
}

// check reads one line and verifies its place in the chain of a session.
func check(session council.SessionID, seq council.Seq, text []byte, previous string) (Entry, error) {
	var first struct{ Format int }
	if seq == 1 && json.Unmarshal(text, &first) == nil && first.Format > Format {
		return Entry{}, fmt.Errorf("%w: its format is %d, and this version reads formats up to %d", chain.ErrNewer,
			first.Format, Format)
	}
	parsed, covered, err := parse(text)
	if err != nil {
		return Entry{}, err
	}
	switch {
	case parsed.Session != session:
		return Entry{}, fmt.Errorf("it belongs to session %q", parsed.Session)
	case parsed.Seq != seq || parsed.ID != seq.ID():
		return Entry{}, fmt.Errorf("it is event %d (%q) in the place of event %d", parsed.Seq, parsed.ID, seq)
	case chain.Sum(previous, text[:covered]) != parsed.Sum:
		return Entry{}, errors.New("its sum does not follow from the events before it")
	case !parsed.Forgotten && chain.Sum(parsed.Salt, parsed.Payload) != parsed.Digest:
		return Entry{}, errors.New("its payload is not what its digest says")
	case parsed.Forgotten && !isReduced(parsed.Payload):
		return Entry{}, errors.New("it is marked as forgotten, but nothing of its payload is")
	case parsed.Format != 0 && seq > 1 || parsed.Format != Format && seq == 1:
		return Entry{}, errors.New("the format stands in the first line only")
	}
	payload, err := decode(parsed.Type, parsed.Payload)
	if err != nil {
		return Entry{}, err
	}
	at, err := time.Parse(timeLayout, parsed.Timestamp)
	if err != nil || Stamp(at) != parsed.Timestamp {
		return Entry{}, errors.New("its timestamp is not a time")
	}
	return Entry{ID: parsed.ID, Session: session, Time: at, Salt: parsed.Salt, Digest: parsed.Digest, Sum: parsed.Sum,
		Forgotten: parsed.Forgotten, Event: council.Event{Seq: seq, Phase: parsed.Phase, Round: parsed.Round,
			Turn: parsed.Turn, Actor: parsed.Actor, Payload: payload}}, nil
}
