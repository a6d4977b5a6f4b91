package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestOrder_RunsASessionToItsEnd(t *testing.T) {
	tb := sit(t, 3, nil)
	if o := tb.closed(); !o.Decided || o.Leader != "a" {
		t.Fatalf("outcome %+v", o)
	}
	tb.wantTail("MOTION_MADE a", "SECOND_ANSWERED b", "MOTION_SECONDED", "BALLOT_CAST a", "BALLOT_CAST b",
		"BALLOT_CAST c", "MOTION_DECIDED", "DEBATE_CLOSED", "PHASE_ENDED", "SUMMARY_WRITTEN a", "SESSION_CLOSED")
	if o := tb.closed(); !o.Decided {
		t.Fatalf("a closed session ran again and came to %+v", o)
	}
}

func TestOrder_AppendsToTheLogBeforeItAppliesToTheSession(t *testing.T) {
	tb := sit(t, 3, nil)
	tb.log.look = func(e council.Event) {
		check.Is(t, "events of the session as the log gets another", int(e.Seq)-1, len(tb.session.Events()))
	}
	tb.closed()
}

func TestOrder_RecordsWhatIsDueBeforeItAsks(t *testing.T) {
	tb := sit(t, 3, nil)
	asked := 0
	tb.options.Observe = func(p engine.Progress) {
		a, ok := p.(engine.Asked)
		if !ok {
			return
		}
		asked++
		if due := tb.session.Ready().Event; due != nil {
			t.Errorf("%s was asked while %s was due", a.Ask.ID, due.Type())
		}
		check.That(t, int(a.Ask.AsOf) <= len(tb.log.events), "%s was asked as of event %d, and the log ends at %d", a.Ask.ID,
			a.Ask.AsOf, len(tb.log.events))
	}
	tb.closed()
	check.Is(t, "questions", 3+1+2+3+1, asked)
}

func TestOrder_NeverAsksAgainWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 5, nil)
		for id, m := range tb.members {
			m.pause = think(time.Duration(id[0]) * time.Millisecond)
		}
		tb.closed()
		seen := map[council.AskID]int{}
		for _, m := range tb.members {
			for _, id := range m.asked {
				if seen[id]++; seen[id] > 1 {
					t.Errorf("%s was asked twice", id)
				}
			}
		}
		check.Is(t, "asks were put", 5+1+4+5+1, len(seen))
	})
}

func TestOrder_HoldsTheRepliesOfLaterSeatsUntilEarlierOnesAreIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["a"].pause = think(30 * time.Millisecond)
		tb.members["b"].pause = think(20 * time.Millisecond)
		tb.members["c"].pause = think(10 * time.Millisecond)
		tb.closed()
		var steps []string
		for _, p := range tb.steps {
			switch p := p.(type) {
			case engine.Replied:
				if p.Ask.Kind == council.AskNominate {
					steps = append(steps, "in hand "+string(p.Ask.Member))
				}
			case engine.Recorded:
				if p.Event.Type() == council.TypeOf[council.LeaderBallotCast]() {
					steps = append(steps, "recorded "+string(p.Event.Actor))
				}
			}
		}
		got, want := strings.Join(steps, ", "), "in hand c, in hand b, in hand a, recorded a, recorded b, recorded c"
		check.Is(t, "it", want, got)
	})
}

// quarrel returns a session with faults, a motion that dies, a split vote and a rejected draft, in parallel as far as
// it goes.
func quarrel(t *testing.T) *table {
	tb := sit(t, 5, func(c *council.Charter) {
		c.Deliberation.SealedPositions = true
		c.Output.Type = council.OutputDocumentation
		c.DocumentationReview.MaxRevisionRounds = 1
		c.Phases[0].StopConditions = council.StopConditions{MaxRounds: 2}
	})
	tb.members["c"].say = on(council.AskBallot, func(v council.View) council.Reply {
		return body(v, council.Ballot{Rationale: "no", Ballot: council.ChoiceNo})
	})
	tb.members["d"].say = on(council.AskBallot, func(v council.View) council.Reply {
		if v.Draft != nil {
			return body(v, council.Ballot{Rationale: "no", Ballot: council.ChoiceNo})
		}
		return faulty(v, council.FaultUnparsable)
	})
	tb.members["e"].say = func(v council.View) council.Reply {
		switch v.Ask.Kind {
		case council.AskBallot:
			return body(v, council.Ballot{Rationale: "?", Ballot: "MAYBE"})
		case council.AskPosition:
			return faulty(v, council.FaultRefusal)
		}
		return agree(v)
	}
	for _, id := range []council.MemberID{"b", "d"} {
		second := tb.members[id].say
		tb.members[id].say = func(v council.View) council.Reply {
			if v.Ask.Kind == council.AskSecond && v.Round == 1 {
				return body(v, council.Second{Rationale: "not yet", Second: false})
			}
			if second != nil {
				return second(v)
			}
			return agree(v)
		}
	}
	return tb
}

