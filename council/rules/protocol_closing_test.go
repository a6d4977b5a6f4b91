package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

func documented(c *council.Charter) {
	c.Output.Type = council.OutputDocumentation
	c.DocumentationReview.MaxRevisionRounds = 1
}

var brief = council.Brief{Objective: "Do it", RecommendedExecutorProfile: "engineer", Motions: []string{"p1.r1.t1"},
	Steps: []council.Step{{Step: "One"}}}

// inDraft returns a session that waits for the first draft.
func inDraft(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	f := inRound(t, func(c *council.Charter) {
		documented(c)
		if edit != nil {
			edit(c)
		}
	})
	f.carry()
	f.summarise()
	return f
}

func TestTheLeaderSummarises(t *testing.T) {
	cites(t, 47, 48)
	f := inRound(t, nil)
	f.carry()
	f.wantOpen("summary.ada")
	withoutBrief := council.Summary{SummaryMarkdown: "S", RequiresExecution: true}
	f.refused("summary.ada", withoutBrief)
	withBrief := withoutBrief
	withBrief.ExecutionBrief = &brief
	f.say("summary.ada", withBrief)
	if got := last[council.SummaryWritten](f); got.BriefSHA256 != brief.SHA256() {
		t.Errorf("the brief is %s", got.BriefSHA256)
	}
	if got := f.outcome(); got.ExecutionWithheld != council.WithheldUnvoted || !got.Decided {
		t.Errorf("got %+v", got)
	}
}

func TestTheDraftIsVotedOnByItsDigest(t *testing.T) {
	cites(t, 49)
	f := inDraft(t, nil)
	f.wantOpen("d1.draft.ada")
	f.draft("# Doc")
	f.wantOpen("d1.ballot.ada", "d1.ballot.bob", "d1.ballot.cyn")
	f.say("d1.ballot.bob", council.Ballot{Ballot: council.ChoiceYes})
	want := &council.DraftRef{Version: 1, SHA256: council.Digest("# Doc")}
	same(t, want, last[council.BallotCast](f).Draft)
	for _, e := range f.s.View(f.ask("d1.ballot.ada")).Events {
		if b, ok := e.Payload.(council.BallotCast); ok && b.Draft != nil {
			t.Error("ada sees bob's ballot on the draft")
		}
	}
	f.ballots("yn")
	f.say("dissent.cyn", council.Dissent{Dissent: "I do not."})
	if got := f.outcome(); got.Documentation != council.DocumentationApproved {
		t.Errorf("got %+v", got)
	}
}

func TestDraftGovernance(t *testing.T) {
	cites(t, 50)
	strict := council.Governance{MajorityThreshold: "1", CountOf: "members"}
	f := inDraft(t, func(c *council.Charter) { c.DocumentationReview.Governance = &strict })
	f.draft("# Doc")
	f.ballots("yyn")
	if got := last[council.DraftDecided](f); got.Needed != 3 || got.Result != "LOST" {
		t.Errorf("under its own governance: %+v", got)
	}
	f = inDraft(t, func(c *council.Charter) { c.Phases[0].Governance.MajorityThreshold = "1" })
	f.draft("# Doc")
	f.ballots("yyn")
	if got := last[council.DraftDecided](f); got.Needed != 3 || got.Result != "LOST" {
		t.Errorf("under the last phase's governance: %+v", got)
	}
}

func TestTheReviewLoop(t *testing.T) {
	cites(t, 51, 52, 53, 54, 55)
	f := inDraft(t, nil)
	f.draft("# One")
	f.ballots("yna")
	f.wantOpen("d1.review.bob", "d1.review.cyn")
	f.say(
		"d1.review.bob",
		council.Review{CriticalBlockers: []council.Blocker{{ID: "x", Problem: "No costs"}, {ID: "x", Problem: "No dates"}}},
	)
	f.say("d1.review.cyn", council.Review{CriticalBlockers: []council.Blocker{{ID: "x", Problem: "No owner"}}})

	f.wantOpen("d2.draft.ada")
	view := f.s.View(f.ask("d2.draft.ada"))
	var ids []string
	for _, b := range view.Blockers {
		ids = append(ids, b.ID)
	}
	same(t, []string{"d1.bob.b1", "d1.bob.b2", "d1.cyn.b1"}, ids)
	unknown := council.Draft{
		Markdown:  "# Two",
		Responses: []council.BlockerResponse{{BlockerID: "d1.eve.b1", Answer: council.AnswerAccepted}},
	}
	f.refused("d2.draft.ada", unknown)
	f.draft("# Two", council.BlockerResponse{BlockerID: "d1.cyn.b1", Answer: council.AnswerRejected, Note: "because"},
		council.BlockerResponse{BlockerID: "d1.bob.b1", Answer: council.AnswerAccepted})
	want := []council.BlockerResponse{
		{BlockerID: "d1.bob.b1", Answer: council.AnswerAccepted},
		{BlockerID: "d1.bob.b2", Answer: council.AnswerUnanswered},
		{BlockerID: "d1.cyn.b1", Answer: council.AnswerRejected, Note: "because"},
	}
	same(t, want, last[council.DraftWritten](f).Responses)
	f.ballots("ynn")
	f.wantOpen("d2.review.bob", "d2.review.cyn") // the blockers of the last failed vote are recorded too
	f.say("d2.review.bob", council.Review{})
	f.fault("d2.review.cyn", council.FaultRefusal)
	f.wantOpen("dissent.ada") // who alone approved
	f.say("dissent.ada", council.Dissent{})
	want2 := &council.DraftRef{Version: 2, SHA256: council.Digest("# Two")}
	got := f.outcome()
	if got.Documentation != council.DocumentationUnapproved || !cmp.Equal(want2, got.Draft) {
		t.Errorf("got %+v", got)
	}
}

func TestNobodyIsAskedAfterTheEnd(t *testing.T) {
	cites(t, 56, 57, 71)
	f := inRound(t, nil)
	f.carry()
	f.summarise()
	got := f.outcome()
	want := council.Outcome{
		Ended:         council.SessionCompleted,
		Leader:        "ada",
		Decided:       true,
		Documentation: council.DocumentationNone,
		Resolutions: []council.Resolution{{
			Phase:    "decide",
			Motion:   "p1.r1.t1",
			Title:    "T",
			Text:     "That we do, as moved in p1.r1.t1.turn.ada.",
			Decision: "We do.",
			Yes:      3,
		}},
	}
	same(t, want, got)
	if asks := f.s.Ready().Asks; asks != nil {
		t.Errorf("asks after the end: %v", asks)
	}
	_, err := f.s.Answer(council.Reply{Ask: "summary.ada", Body: council.Summary{SummaryMarkdown: "S"}})
	check.ErrorIs(t, "it", rules.ErrNotPending, err)
}
