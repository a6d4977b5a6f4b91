package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/ahead"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/verify"
	"github.com/council-engine/council/recorder/wire"
)

// Status is how a session stands on disk.
type Status string

// The statuses of a session. Running: a process holds it. Interrupted: none does, and it can be resumed.
const (
	StatusRunning     Status = "running"
	StatusInterrupted Status = "interrupted"
	StatusSuspended   Status = "suspended"
	StatusClosed      Status = "closed"
	StatusEmpty       Status = "empty" // interrupted before its first event
	StatusUnreadable  Status = "unreadable"
)

// Summary is a session in a list. Of one that cannot be read it holds what comes before the damage.
type Summary struct {
	ID        council.SessionID
	Started   time.Time // UTC; zero when nothing is recorded
	Topic     string    // as it was given; empty when nothing is recorded
	Council   string    // the council's name
	Status    Status
	Suspended *council.Fault   // why, with StatusSuspended
	Outcome   *council.Outcome // with StatusClosed
	Holder    Holder           // with StatusRunning
	Events    int
	Torn      bool  // the last append was interrupted; resuming repairs it
	Err       error // why it cannot be read, with StatusUnreadable: [ErrDamaged], [ErrNewer] or the disk's
}

// List returns the sessions of the workspace, newest first. A session that cannot be read is in the list and says why;
// it hides no other.
func (r *Root) List() ([]Summary, error) {
	ids, err := r.IDs()
	if err != nil {
		return nil, err
	}
	list := make([]Summary, 0, len(ids))
	for _, s := range ahead.Each(ids, r.Summary) {
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Summary) int { return newest(a.ID, b.ID, a.Started, b.Started) })
	return list, nil
}

// Read returns the events of a session and changes nothing. An unfinished end is left out: it may be an append under
// way. With [ErrDamaged] and [ErrNewer] it returns the events before the place. [ErrUnknownSession], [ErrNotBegun].
func (r *Root) Read(id council.SessionID) ([]wire.Entry, error) {
	log, err := r.look(id)
	if log == nil {
		return nil, err
	}
	if err == nil && len(log.Entries) == 0 {
		err = fmt.Errorf("%w: %s", ErrNotBegun, id)
	}
	return log.Entries, err
}

// look scans the log of a session without locking it.
func (r *Root) look(id council.SessionID) (*wire.Log, error) {
	files, err := r.folder(id)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	log, _, err := scan(files, id)
	if errors.Is(err, fs.ErrNotExist) {
		log, err = &wire.Log{Session: id}, nil
	}
	if err == nil && len(log.Entries) == 0 {
		if err = verify.Begun(files); err != nil {
			// It may have begun between the two looks.
			if again, _, failed := scan(files, id); failed == nil && len(again.Entries) > 0 {
				return again, nil
			}
		}
	}
	return log, plain(files.Path(), err)
}

// Summary reads one session as [Root.List] does.
func (r *Root) Summary(id council.SessionID) Summary {
	s := Summary{ID: id, Status: StatusUnreadable}
	log, err := r.look(id)
	s.Err = err
	if log == nil {
		return s
	}
	s.Events, s.Torn = len(log.Entries), log.Torn
	if len(log.Entries) > 0 {
		s.Started = log.Entries[0].Time
		if p, ok := log.Entries[0].Payload.(council.SessionStarted); ok {
			s.Topic, s.Council = p.Topic.Text, p.Charter.CouncilName
		}
	}
	if err == nil {
		r.judge(&s, log.Entries)
	}
	return s
}

// judge says how a session that can be read stands.
func (r *Root) judge(s *Summary, entries []wire.Entry) {
	s.Suspended, s.Outcome = render.Standing(entries)
	switch {
	case s.Outcome != nil:
		s.Status = StatusClosed
		return
	case s.Suspended != nil:
		s.Status = StatusSuspended
	case len(entries) == 0:
		s.Status = StatusEmpty
	default:
		s.Status = StatusInterrupted
	}
	if h, running := r.Holder(s.ID); running {
		s.Status, s.Holder, s.Suspended = StatusRunning, h, nil
	}
}
