package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/internal/check"
)

// contested returns a council at the pace auto whose third member is of another mind, and takes pauses in the round.
// Its first two members wait as long as wait, and say so.
func contested(t *testing.T, wait time.Duration, pause time.Duration, second string) *table {
	tb := sit(t, 3, func(c *council.Charter) {
		c.Options, c.Deliberation.Pace = []string{"NATS", "Kafka"}, council.PaceAuto
		charter.SetPace(c)
	})
	for id, first := range map[council.MemberID]string{"a": "NATS", "b": second, "c": "Kafka"} {
		m := tb.members[id]
		m.pause = think(wait)
		m.say = func(v council.View) council.Reply {
			r := agree(v)
			switch b := r.Body.(type) {
			case council.Position:
				b.Ranking = council.Ranks{{first}}
				r.Body = b
			case council.Ranked:
				b.Ranking = council.Ranks{{first}}
				r.Body = b
			}
			r.Usage.ElapsedMS = wait.Milliseconds()
			return r
		}
	}
	tb.members["c"].pause = func(a council.Ask) time.Duration {
		if a.Kind == council.AskRank {
			return pause
		}
		return wait
	}
	return tb
}

func TestGrace_ABallotThatCanChangeNothingIsNotAwaited(t *testing.T) {
	for _, test := range []struct {
		name        string
		wait, pause time.Duration
		second      string // the first answer of the second member
		took        time.Duration
		moot        int // questions that were withdrawn
	}{
		{"it hangs", 10 * time.Second, time.Hour, "NATS", 10*time.Second + 15*time.Second + 10*time.Second, 1},
		{"it hangs among fast members", 0, time.Hour, "NATS", 2 * time.Second, 1},
		{"it comes within the grace", 10 * time.Second, 14 * time.Second, "NATS", 34 * time.Second, 0},
		{"it comes after the others, from a server that takes one call at a time", 10 * time.Second, 30 * time.Second,
			"NATS", 10*time.Second + 30*time.Second + 10*time.Second, 0},
		{"it could change the result", 10 * time.Second, time.Hour, "Kafka", time.Hour + 20*time.Second, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tb := contested(t, test.wait, test.pause, test.second)
				if strings.Contains(test.name, "one call at a time") {
					wait := tb.members["b"].pause
					tb.members["b"].pause = func(a council.Ask) time.Duration {
						if a.Kind == council.AskRank {
							return 20 * time.Second
						}
						return wait(a)
					}
				}
				began := time.Now()
				check.Is(t, "decided", true, tb.closed().Decided)
				check.Is(t, "took", test.took, time.Since(began))
				check.Is(t, "withdrawn", test.moot, len(tb.members["c"].moot))
				absent := 0
				for _, e := range tb.log.events {
					if p, ok := e.Payload.(council.MemberFaulted); ok {
						check.Is(t, "absent", "c not-awaited ABSENT", string(e.Actor)+" "+string(p.Fault.Kind)+" "+string(p.Standing))
						absent++
					}
				}
				check.Is(t, "absences", test.moot, absent)
				tb.replay()
				check.Is(t, "decided after a replay", true, tb.session.Ready().Outcome.Decided)
			})
		})
	}
}

// The replies in hand are recorded in seat order, and the missing one after them.
func TestGrace_RecordsTheRepliesInHandFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tb := contested(t, time.Second, time.Hour, "NATS")
		tb.members["a"].pause, tb.members["c"].pause = tb.members["c"].pause, tb.members["a"].pause
		say := tb.members["a"].say
		tb.members["a"].say, tb.members["c"].say = tb.members["c"].say, say
		tb.closed()
		tb.wantTail("CHOICE_PUT", "RANKING_CAST b", "RANKING_CAST c", "MEMBER_FAULTED a", "MOTION_DECIDED",
			"DEBATE_CLOSED", "PHASE_ENDED", "SUMMARY_WRITTEN a", "DISSENT_WRITTEN a", "SESSION_CLOSED")
	})
}

// A run that ends while it records what it has in hand goes on as it would have.
func TestGrace_GoesOnAfterACrashAtAnyEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := contested(t, time.Second, time.Hour, "NATS")
		whole.closed()
		for full := range len(whole.log.events) {
			tb := contested(t, time.Second, time.Hour, "NATS")
			tb.log.full = council.Seq(full + 1)
			if full > 0 {
				check.Fails(t, "a full log", check.Err(tb.run(t.Context())), "")
			}
			tb.log.full = 0
			tb.replay()
			tb.closed()
			check.Equal(t, "log", whole.log.events, tb.log.events)
		}
	})
}
