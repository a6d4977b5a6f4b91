package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/chain"
)

// Log is the result of a scan.
type Log struct {
	Session council.SessionID
	Entries []Entry
	chain.End
}

// Writer returns a writer that continues the log.
func (l *Log) Writer() *Writer {
	w := NewWriter(l.Session)
	if n := len(l.Entries); n > 0 {
		w.seq, w.sum = l.Entries[n-1].Seq, l.Entries[n-1].Sum
	}
	return w
}

// Scan reads a whole events.json of the given session and checks its form, its chain and its digests. What is torn,
// what damaged, and the errors are those of [chain.Form.Scan]; with one the log holds what comes before.
func Scan(session council.SessionID, data []byte) (*Log, error) {
	log := &Log{Session: session}
	_, err := log.More(data)
	return log, err
}

// More takes in, and returns, what was appended to a file since its first l.Good bytes: rest is what follows them.
// Errors are those of [Scan], with offsets in rest. With one, and where the end is torn, it takes in what comes before.
func (l *Log) More(rest []byte) ([]Entry, error) {
	known, previous := len(l.Entries), l.Writer().sum
	if known > 0 {
		if !bytes.HasPrefix(rest, []byte("\n,")) {
			return nil, nil
		}
		rest = append([]byte("[\n"), rest[2:]...) // as long, and a file of its own
	}
	end, err := chain.Array.Scan(rest, func(line []byte) error {
		entry, err := check(l.Session, council.Seq(len(l.Entries)+1), line, previous)
		if err == nil {
			l.Entries, previous = append(l.Entries, entry), entry.Sum
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
