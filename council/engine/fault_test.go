package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/check"
)

func TestFault_SuspendsForACurableFaultOnceTheOthersHaveComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 5, nil)
		tb.members["a"].pause = think(3 * time.Second)
		tb.members["c"].say = on(council.AskNominate,
			func(v council.View) council.Reply { return faulty(v, council.FaultBilling) })
		tb.members["e"].pause = think(5 * time.Second)
		began := time.Now()
		tb.suspended(council.FaultBilling)
		// a and b are before c and are recorded; d and e were paid for, and stay with their members.
		tb.wantTail("SESSION_STARTED", "LEADER_BALLOT_CAST a", "LEADER_BALLOT_CAST b", "SESSION_SUSPENDED c")
		check.Is(t, "Run returned after , before the last member had answered", 5*time.Second, time.Since(began))
		for id, m := range tb.members {
			check.Is(t, id, 0, len(m.moot))
		}

		tb.members["c"].say = nil
		tb.options.By = "operator"
		tb.closed()
		resumed, ok := tb.log.events[4].Payload.(council.SessionResumed)
		if !ok || resumed.By != "operator" {
			t.Errorf("event 5 is %+v", tb.log.events[4])
		}
		if got := tb.members["a"].asked; got[0] != "nominate.a" || got[1] == "nominate.a" {
			t.Errorf("a's vote was recorded and asked for again: %v", got)
		}
		if got := tb.members["e"].asked[:2]; got[0] != "nominate.e" || got[1] != "nominate.e" {
			t.Errorf("e's vote was not recorded and not asked for again: %v", got)
		}
	})
}

func TestFault_SuspendsForTheEarliestSeatWhenSeveralAreOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["b"].pause = think(time.Second)
		tb.members["b"].say = func(v council.View) council.Reply { return faulty(v, council.FaultRate) }
		tb.members["c"].say = func(v council.View) council.Reply { return faulty(v, council.FaultAuth) }
		tb.suspended(council.FaultRate)
		tb.wantTail("SESSION_STARTED", "LEADER_BALLOT_CAST a", "SESSION_SUSPENDED b")
	})
}

func TestFault_AFaultOfAMootAskSuspendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["b"].pause = think(time.Second) // seconds late, after c has failed
		tb.members["c"].say = on(council.AskSecond,
			func(v council.View) council.Reply { return faulty(v, council.FaultTransport) })
		tb.closed()
		for _, e := range tb.log.events {
			check.Is(t, "a suspension", false, e.Type() == council.TypeOf[council.SessionSuspended]())
		}
	})
}

func TestFault_ResumesFromTheLogWhereItStopped(t *testing.T) {
	whole := sit(t, 3, nil)
	whole.closed()

	tb := sit(t, 3, nil)
	down := func(v council.View) council.Reply { return faulty(v, council.FaultTransport) }
	for _, k := range []council.AskKind{council.AskNominate, council.AskSecond, council.AskBallot} {
		tb.members["b"].say = on(k, down)
		tb.suspended(council.FaultTransport)
		tb.replay()
	}
	tb.members["b"].say = nil
	tb.closed()

	types := func(events []council.Event) []string {
		var names []string
		for _, e := range events {
			if e.Type() != council.TypeOf[council.SessionSuspended]() && e.Type() != council.TypeOf[council.SessionResumed]() {
				names = append(names, string(e.Type())+" "+string(e.Actor))
			}
		}
		return names
	}
	check.Equal(t, "three suspensions changed the session", types(whole.log.events), types(tb.log.events))
}

func TestFault_ABadReplyIsRecordedAsAFault(t *testing.T) {
	tests := map[string]struct {
		say     func(council.View) council.Reply
		message string
	}{
		"an unknown choice": {func(v council.View) council.Reply {
			return body(v, council.Ballot{Rationale: "?", Ballot: "MAYBE"})
		}, "MAYBE"},
		"the body of another ask": {func(v council.View) council.Reply {
			return body(v, council.Second{Second: true})
		}, "ballot was asked for"},
		"neither a body nor a fault": {func(v council.View) council.Reply { return council.Reply{Ask: v.Ask.ID} }, "either"},
		"both a body and a fault": {func(v council.View) council.Reply {
			r := faulty(v, council.FaultTransport)
			r.Body = council.Ballot{Ballot: council.ChoiceYes}
			return r
		}, "either"},
		"an unknown fault": {func(v council.View) council.Reply { return faulty(v, "tired") }, "tired"},
		"an answer to another ask": {func(v council.View) council.Reply {
			return council.Reply{Ask: "nominate.b", Body: council.Ballot{Rationale: "y", Ballot: council.ChoiceYes}}
		}, "another ask"},
		"a very long choice": {func(v council.View) council.Reply {
			return body(v, council.Ballot{Rationale: "?", Ballot: council.Choice(strings.Repeat("ж", 1<<20))})
		}, "ballot"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tb := sit(t, 3, nil)
			tb.members["b"].say = on(council.AskBallot, test.say)
			tb.closed()
			for _, e := range tb.log.events {
				p, ok := e.Payload.(council.MemberFaulted)
				if !ok {
					continue
				}
				check.That(t, p.Ask == "p1.r1.t1.ballot.b" && p.Fault.Kind == council.FaultUnparsable &&
					p.Standing == council.StandingInvalid, "recorded %+v", p)
				if m := p.Fault.Message; !strings.Contains(m, test.message) || len(m) > 600 || !utf8.ValidString(m) {
					t.Errorf("the fault says %.700q, which lacks %q or is not a short text", m, test.message)
				}
				return
			}
			t.Error("no fault was recorded")
		})
	}
}