func TestOrder_TheLogDoesNotDependOnWhoWasFaster(t *testing.T) {
	var want []council.Event
	for order := range uint64(counciltest.Often(15, 50)) {
		synctest.Test(t, func(t *testing.T) {
			tb := quarrel(t)
			for id, m := range tb.members {
				random := rand.New(rand.NewPCG(order, uint64(id[0])))
				m.pause = func(council.Ask) time.Duration { return time.Duration(random.IntN(100)) * time.Millisecond }
			}
			tb.closed()
			if want == nil {
				want = tb.log.events
				if len(want) < 80 {
					t.Fatalf("the session had only %d events", len(want))
				}
			}
			check.Equal(t, fmt.Sprintf("order %d wrote another log", order), want, tb.log.events)
		})
	}
}

func TestOrder_CancelsWhatIsMootAndDoesNotWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 5, nil)
		var returned atomic.Int32
		tb.members["b"].pause = think(time.Second)
		for _, id := range []council.MemberID{"c", "d"} {
			tb.members[id].pause = thinkOn(council.AskSecond, time.Hour)
			tb.members[id].leave = func(_ context.Context, v council.View) {
				if v.Ask.Kind == council.AskSecond {
					returned.Add(1)
				}
			}
		}
		began := time.Now()
		tb.closed()
		if took := time.Since(began); took != 3*time.Second { // b's vote for a leader, its second and its ballot
			t.Errorf("a moot ask held the session up for %v", took)
		}
		for _, id := range []council.MemberID{"c", "d"} {
			check.Is(t, id, 1, len(tb.members[id].moot))
		}
		check.Is(t, "Run returned before its members did: of 2", 2, returned.Load())
		withdrawn := 0
		for _, p := range tb.steps {
			if w, ok := p.(engine.Withdrawn); ok && w.Ask.Kind == council.AskSecond {
				withdrawn++
			}
		}
		if withdrawn != 2 { // e had answered
			t.Errorf("%d questions were withdrawn", withdrawn)
		}
	})
}

func TestOrder_DropsTheReplyThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["b"].pause = think(time.Second)
		tb.members["c"].deaf = true
		tb.members["c"].pause = think(time.Minute)
		tb.closed()
		for _, e := range tb.log.events {
			if p, ok := e.Payload.(council.SecondAnswered); ok && e.Actor == "c" {
				t.Errorf("the late reply was recorded: %+v", p)
			}
		}
		for _, p := range tb.steps {
			if r, ok := p.(engine.Replied); ok && r.Ask.Member == "c" && r.Ask.Kind == council.AskSecond {
				t.Errorf("the late reply was shown: %+v", r)
			}
		}
		if got := tb.members["c"].asked; len(got) != 3 { // nominate, second, ballot: one after the other
			t.Errorf("c was asked %v", got)
		}
	})
}

func TestOrder_AsksAMemberOneThingAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		busy := false
		m := tb.members["c"]
		m.deaf = true
		m.pause = func(council.Ask) time.Duration {
			check.Is(t, "asked while it was busy with a question that was withdrawn", false, busy)
			busy = true
			return time.Minute
		}
		m.leave = func(context.Context, council.View) { busy = false }
		tb.closed()
	})
}

func TestOrder_WallTimeIsTheCriticalPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const call = 50 * time.Millisecond
		tb := sit(t, 9, func(c *council.Charter) { c.Deliberation.SealedPositions = true })
		for _, m := range tb.members {
			m.pause = think(call)
		}
		began := time.Now()
		tb.closed()
		// Positions, election, turn, seconds, ballots, summary: whatever is asked together takes one call's time.
		check.Is(t, "6 calls one after the other took", 6*call, time.Since(began))
	})
}

func TestOrder_WhatIsNotAdmittedIsNotPut(t *testing.T) {
	tb := sit(t, 3, nil)
	var admitted [][]council.AskID
	short := council.Fault{Kind: council.FaultBudget, Message: "3 tokens too few"}
	left := 2 // groups of questions that are admitted
	tb.options.Admit = func(views []council.View) *council.Fault {
		var asks []council.AskID
		for _, v := range views {
			asks = append(asks, v.Ask.ID)
		}
		if admitted = append(admitted, asks); len(admitted) > left {
			return &short
		}
		return nil
	}
	tb.suspended(council.FaultBudget)
	tb.wantTail("ROUND_STARTED", "MOTION_MADE a", "SESSION_SUSPENDED")
	got := tb.session.Suspended()
	check.That(t, got.Message == short.Message, "it says %q", got.Message)
	check.That(t, len(admitted) == 3 && len(admitted[0]) == 3 && len(admitted[1]) == 1 && len(admitted[2]) == 2,
		"asked to be admitted: %v", admitted)
	check.Is(t, "b was asked questions, its vote alone", 1, len(tb.members["b"].asked))
	left = 1000
	tb.closed()
}
