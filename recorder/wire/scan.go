package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
)

// Log is what a scan found.
type Log struct {
	Session council.SessionID
	Entries []Entry
	Good    int64 // the length of what is good: up to the end of the last whole line
	Torn    bool  // the end of the file is missing or unfinished; see [Log.Mended]
}

// Writer returns a writer that continues the log.
func (l *Log) Writer() *Writer {
	w := NewWriter(l.Session)
	if n := len(l.Entries); n > 0 {
		w.seq, w.sum = l.Entries[n-1].Seq, l.Entries[n-1].Sum
	}
	return w
}

// Mended is what a torn log must have after its first Good bytes, and nothing else, to be whole again.
func (l *Log) Mended() string { return Empty[min(l.Good, 1):] }

// Scan reads a whole events.json of the given session and checks its form, its chain and its digests.
//
// A file is torn, not damaged, when everything before its end is good and its end is what an interrupted append can
// leave: a line that was not finished, a missing bracket, or zeros in the place of either. A line that was finished
// and is not good is damage even when it is the last one. The error is a [*DamageError] without a file name, or wraps
// [ErrNewer]; the log then holds what comes before.
func Scan(session council.SessionID, data []byte) (*Log, error) {
	log := &Log{Session: session}
	// A sector that was allocated and never written reads as zeros.
	text := bytes.TrimRight(data, "\x00")
	zeros := len(data) > len(text)
	if len(text) == 0 {
		log.Torn = true
		return log, nil
	}
	if text[0] != '[' {
		return log, damage(1, 0, "the file does not begin as a list of events")
	}
	log.Good = 1
	previous := log.Writer().sum
	for {
		rest := text[log.Good:]
		lead := log.lead()
		if !bytes.HasPrefix(rest, []byte(lead+"{")) {
			return log.close(string(rest), zeros)
		}
		candidate, finished := rest[len(lead):], false
		if end := bytes.IndexByte(candidate, '\n'); end >= 0 {
			candidate, finished = candidate[:end], true
		} else {
			candidate = firstValue(candidate)
		}
		entry, err := log.check(candidate, previous)
		if err != nil && !finished && !errors.Is(err, ErrNewer) {
			log.Torn = true
			return log, nil
		}
		if err != nil {
			return log, log.problem(err)
		}
		log.Entries = append(log.Entries, entry)
		log.Good += int64(len(lead) + len(candidate))
		previous = entry.Sum
	}
}

// lead is what stands before the next line.
func (l *Log) lead() string {
	if len(l.Entries) == 0 {
		return "\n"
	}
	return "\n,"
}

// close judges what follows the last whole line.
func (l *Log) close(rest string, zeros bool) (*Log, error) {
	const end = "\n]"
	switch {
	case rest == end:
		l.Torn = zeros
	case strings.HasPrefix(end, rest), strings.HasPrefix(l.lead(), rest):
		l.Torn = true
	default:
		return l, damage(len(l.Entries)+1, l.Good, "what follows is neither an event nor the end of the list")
	}
	return l, nil
}

// check verifies one line and its place in the chain.
func (l *Log) check(text []byte, previous string) (Entry, error) {
	seq := council.Seq(len(l.Entries) + 1)
	var first struct{ Format int }
	if seq == 1 && json.Unmarshal(text, &first) == nil && first.Format > Format {
		return Entry{}, fmt.Errorf("%w: its format is %d, and this version reads formats up to %d", ErrNewer, first.Format, Format)
	}
	parsed, covered, err := parse(text)
	if err != nil {
		return Entry{}, err
	}
	switch {
	case parsed.Session != l.Session:
		return Entry{}, fmt.Errorf("it belongs to session %q", parsed.Session)
	case parsed.Seq != seq || parsed.ID != seq.ID():
		return Entry{}, fmt.Errorf("it is event %d (%q) in the place of event %d", parsed.Seq, parsed.ID, seq)
	case Link(previous, text[:covered]) != parsed.Sum:
		return Entry{}, errors.New("its sum does not follow from the events before it")
	case !parsed.Forgotten && digest(parsed.Salt, parsed.Payload) != parsed.Digest:
		return Entry{}, errors.New("its payload is not what its digest says")
	case parsed.Forgotten && !reduced(parsed.Payload):
		return Entry{}, errors.New("it is marked as forgotten, but nothing of its payload is")
	case parsed.Format != 0 && seq > 1 || parsed.Format != Format && seq == 1:
		return Entry{}, errors.New("the format stands in the first line only")
	}
	payload, err := decode(parsed.Type, parsed.Payload)
	if err != nil {
		return Entry{}, err
	}
	return parsed.entry(payload)
}

// firstValue is the JSON value that text begins with, or nothing if that is unfinished.
func firstValue(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		return nil
	}
	return text[:d.InputOffset()]
}

// problem places an error at the next event.
func (l *Log) problem(err error) error {
	if errors.Is(err, ErrNewer) {
		return err
	}
	return damage(len(l.Entries)+1, l.Good+int64(len(l.lead())), err.Error())
}

func damage(event int, offset int64, problem string) error {
	return &DamageError{Event: event, Offset: offset, Problem: problem}
}
