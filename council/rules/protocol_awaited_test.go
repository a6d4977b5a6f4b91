package rules_test

import (
	"errors"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// awaited reports whether the rules refuse to leave an open ask unanswered, by both of their answers.
func (f *floor) awaited(id string, inHand ...council.Reply) bool {
	f.Helper()
	settled := f.s.Settled(inHand)
	if len(inHand) == 0 {
		_, err := f.s.Answer(notAwaited(id))
		check.Is(f, "not-awaited is taken", settled, err == nil)
		check.Is(f, "refused as", !settled, errors.Is(err, council.ErrBadReply))
	}
	return !settled
}

func notAwaited(id string) council.Reply {
	return council.Reply{Ask: council.AskID(id), Fault: &council.Fault{Kind: council.FaultNotAwaited}}
}

func TestAwaited_ABallotOfARoundThatCanChangeNothingIsNot(t *testing.T) {
	cites(t, 265)
	f := convene(t, autoChoosing())
	check.Is(t, "a position is awaited", true, f.awaited("position.ada"))
	f.positions("NATS", "NATS", "Kafka")
	check.Is(t, "the first of three is awaited", true, f.awaited("p1.r1.choice.rank.cyn"))
	say := func(m, option string) council.Reply {
		return council.Reply{Ask: council.AskID("p1.r1.choice.rank." + m),
			Body: council.Ranked{Rationale: "R", Ranking: ranks(option)}}
	}
	ada, bob := say("ada", "NATS"), say("bob", "NATS")
	check.Is(t, "with one in hand it is awaited", true, f.awaited("p1.r1.choice.rank.cyn", ada))
	check.Is(t, "with two that differ it is awaited", true, f.awaited("p1.r1.choice.rank.cyn", ada, say("bob", "Kafka")))
	check.Is(t, "with one that is unusable it is awaited", true, f.awaited("p1.r1.choice.rank.cyn", ada,
		say("bob", "Redis")))
	check.Is(t, "with two that agree it is awaited", false, f.awaited("p1.r1.choice.rank.cyn", ada, bob))
	f.answer(ada)
	f.answer(bob)
	check.Is(t, "cyn is awaited", false, f.awaited("p1.r1.choice.rank.cyn"))
	f.answer(notAwaited("p1.r1.choice.rank.cyn"))
	check.Is(t, "standing", council.StandingAbsent, last[council.MemberFaulted](f).Standing)
	check.Equal(t, "count", quorum.Count{Yes: 2, Absent: 1}, last[council.MotionDecided](f).Count)
	check.Is(t, "end", council.EndMajorityVote, last[council.DebateClosed](f).Reason)
	f.summarise()
	check.Is(t, "decision", "NATS", decisions(f)[0])
	check.Fails(t, "a ballot that came too late", check.Err(f.s.Answer(say("cyn", "Kafka"))), "")
}

func TestAwaited_FirstBallotsAndPeopleAlwaysAre(t *testing.T) {
	cites(t, 265)
	f := convene(t, auto())
	f.positions("NATS", "NATS", "Kafka")
	f.propose("NATS: ada bob", "Kafka: cyn")
	f.rank("NATS", "NATS")
	check.Is(t, "the first ballot is awaited", true, f.awaited("p1.choice.rank.cyn"))

	f = convene(t, func(c *council.Charter) {
		c.Members[2].Model = council.Model{Provider: "human"}
		autoChoosing()(c)
	})
	f.positions("NATS", "NATS", "Kafka")
	f.rank("NATS", "NATS")
	check.Is(t, "a person is awaited", true, f.awaited("p1.r1.choice.rank.cyn"))
	check.Is(t, "at another pace", true, inRound(t, nil).awaited("p1.r1.t1.turn.ada"))
}

// A member that was not awaited is asked for the next ballot, and ballots on a draft are left out likewise. One that is
// open by a fault counts as out.
func TestAwaited_ABallotOnADraft(t *testing.T) {
	cites(t, 251, 265)
	f := convene(t, func(c *council.Charter) {
		c.Members = append(c.Members, counciltest.Seats("dan", "eve")...)
		c.Deliberation.Seats, c.Output.Type = 5, council.OutputDocumentation
		autoChoosing()(c)
	})
	f.positions("NATS", "NATS", "NATS", "NATS", "Kafka")
	f.rank("NATS", "NATS", "NATS", "NATS")
	f.answer(notAwaited("p1.r1.choice.rank.eve"))
	f.summarise()
	f.draft("# One")
	f.wantOpen("d1.ballot.ada", "d1.ballot.bob", "d1.ballot.cyn", "d1.ballot.dan", "d1.ballot.eve")
	f.ballots("yy")
	f.fault("d1.ballot.cyn", council.FaultRate)
	check.Is(t, "with two out and one open dan is awaited", true, f.awaited("d1.ballot.dan"))
	f.ballots("y")
	check.Is(t, "with one out and one open eve is awaited", false, f.awaited("d1.ballot.eve"))
	f.answer(notAwaited("d1.ballot.eve"))
	check.Is(t, "document", council.DocumentationApproved, f.outcome().Documentation)
}

// Callers filter the open asks in place.
func TestReady_HandsOutACopyOfTheOpenAsks(t *testing.T) {
	f := convene(t, nil)
	clear(f.s.Ready().Asks)
	f.wantOpen("nominate.ada", "nominate.bob", "nominate.cyn")
}
