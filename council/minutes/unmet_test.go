package minutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestOnlyWhatStaysOpenIsListed(t *testing.T) {
	review := func(by council.MemberID, version int, ids ...string) council.Event {
		var blockers []council.Blocker
		for _, id := range ids {
			blockers = append(blockers, council.Blocker{ID: id})
		}
		return council.Event{
			Actor:   by,
			Payload: council.ReviewGiven{Version: version, Review: council.Review{CriticalBlockers: blockers}},
		}
	}
	draft := func(version int, answers ...council.BlockerResponse) council.Event {
		return council.Event{
			Payload: council.DraftWritten{
				DraftRef: council.DraftRef{Version: version},
				Draft:    council.Draft{Responses: answers},
			},
		}
	}
	got := Of([]council.Event{
		{Payload: council.PhaseStarted{Phase: "weigh"}},
		{Payload: council.PhaseEnded{Phase: "weigh", Missing: []string{"options"}}},
		{Payload: council.PhaseStarted{Phase: "decide"}},
		{Payload: council.PhaseEnded{Phase: "decide", Missing: []string{"a plan"}}},
		{Payload: council.PhaseStarted{Phase: "weigh"}},
		{Payload: council.PhaseEnded{Phase: "weigh"}}, // visited again, and nothing is missing
		{Payload: nil}, // its words were forgotten
		draft(1),
		review("ada", 1, "d1.ada.b1", "d1.ada.b2", "d1.ada.b3"),
		draft(2, council.BlockerResponse{BlockerID: "d1.ada.b1", Answer: council.AnswerRejected},
			council.BlockerResponse{BlockerID: "d1.ada.b2", Answer: council.AnswerUnanswered},
			council.BlockerResponse{BlockerID: "d1.ada.b3", Answer: council.AnswerDeferred}),
		review("bob", 2, "d2.bob.b1"),
		{Actor: "cyn", Payload: council.DissentWritten{Dissent: council.Dissent{Dissent: "Too soon."}}},
		{Actor: "dan", Payload: council.DissentWritten{}}, // declined
	}).Unmet()
	want := Unmet{
		Requirements: []Requirement{{Phase: "decide", What: "a plan"}},
		Blockers: []RaisedBlocker{
			{
				Member:     "ada",
				Version:    1,
				Blocker:    council.Blocker{ID: "d1.ada.b2"},
				Answer:     council.AnswerUnanswered,
				AnsweredIn: 2,
			},
			{Member: "bob", Version: 2, Blocker: council.Blocker{ID: "d2.bob.b1"}},
		},
		Dissents: []Dissent{{By: "cyn", Event: "e0", Text: "Too soon."}},
	}
	check.Equal(t, "it", want, got, cmpopts.IgnoreFields(RaisedBlocker{}, "Event"))
	if got.Empty() || !Of(nil).Unmet().Empty() {
		t.Error("Empty is wrong")
	}
}

// A closed session lists the requirements that it lacks as a whole.
func TestUnmet_NamesWhatTheSessionLacks(t *testing.T) {
	for _, c := range []struct {
		outcome council.Outcome
		want    []Requirement
	}{
		{council.Outcome{Decided: true, Documentation: council.DocumentationNone}, []Requirement{}},
		{council.Outcome{Decided: true, Documentation: council.DocumentationApproved}, []Requirement{}},
		{council.Outcome{Documentation: council.DocumentationNone}, []Requirement{{What: "a decision"}}},
		{council.Outcome{Decided: true, Documentation: council.DocumentationMissing},
			[]Requirement{{What: "a document: none was drafted"}}},
		{council.Outcome{Documentation: council.DocumentationUnapproved},
			[]Requirement{{What: "a decision"}, {What: "an approved document: the last draft was not approved"}}},
	} {
		got := Of([]council.Event{{Payload: council.SessionClosed{Outcome: c.outcome}}}).Unmet()
		if diff := cmp.Diff(c.want, got.Requirements); diff != "" || got.Empty() != (len(c.want) == 0) {
			t.Errorf("%+v (-want +got):\n%s", c.outcome, diff)
		}
	}
}

func TestWhyUndecided_NamesTheDecidingPhase(t *testing.T) {
	two := council.Charter{Phases: []council.Phase{{ID: "frame"}, {ID: "decide"}}}
	for _, c := range []struct {
		charter council.Charter
		visits  []council.PhaseID
		want    string
	}{
		{council.Charter{Phases: []council.Phase{{ID: "decide"}}}, []council.PhaseID{"decide"}, "No motion was carried."},
		{two, []council.PhaseID{"frame"}, "The session did not reach phase decide, which decides the question."},
		{two, []council.PhaseID{"frame", "decide"}, "Phase decide, which decides the question, carried no motion."},
		{two, []council.PhaseID{"decide", "frame", "decide"},
			"Phase decide, which decides the question, carried no motion in its last visit."},
	} {
		events := []council.Event{{Payload: council.SessionStarted{Charter: c.charter}}}
		for _, phase := range c.visits {
			events = append(events, council.Event{Payload: council.PhaseStarted{Phase: phase}})
		}
		if got := Of(events).WhyUndecided(); got != c.want {
			t.Errorf("visits %v: %q, want %q", c.visits, got, c.want)
		}
	}
}