func TestFault_TheCostOfABadReplyIsRecorded(t *testing.T) {
	tb := sit(t, 3, nil)
	tb.members["b"].say = on(council.AskBallot,
		func(v council.View) council.Reply { return body(v, council.Ballot{Ballot: "?"}) })
	tb.closed()
	if got := tb.session.Spent(); got.OutputTokens != 100 { // 10 replies of 10 tokens, the bad one with them
		t.Errorf("%d tokens were counted", got.OutputTokens)
	}
}

func TestFault_ASpentBudgetSuspendsBetweenQuestions(t *testing.T) {
	tb := sit(t, 3, func(c *council.Charter) { c.Budget.Tokens = 40 })
	tb.suspended(council.FaultBudget)
	tb.wantTail("LEADER_BALLOT_CAST c", "LEADER_ELECTED", "PHASE_STARTED", "ROUND_STARTED", "MOTION_MADE a",
		"SESSION_SUSPENDED")
	calls := len(tb.members["b"].asked)

	tb.suspended(council.FaultBudget) // still spent: nobody is asked
	tb.wantTail("SESSION_SUSPENDED", "SESSION_RESUMED", "SESSION_SUSPENDED")
	check.Is(t, "questions to b on a spent budget", calls, len(tb.members["b"].asked))

	amended := check.Get(tb.session.Rule(council.BudgetAmended{By: "operator"}))(t)
	check.OK(t, tb.session.Apply(amended))
	tb.log.events = append(tb.log.events, amended)
	tb.closed()
}

func TestFault_ALogThatFailsStopsTheRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.log.full = 2 // a's vote
		tb.members["a"].pause = think(time.Second)
		tb.members["c"].pause = think(time.Hour)
		began := time.Now()
		_, err := tb.run(t.Context())
		check.ErrorIs(t, "Run", errFull, err)
		check.Fails(t, "Run", err, "LEADER_BALLOT_CAST")
		check.Is(t, "events, the log having failed", 1, len(tb.log.events))
		if took := time.Since(began); took != time.Second || len(tb.members["c"].moot) != 1 {
			t.Errorf("after %v the run ended, with %v cancelled", took, tb.members["c"].moot)
		}
	})
}

func TestFault_ARulingThatCannotBeRecordedChangesNothing(t *testing.T) {
	tb := sit(t, 3, nil)
	tb.log.full = 2
	adjourn := council.SessionAdjourned{By: "me", Reason: "late"}
	check.ErrorIs(t, "a ruling on a full disk gave", errFull, engine.Rule(tb.session, tb.log, adjourn))
	check.Fails(t, "resuming a session that is not suspended", engine.Rule(tb.session, tb.log,
		council.SessionResumed{By: "me"}), "")
	check.Is(t, "events of the log", 1, len(tb.log.events))
	if ready := tb.session.Ready(); len(tb.session.Events()) != 1 || len(ready.Asks) == 0 || ready.Event != nil {
		t.Errorf("the session knows of a ruling that is not on record: %+v", ready)
	}
	tb.log.full = 0
	err := engine.Rule(tb.session, tb.log, adjourn)
	check.That(t, err == nil && len(tb.session.Events()) == 2, "once there is room: %v", err)
	tb.wantTail("SESSION_STARTED", "SESSION_ADJOURNED")
}

func TestFault_ATapeThatFailsStopsTheRunAndNothingIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := sit(t, 3, nil)
		tb.members["a"].pause = think(time.Hour)
		tb.members["b"].pause = think(time.Second) // until all have been asked
		tb.members["b"].fail = func(council.Ask) error { return errFull }
		_, err := tb.run(t.Context())
		check.ErrorIs(t, "Run", errFull, err)
		check.Fails(t, "Run", err, "nominate.b")
		check.Is(t, "events of the log", 1, len(tb.log.events))
		check.Is(t, "cancelled questions", 1, len(tb.members["a"].moot))
		tb.members["b"].fail, tb.members["b"].pause, tb.members["a"].pause = nil, nil, nil
		tb.replay()
		tb.closed()
	})
}

func TestFault_RefusesToBeginWithAnEmptySeat(t *testing.T) {
	tb := sit(t, 3, nil)
	seats := map[council.MemberID]engine.Member{"a": tb.members["a"], "b": tb.members["b"]}
	check.Fails(t, "Run", check.Err(engine.Run(t.Context(), tb.session, seats, tb.log, engine.Options{})), "seat of c")
	check.Is(t, "questions to a", 0, len(tb.members["a"].asked))
	check.Is(t, "events", 1, len(tb.log.events))
}
