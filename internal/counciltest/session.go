package counciltest

import (
	"errors"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// Small seats members for one phase of two rounds and no frills.
func Small(members ...council.MemberID) council.Charter {
	return council.Charter{
		CouncilName: "Test council",
		Purpose:     "To be tested",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 4,
			PhaseContextVerbosity: council.VerbosityStandard},
		Phases:    []council.Phase{Phase("decide", 2)},
		Output:    council.Output{Type: council.OutputNone},
		Members:   Seats(members...),
		Storage:   council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution: council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
}

// Phase returns a phase in which motions need a second and a majority of the members.
func Phase(id council.PhaseID, rounds int) council.Phase {
	return council.Phase{ID: id, Goal: "To " + string(id),
		Governance:     council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "members"},
		StopConditions: council.StopConditions{MaxRounds: rounds, EndOnMajorityVote: true},
		Fallback:       council.Fallback{Resolution: "Nothing was resolved.", Action: council.FallbackEndSession}}
}

// Seats returns members with these ids.
func Seats(ids ...council.MemberID) (members []council.Member) {
	for _, id := range ids {
		members = append(members, council.Member{ID: id, Name: strings.ToUpper(string(id)), Role: "tester",
			SystemPrompt: "Test.", Model: council.Model{Provider: "script", Model: "script"}})
	}
	return members
}

// Open returns a session before its first answer.
func Open(t check.T, id council.SessionID, topic council.Topic, c council.Charter,
	memory ...council.Reminder) *rules.Session {
	t.Helper()
	return check.Get(rules.Begin(id, topic, c, memory...))(t)
}

// Hold takes a session to its close and returns it: it applies what is due, and otherwise what next returns.
func Hold(t check.T, s *rules.Session, next func(*rules.Session) (council.Event, error)) *rules.Session {
	t.Helper()
	for ready := s.Ready(); ready.Outcome == nil; ready = s.Ready() {
		if ready.Event == nil {
			ready.Event = new(check.Get(next(s))(t))
		}
		check.OK(t, s.Apply(*ready.Event))
	}
	return s
}

// Answers lets members answer in seat order, for [Hold]. It resumes a session that is suspended, and a reply that the
// rules refuse counts as unparsable.
func Answers(answer func(council.View) council.Reply) func(*rules.Session) (council.Event, error) {
	return func(s *rules.Session) (council.Event, error) {
		if s.Suspended() != nil {
			return s.Rule(council.SessionResumed{By: "a test"})
		}
		r := answer(s.View(s.Ready().Asks[0]))
		e, err := s.Answer(r)
		if errors.Is(err, council.ErrBadReply) { // such as an amendment that makes of a motion one that was lost
			return s.Answer(r.Failed(council.Fault{Kind: council.FaultUnparsable, Message: err.Error()}))
		}
		return e, err
	}
}
