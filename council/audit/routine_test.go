package audit

import (
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

func TestRoutines_FoldEntries(t *testing.T) {
	r, now := Routines{}, time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	note := func(e Entry) {
		e.Type, e.What, e.At = TypeRoutine, "weekly", now
		r.Apply(e)
	}
	note(Entry{Action: RoutineRemoved}) // of an unknown one
	note(Entry{Action: RoutineAdded, Digest: "f1"})
	s := r["weekly"]
	check.That(t, s.File == "f1" && s.Since.Equal(now), "%+v", s)
	now = now.Add(time.Hour)
	due := now.Add(time.Second) // the clock was set back between the look at it and the ledger's
	note(Entry{Action: RoutineFired, Session: "s", Due: due, Digest: "c1"})
	check.That(t, s.Since.Equal(due) && s.Commit == "c1" && len(s.Past) == 1, "%+v", s)
	for _, e := range []Entry{{Session: "t"}, {Session: "s", Events: 3}} {
		e.Type, e.Action = TypeRetry, RetryGone
		if r.Apply(e); !s.Since.Equal(due) {
			t.Errorf("another session, or one that had begun, gives it its turn again: %+v", s)
		}
	}
	if r.Apply(Entry{Type: TypeRetry, Action: RetryGone, Session: "s"}); !s.Since.Before(due) {
		t.Errorf("its turn is lost: %+v", s)
	}
	now = now.Add(time.Hour)
	note(Entry{Action: RoutineSkipped, Due: now, Why: "no new commits since"})
	check.That(t, s.Commit == "c1" && s.Since.Equal(now) && len(s.Past) == 2, "%+v", s)
	now = now.AddDate(-1, 0, 0)
	check.That(t, s.ClockWentBack(now), "a clock that was set back by a year stalls it")
	note(Entry{Action: RoutineChanged, Digest: "f1"})
	check.That(t, !s.ClockWentBack(now) && s.Since.Equal(now), "%+v", s)
	note(Entry{Action: RoutinePaused})
	now = now.AddDate(0, 1, 0)
	note(Entry{Action: RoutineResumed})
	check.That(t, !s.Paused && s.Since.Equal(now), "what was missed during the pause would be made up for: %+v", s)
	note(Entry{Action: RoutineRemoved})
	check.Is(t, "runs", 0, len(r))
}
