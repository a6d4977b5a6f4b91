package engine_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
)

func TestAHeldRunRecordsWhatIsInFlightAndPutsNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		held := make(chan struct{})
		var holding atomic.Bool
		tb.options.Hold = func() <-chan struct{} {
			if holding.Load() {
				return held
			}
			return nil
		}
		tb.members["c"].pause = think(time.Second)
		leave := func(a council.Ask) time.Duration {
			if a.Kind == council.AskNominate {
				holding.Store(true) // while all three votes are in flight
				time.AfterFunc(time.Hour, func() {
					holding.Store(false)
					close(held)
				})
			}
			return 0
		}
		tb.members["a"].pause = leave
		notes := 0
		tb.options.Notes = func() ([]council.NoteGiven, error) {
			if n := (council.NoteGiven{By: "me", Text: "Halved.", ID: "n1"}); holding.Load() && !n.In(tb.log.events) {
				notes++
				return []council.NoteGiven{n}, nil
			}
			return nil, nil
		}
		began := time.Now()
		tb.closed()
		if took := time.Since(began); took < time.Hour || notes != 1 {
			t.Errorf("the session took %s, with %d notes", took, notes)
		}
		told := strings.Join(tb.tail(len(tb.log.events)), "\n") // what was in flight, what follows from it, and the note
		if held := "LEADER_BALLOT_CAST c\nLEADER_ELECTED\nPHASE_STARTED\nROUND_STARTED\nNOTE_GIVEN"; !strings.Contains(told,
			held) {
			t.Errorf("the log has not\n%s\nin\n%s", held, told)
		}
		for _, e := range tb.log.events {
			if a, ok := e.Answered(); ok && a.Ask.Kind() == council.AskTurn && e.Actor == "a" {
				if n, ok := tb.log.events[a.AsOf-1].Payload.(council.NoteGiven); !ok || !n.Ahead {
					t.Errorf("the first turn was taken as of %+v", tb.log.events[a.AsOf-1])
				}
				return
			}
		}
		t.Error("nobody took a turn")
	})
}

func TestAHeldRunIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := make(chan struct{})
		tb.options.Interrupt = interrupt
		tb.options.Hold = func() <-chan struct{} { return make(chan struct{}) }
		time.AfterFunc(time.Minute, func() { close(interrupt) })
		tb.suspended(council.FaultCancelled)
		tb.wantTail("SESSION_STARTED", "SESSION_SUSPENDED")
	})
}

func TestANoteThatIsGivenAfterAQuestionWasPutIsNotShownWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := make(chan struct{})
		close(interrupt)
		tb.options.Interrupt = interrupt
		tb.suspended(council.FaultCancelled) // nobody was asked, but that is not known when it goes on
		tb.options.Interrupt = nil
		tb.options.Notes = func() ([]council.NoteGiven, error) {
			if n := (council.NoteGiven{By: "me", Text: "Halved.", ID: "n1"}); !n.In(tb.log.events) {
				return []council.NoteGiven{n}, nil
			}
			return nil, nil
		}
		tb.closed()
		for _, e := range tb.log.events {
			if n, ok := e.Payload.(council.NoteGiven); ok && n.Ahead {
				t.Error("the open questions were shown the note")
			}
		}
	})
}
