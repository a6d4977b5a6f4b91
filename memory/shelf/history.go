package shelf

import (
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/shelf/internal/journal"
	"github.com/council-engine/council/recorder/wire"
)

// whenClosed is the time at which a session closed, and the time of the last of its events.
func whenClosed(s memory.Session) (closed, last time.Time, err error) {
	for _, e := range s.Entries {
		if _, ok := e.Payload.(council.SessionClosed); ok {
			return e.Time.UTC(), s.Entries[len(s.Entries)-1].Time.UTC(), nil
		}
	}
	return closed, last, fmt.Errorf("%w: %s", ErrNotClosed, s.ID)
}

// Folded is the last event of a session that memory holds; 0 when it holds none. closed is when the session closed.
// [ErrDamaged], [ErrNewer] and [ErrUnreadable] are the journal's.
func (s *Shelf) Folded(id council.SessionID, closed time.Time) (upTo council.Seq, err error) {
	err = s.look(func(files atomicfile.Files) error {
		e, err := journal.ReadEnd(files)
		if err != nil {
			return err
		}
		upTo, err = e.Folded(files, id, closed)
		return err
	})
	return upTo, err
}

// logs reads the logs of sessions, the last one once.
type logs struct {
	load    Load
	id      council.SessionID
	entries []wire.Entry
	err     error
}

// upTo is the session as a step folds it in.
func (l *logs) upTo(f memory.Fold) (memory.Session, error) {
	if l.id != f.ID {
		l.id = f.ID
		l.entries, l.err = l.load(f.ID)
	}
	if l.err == nil && len(l.entries) < int(f.To) {
		return memory.Session{}, fmt.Errorf("its log ends at event %d, and memory holds it up to event %d", len(l.entries), f.To)
	}
	if l.err != nil {
		return memory.Session{}, l.err
	}
	return memory.Session{ID: f.ID, Entries: l.entries[:f.To], From: f.From}, nil
}

// first makes load answer for one session with what is at hand.
func first(s memory.Session, load Load) Load {
	return func(id council.SessionID) ([]wire.Entry, error) {
		if id == s.ID {
			return s.Entries, nil
		}
		return load(id)
	}
}

// seat is a member as the session's charter has it, or nil.
func seat(s memory.Session, o owner) *council.Member {
	if len(s.Entries) == 0 || o == "" {
		return nil
	}
	started, ok := s.Entries[0].Payload.(council.SessionStarted)
	if !ok {
		return nil
	}
	return started.Charter.Member(council.MemberID(o))
}

// errLacking: the step needs a log that could not be read.
var errLacking = errors.New("the log of its session could not be read")
