package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestInterrupt_AnInterruptWaitsForWhatIsInFlightAndSuspends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := tb.interruptible()
		tb.members["b"].pause = think(2 * time.Second)
		tb.members["c"].pause = think(time.Second)
		time.AfterFunc(500*time.Millisecond, func() { close(interrupt) }) // closing counts, once
		check.Is(t, "the suspension", "interrupted", tb.suspended(council.FaultCancelled).Message)
		// All three votes were in flight; what follows from them is recorded, and no turn is asked for.
		tb.wantTail("SESSION_STARTED", "LEADER_BALLOT_CAST a", "LEADER_BALLOT_CAST b", "LEADER_BALLOT_CAST c",
			"LEADER_ELECTED", "PHASE_STARTED", "ROUND_STARTED", "SESSION_SUSPENDED")
		check.Is(t, "questions to a, after the interrupt", 1, len(tb.members["a"].asked))

		tb.options.Interrupt = nil
		tb.closed()
		for id, m := range tb.members {
			if m.asked[0] == m.asked[1] {
				t.Errorf("%s was asked %s again after the resume", id, m.asked[0])
			}
		}
	})
}

func TestInterrupt_AnInterruptCancelsWhatTurnsOutMoot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := tb.interruptible()
		tb.members["b"].pause = think(time.Second)
		tb.members["b"].say = on(council.AskSecond, func(v council.View) council.Reply {
			interrupt <- struct{}{}
			return agree(v)
		})
		tb.members["c"].pause = thinkOn(council.AskSecond, time.Hour)
		began := time.Now()
		tb.suspended(council.FaultCancelled)
		tb.wantTail("MOTION_MADE a", "SECOND_ANSWERED b", "MOTION_SECONDED", "SESSION_SUSPENDED")
		if took := time.Since(began); took != 2*time.Second { // b's vote for a leader and its second
			t.Errorf("the interrupt waited %v for a moot ask", took)
		}
	})
}

func TestInterrupt_AnInterruptBeforeAnythingWasAsked(t *testing.T) {
	tb := sit(t, 3, nil)
	close(tb.interruptible())
	tb.suspended(council.FaultCancelled)
	tb.wantTail("SESSION_STARTED", "SESSION_SUSPENDED")
	check.Is(t, "a was asked after the interrupt", 0, len(tb.members["a"].asked))
}

func TestInterrupt_AnInterruptDoesNotUndoAnEnd(t *testing.T) {
	tb := sit(t, 3, nil)
	interrupt := tb.interruptible()
	tb.members["a"].say = on(council.AskSummary, func(v council.View) council.Reply {
		interrupt <- struct{}{}
		return agree(v)
	})
	tb.closed()
}

func TestInterrupt_AFaultDuringAnInterruptIsWhatSuspends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := tb.interruptible()
		time.AfterFunc(500*time.Millisecond, func() { interrupt <- struct{}{} })
		tb.members["a"].pause = think(time.Second)
		tb.members["a"].say = func(v council.View) council.Reply { return faulty(v, council.FaultAuth) }
		tb.members["b"].pause = think(2 * time.Second)
		tb.suspended(council.FaultAuth)
	})
}

func TestInterrupt_ACancelledContextRecordsNothingMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		ctx, cancel := context.WithCancel(t.Context())
		interrupt := tb.interruptible()
		tb.members["b"].pause = think(time.Hour)
		time.AfterFunc(1*time.Second, func() { interrupt <- struct{}{} })
		time.AfterFunc(2*time.Second, cancel)
		began := time.Now()
		result, err := tb.run(ctx)
		if !errors.Is(err, context.Canceled) || result.Outcome != nil || result.Suspended != nil {
			t.Fatalf("Run = %+v, %v", result, err)
		}
		// c's vote was in hand and waits for b's; it is not recorded any more.
		tb.wantTail("SESSION_STARTED", "LEADER_BALLOT_CAST a")
		if took := time.Since(began); took != 2*time.Second || len(tb.members["b"].moot) != 1 {
			t.Errorf("after %v the run ended, with %v cancelled", took, tb.members["b"].moot)
		}
		tb.replay()
		tb.members["b"].pause, tb.options.Interrupt = nil, nil
		tb.closed()
	})
}

func TestInterrupt_AContextThatEndedAlreadyRecordsNothing(t *testing.T) {
	tb := sit(t, 3, func(c *council.Charter) { c.Budget.Tokens = 30 })
	tb.suspended(council.FaultBudget)
	before := len(tb.log.events)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.ErrorIs(t, "Run", context.Canceled, check.Err(tb.run(ctx)))
	check.Is(t, "events", before, len(tb.log.events))
}

func TestInterrupt_ACancelledContextAsksNobodyWhoWasStillBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["c"].deaf = true
		tb.members["c"].pause = thinkOn(council.AskSecond, time.Minute)
		tb.members["b"].pause = think(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		check.ErrorIs(t, "Run", context.DeadlineExceeded, check.Err(tb.run(ctx)))
		if got := tb.members["c"].asked; len(got) != 2 { // its ballot was waiting for its second
			t.Errorf("c was asked %v", got)
		}
	})
}

func TestInterrupt_AHeldRunRecordsWhatIsInFlightAndPutsNothingMore(t *testing.T) {
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
		took := time.Since(began)
		check.That(t, took >= time.Hour && notes == 1, "the session took %s, with %d notes", took, notes)
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

func TestInterrupt_AHeldRunIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		interrupt := tb.interruptible()
		tb.options.Hold = func() <-chan struct{} { return make(chan struct{}) }
		time.AfterFunc(time.Minute, func() { close(interrupt) })
		tb.suspended(council.FaultCancelled)
		tb.wantTail("SESSION_STARTED", "SESSION_SUSPENDED")
	})
}

func TestInterrupt_ANoteThatIsGivenAfterAQuestionWasPutIsNotShownWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		close(tb.interruptible())
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
