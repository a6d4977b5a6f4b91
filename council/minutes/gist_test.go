package minutes

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// A dissent is stronger than the reason of a NO, and that is stronger than a blocker; among several it is that of the
// member who was surest at first.
func TestTheStrongestObjection(t *testing.T) {
	by := func(m council.MemberID, p council.Payload) council.Event { return council.Event{Actor: m, Payload: p} }
	sealed := func(m council.MemberID, sure float64) council.Event {
		return by(m, council.PositionSealed{Position: council.Position{Confidence: sure}})
	}
	no := func(m council.MemberID, why string) council.Event {
		return by(m, council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t1"},
			Ballot: council.Ballot{Ballot: council.ChoiceNo, Rationale: why}})
	}
	lost := council.Decision{Result: quorum.Lost, Count: quorum.Count{Yes: 1, No: 2}}
	voted := []council.Event{
		sealed("ada", 0.9), sealed("bob", 0.4), sealed("cyn", 0.8),
		by("", council.PhaseStarted{Visit: 1, Phase: "p1"}),
		by("ada", council.MotionMade{Motion: "p1.r1.t1"}),
		no("bob", "It is slow."), no("cyn", "It burns."),
		by("", council.MotionDecided{Motion: "p1.r1.t1", Decision: lost}),
	}
	open := council.Dissent{CriticalBlockers: []council.Blocker{{ID: "b1", Problem: "No way back."}}}
	blocked := append(voted[:3:3], by("ada", council.DraftWritten{DraftRef: council.DraftRef{Version: 1}}),
		by("bob", council.DissentWritten{Dissent: open}))
	for name, test := range map[string]struct {
		log  []council.Event
		want *Objection
	}{
		"none":              {voted[:5], nil},
		"blocker":           {blocked, &Objection{"bob", "e5", "blocker", "No way back."}},
		"the surest ballot": {voted, &Objection{"cyn", "e7", "ballot", "It burns."}},
		"dissent": {append(voted[:8:8], by("bob", council.DissentWritten{Dissent: council.Dissent{Dissent: "Too slow."}})),
			&Objection{"bob", "e9", "dissent", "Too slow."}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.log {
				test.log[i].Seq = council.Seq(i + 1)
			}
			check.Equal(t, "it", test.want, Of(test.log).Objection())
		})
	}
}

// No two words for the state of a session are the same, and all are listed.
func TestTheWordsForHowASessionStands(t *testing.T) {
	known := map[string]bool{}
	for _, w := range Words() {
		if known[w] {
			t.Errorf("%q is listed twice", w)
		}
		known[w] = true
	}
	started := council.SessionStarted{}
	started.Charter.Execution.RequireHumanApproval = true
	for want, closed := range map[string]council.Outcome{
		"": {}, "document approved": {Decided: true, Documentation: council.DocumentationApproved},
		"no document": {Documentation: council.DocumentationMissing}, "awaits approval": {RequiresExecution: true},
	} {
		m := told(started, council.SessionClosed{Outcome: closed})
		if got := m.Approval(); got != want || got != "" && !known[got] || !known[string(m.State())] {
			t.Errorf("%q, %s; want %q", got, m.State(), want)
		}
	}
}
