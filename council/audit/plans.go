package audit

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
)

// The actions of entries on retries.
const (
	RetryQueued   = "queued"   // a session was suspended by a fault that may pass; Due, Why: the fault, Events: of its log
	RetryFired    = "fired"    // the session is about to be resumed; Due: the next try, unless more is heard of this one
	RetryReleased = "released" // a person lets it be tried again from Due on, as often as at first
	RetryDropped  = "dropped"  // it leaves the queue: a person wants it, or no later try can help
	RetryGone     = "gone"     // likewise, because there is no such session; Events: of its log when it was suspended
)

// The bounds of the queue.
const (
	RetryTries   = 8
	firstWait    = 10 * time.Second
	longestWait  = 300 * time.Second
	clockSlack   = time.Minute        // how far a clock may be set back before due times mean nothing
	ownEvents    = 2                  // a try that got nowhere records that the session was resumed and suspended
	longestAsked = 366 * 24 * 60 * 60 // seconds
)

// QueuedSession is a suspended session in the queue.
type QueuedSession struct {
	Session council.SessionID `json:"session"`
	// Causes are those of its present suspension, in the order of their entries; at least one.
	Causes []Cause `json:"causes"`
	// Due is the latest of the causes, and for a try that is under way the time of the next one if its process dies.
	Due    time.Time `json:"due"`
	Noted  time.Time `json:"-"`                // when Due was settled
	Tries  int       `json:"tries"`            // fired so far without getting the session any further
	Parked bool      `json:"parked,omitempty"` // all tries are spent: it waits for a person to release it
	Events int       `json:"-"`                // of the session's log when it was suspended

	fired bool
}

// Cause is one reason why a session cannot go on at present.
type Cause struct {
	Why string    `json:"why"` // a fault's kind, as a rule
	Due time.Time `json:"due"`
}

// Queue, a fold of the ledger, holds the suspended sessions that are to be resumed once their faults may have passed.
type Queue map[council.SessionID]*QueuedSession

// Apply adds the next entry of the ledger. Other entries change nothing.
func (q Queue) Apply(e Entry) {
	if e.Type == TypeRun && e.Action == RunClosed { // not TypeSession, which is written before the close
		delete(q, e.Session)
	}
	if e.Type != TypeRetry {
		return
	}
	w := q[e.Session]
	if e.Action == RetryQueued && (w == nil || w.hasProgressed(e.Events)) {
		w = &QueuedSession{Session: e.Session}
		q[e.Session] = w
	}
	if w == nil {
		return
	}
	w.Noted = e.At
	switch e.Action {
	case RetryQueued:
		if w.fired { // the causes of an earlier suspension are over
			w.Causes, w.Due, w.fired = nil, time.Time{}, false
		}
		w.Events = max(w.Events, e.Events)
		if e.Due.After(w.Due) {
			w.Due = e.Due
		}
		w.Causes = slices.DeleteFunc(w.Causes, func(c Cause) bool { return c.Why == e.Why })
		w.Causes = append(w.Causes, Cause{e.Why, e.Due})
	case RetryFired:
		w.Tries++
		w.fired, w.Due = true, e.Due
	case RetryReleased:
		w.Tries, w.Due = 0, e.Due
	case RetryDropped, RetryGone:
		delete(q, e.Session)
	}
	w.Parked = w.Tries >= RetryTries
}

// hasProgressed reports whether the session has progressed since it was suspended last.
func (w *QueuedSession) hasProgressed(events int) bool { return events > w.Events+ownEvents }

// RetryEntry returns the entry that queues a session whose log has so many events: due when the provider asked for, or
// else after 10, 20, 40 s and so on up to five minutes.
func (q Queue) RetryEntry(id council.SessionID, f council.Fault, events int, now time.Time) Entry {
	tries := 0
	if w := q[id]; w != nil && !w.hasProgressed(events) {
		tries = w.Tries
	}
	asked := time.Duration(min(f.RetryAfterSeconds, longestAsked)) * time.Second
	return Entry{Type: TypeRetry, Action: RetryQueued, Session: id, Why: string(f.Kind), Events: events,
		Due: now.Add(max(asked, backoff(tries)))}
}

