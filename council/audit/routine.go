package audit

import (
	"time"

	"github.com/council-engine/council/council"
)

// The actions of entries on routines. What names the routine in each.
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

// farAhead is how far in the future a firing may lie before the clock must have been set back since.
const farAhead = 24 * time.Hour

// pastKept bounds how many entries a routine's state holds.
const pastKept = 20

// RoutineState is what the ledger knows of a routine.
type RoutineState struct {
	Name   string
	File   string    // digest of its file, as it was noted last
	Commit string    // digest of the commit that it looked at when it fired last
	Since  time.Time // the next time after this one is its turn: what was missed before is made up for once
	Paused bool
	Past   []Entry // the latest firings, skips and failures, oldest first
}

// Routines holds the routines of a ledger by name. It is a fold of the ledger's entries.
type Routines map[string]*RoutineState

// Apply takes in the next entry of the ledger. Entries about anything else change nothing.
func (r Routines) Apply(e Entry) {
	if e.Type == TypeRetry && e.Action == RetryGone && e.Events == 0 {
		r.missed(e.Session)
	}
	if e.Type != TypeRoutine {
		return
	}
	s := r[e.What]
	if s == nil {
		if e.Action == RoutineRemoved {
			return
		}
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

// missed gives a routine its turn again that fired for a session last, and whose process ended before that began.
func (r Routines) missed(id council.SessionID) {
	for _, s := range r {
		if n := len(s.Past); n > 0 && s.Past[n-1].Session == id {
			s.Since = s.Past[n-1].Due.Add(-1)
		}
	}
}

// Ahead reports whether the clock was set back so far since the routine fired that it would stand still.
func (s *RoutineState) Ahead(now time.Time) bool { return s.Since.After(now.Add(farAhead)) }
