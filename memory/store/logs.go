package store

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// errLacking: the log of a session could not be read, or not as far as memory holds it.
var errLacking = errors.New("the log of its session could not be read")

// Load reads the log of a session. What it cannot read stays to be folded in when it can.
type Load func(council.SessionID) ([]wire.Entry, error)

// logs reads the logs of sessions, the last one once.
type logs struct {
	load    Load
	id      council.SessionID
	entries []wire.Entry
	err     error
}

// upTo returns the session as a step folds it in. Its error is errLacking.
func (l *logs) upTo(f memory.Fold) (memory.Session, error) {
	if l.id != f.ID {
		l.id = f.ID
		l.entries, l.err = l.load(f.ID)
	}
	if l.err != nil {
		return memory.Session{}, fmt.Errorf("%w: %s: %w", errLacking, f.ID, l.err)
	}
	if len(l.entries) < int(f.To) {
		return memory.Session{}, fmt.Errorf("%w: %s: it ends at event %d, and memory holds it up to event %d",
			errLacking, f.ID, len(l.entries), f.To)
	}
	return memory.Session{ID: f.ID, Entries: l.entries[:f.To], From: f.From}, nil
}

// readAhead makes load read the sessions of several steps at once, which are then wanted in this order; what is wanted
// out of order is read when it is. The caller calls stop.
func readAhead(steps []memory.Step, load Load) (loaded Load, stop func()) {
	var sessions []council.SessionID
	for _, s := range steps {
		if s.Session != nil {
			sessions = append(sessions, s.Session.ID)
		}
	}
	type log struct {
		entries []wire.Entry
		err     error
	}
	next, stop := iter.Pull2(ahead.Each(slices.Compact(sessions), func(id council.SessionID) (l log) {
		l.entries, l.err = load(id)
		return l
	}))
	return func(id council.SessionID) ([]wire.Entry, error) {
		for {
			at, l, ok := next()
			if !ok {
				return load(id)
			}
			if at == id {
				return l.entries, l.err
			}
		}
	}, stop
}

// atHand makes load answer for one session with what is at hand.
func atHand(s memory.Session, load Load) Load {
	return func(id council.SessionID) ([]wire.Entry, error) {
		if id == s.ID {
			return s.Entries, nil
		}
		return load(id)
	}
}

// closedAt returns when a session closed, and when the last of its events was recorded. ok is false when it has not
// closed.
func closedAt(entries []wire.Entry) (closed, last time.Time, ok bool) {
	if at := wire.Closing(entries); at >= 0 {
		return entries[at].Time.UTC(), entries[len(entries)-1].Time.UTC(), true
	}
	return closed, last, false
}