func backoff(tries int) time.Duration {
	wait := firstWait
	for range tries {
		wait = min(2*wait, longestWait)
	}
	return wait
}

// List returns the sessions in the order in which they are due.
func (q Queue) List() []*QueuedSession {
	return slices.SortedFunc(maps.Values(q), func(a, b *QueuedSession) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Session, b.Session))
	})
}

// DueAt reports whether a session is to be tried again at a time. One before Due was set counts too: the clock was set
// back, and Due means nothing any more.
func (w *QueuedSession) DueAt(now time.Time) bool {
	return !w.Parked && (!now.Before(w.Due) || now.Before(w.Noted.Add(-clockSlack)))
}

// Next returns the entry to record before the next due session is resumed; ok is false when none is due. Sessions that
// busy reports are passed over: a process has them.
func (q Queue) Next(now time.Time, busy func(council.SessionID) bool) (e Entry, ok bool) {
	for _, w := range q.List() {
		if w.DueAt(now) && !busy(w.Session) {
			return Entry{Type: TypeRetry, Action: RetryFired, Session: w.Session, Events: w.Events,
				Due: now.Add(backoff(w.Tries + 1))}, true
		}
	}
	return Entry{}, false
}

// Soonest returns when the next session is due; the zero time where none is.
func (q Queue) Soonest() time.Time {
	for _, w := range q.List() {
		if !w.Parked {
			return w.Due
		}
	}
	return time.Time{}
}

// The actions of entries of [TypeRoutine], which name the routine in What.
const (
	RoutineAdded   = "added"   // Digest: of its file
	RoutineChanged = "changed" // likewise: its file was edited, or the clock set back; turns are counted from now on
	RoutineFired   = "fired"   // Session is about to be convened; Due: when it was due; Digest: of the commit it looks at
	RoutineSkipped = "skipped" // it was due, and its condition held; Why: which
	RoutineFailed  = "failed"  // it was due, and no session could be convened; Why: the error
	RoutinePaused  = "paused"
	RoutineResumed = "resumed"
	RoutineRemoved = "removed"
)

// maxClockLead is how far in the future a firing may lie before the clock must have been set back since.
const maxClockLead = 24 * time.Hour
const pastKept = 20 // how many entries a routine's state holds

// RoutineState is the state of a routine in the ledger.
type RoutineState struct {
	Name   string
	File   string    // digest of its file, as it was noted last
	Commit string    // digest of the commit that it looked at when it fired last
	Since  time.Time // the next time after this one is its turn: all turns missed before are made up for by one
	Paused bool
	Past   []Entry // the latest firings, skips and failures, oldest first
}

// Routines holds the routines of a ledger by name. It is a fold of the ledger's entries.
type Routines map[string]*RoutineState

// Apply adds the next entry of the ledger. Other entries change nothing.
func (r Routines) Apply(e Entry) {
	if e.Type == TypeRetry && e.Action == RetryGone && e.Events == 0 { // its process ended before the session began
		for _, s := range r {
			if n := len(s.Past); n > 0 && s.Past[n-1].Session == e.Session {
				s.Since = s.Past[n-1].Due.Add(-1) // the turn comes again
			}
		}
	}
	if e.Type != TypeRoutine {
		return
	}
	s := r[e.What]
	if s == nil {
		s = &RoutineState{Name: e.What}
		r[e.What] = s
	}
	switch e.Action {
	case RoutineAdded, RoutineChanged:
		s.File, s.Since = e.Digest, e.At
	case RoutineFired, RoutineSkipped, RoutineFailed:
		if e.Action == RoutineFired {
			s.Commit = e.Digest
		}
		s.Since = e.At
		if e.Due.After(s.Since) { // the clock was set back a little, and the same turn must not come again
			s.Since = e.Due
		}
		s.Past = append(s.Past, e)
		s.Past = s.Past[max(0, len(s.Past)-pastKept):]
	case RoutinePaused:
		s.Paused = true
	case RoutineResumed:
		s.Paused, s.Since = false, e.At
	case RoutineRemoved:
		delete(r, e.What)
	}
}

// ClockWentBack reports whether the clock was set back so far since the last turn that the routine would halt.
func (s *RoutineState) ClockWentBack(now time.Time) bool { return s.Since.After(now.Add(maxClockLead)) }
