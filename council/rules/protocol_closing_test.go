package rules_test

import (
	"slices"
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

func TestProtocolClosing_TheLeaderSummarises(t *testing.T) {
	cites(t, 47, 48)
	f := inRound(t, nil)
	f.carry()
	f.wantOpen("summary.ada")
	withoutBrief := council.Summary{SummaryMarkdown: "S", RequiresExecution: true}
	f.refused("summary.ada", withoutBrief)
	withBrief := withoutBrief
	withBrief.ExecutionBrief = &brief
	f.say("summary.ada", withBrief)
	check.Is(t, "brief", brief.SHA256(), last[council.SummaryWritten](f).BriefSHA256)
	got := f.outcome()
	check.That(t, got.ExecutionWithheld == council.WithheldUnvoted && got.Decided, "got %+v", got)
}

func TestProtocolClosing_TheDraftIsVotedOnByItsDigest(t *testing.T) {
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
	check.Is(t, "document", council.DocumentationApproved, f.outcome().Documentation)
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
	got := last[council.DraftDecided](f)
	check.That(t, got.Needed == 3 && got.Result == "LOST", "under the last phase's governance: %+v", got)
}

func TestProtocolClosing_TheReviewLoop(t *testing.T) {
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
	check.That(t, got.Documentation == council.DocumentationUnapproved && cmp.Equal(want2, got.Draft), "got %+v", got)
}

func TestProtocolClosing_NobodyIsAskedAfterTheEnd(t *testing.T) {
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
	asks := f.s.Ready().Asks
	check.That(t, asks == nil, "asks after the end: %v", asks)
	_, err := f.s.Answer(council.Reply{Ask: "summary.ada", Body: council.Summary{SummaryMarkdown: "S"}})
	check.ErrorIs(t, "it", rules.ErrNotPending, err)
}

// rolled is the brief with a step that the first draft lacked.
var rolled = council.Brief{Objective: "Do it", RecommendedExecutorProfile: "engineer", Motions: []string{"p1.r1.t1"},
	Steps: []council.Step{{Step: "One"}, {Step: "Roll back"}}}

// revised plays a session whose second draft comes with the given brief, and has the members vote on it.
func revised(t *testing.T, stated *council.Brief, ballots string) *floor {
	t.Helper()
	f := inRound(t, func(c *council.Charter) { free(c); documented(c) })
	f.carry()
	f.calls("p1.r1.t1")
	f.draft("# Doc")
	f.ballots("ynn")
	for _, id := range f.open() {
		f.say(id, council.Review{CriticalBlockers: []council.Blocker{{Problem: "No way back"}}})
	}
	f.say("d2.draft.ada", council.Draft{Markdown: "# Doc\n\nRoll back.", ExecutionBrief: stated})
	f.ballots(ballots)
	for _, id := range f.open() {
		f.say(id, council.Review{})
	}
	return f
}

func TestBrief_IsThatOfTheApprovedDraft(t *testing.T) {
	cites(t, 58, 232, 233, 234)
	unnamed := rolled
	unnamed.Motions = nil
	for name, c := range map[string]struct {
		stated *council.Brief
		want   council.Brief
	}{
		"stated anew":                 {&rolled, rolled},
		"stated anew, without naming": {&unnamed, rolled},
		"left out":                    {nil, brief},
	} {
		t.Run(name, func(t *testing.T) {
			f := revised(t, c.stated, "yyy")
			f.outcome()
			f.wantExecution(council.ExecutionCleared)
			got, sha := f.s.Handoff().Brief, f.s.Handoff().BriefSHA256
			if diff := cmp.Diff(&c.want, got); diff != "" || sha != c.want.SHA256() {
				t.Errorf("it hands over %s (-want +got):\n%s", sha, diff)
			}
			cast := last[council.BallotCast](f)
			if d := last[council.DraftDecided](f); cast.Draft == nil || cast.Draft.BriefSHA256 != sha ||
				d.BriefSHA256 != sha || d.SHA256 != council.Digest("# Doc\n\nRoll back.") {
				t.Errorf("the ballots are on %+v, and %+v was decided", cast.Draft, d.DraftRef)
			}
		})
	}
}

func TestBrief_WithoutABallotIsLeftToAPerson(t *testing.T) {
	cites(t, 109, 235)
	for name, c := range map[string]struct {
		f   *floor
		why council.Withholding
	}{
		"no document":                 {closed(t, free), council.WithheldUnvoted},
		"a document that was refused": {revised(t, &rolled, "nnn"), council.WithheldDocument},
	} {
		t.Run(name, func(t *testing.T) {
			sha := c.f.s.Handoff().BriefSHA256
			c.f.wantExecution(council.ExecutionAwaitingApproval)
			if h := c.f.s.Handoff(); h.Held() != c.why || h.Held().Why() == "" {
				t.Errorf("it is held as %q: %q", h.Held(), h.Held().Why())
			}
			c.f.refuses(council.ExecutionStarted{By: "bot", BriefSHA256: sha})
			c.f.refuses(council.ExecutionApproved{By: "me", BriefSHA256: sha, InAdvance: true})
			c.f.rule(council.ExecutionApproved{By: "me", BriefSHA256: sha})
			c.f.wantExecution(council.ExecutionPermitted)
		})
	}
}

// A first draft states no brief anew, and neither does one of a session without a brief.
func TestBrief_IsNotStatedWhereNoneIsToBeStatedAnew(t *testing.T) {
	cites(t, 233)
	f := inDraft(t, nil)
	f.say("d1.draft.ada", council.Draft{Markdown: "# Doc", ExecutionBrief: &rolled})
	f.ballots("yyy")
	if o := f.outcome(); last[council.DraftWritten](f).ExecutionBrief != nil || o.Draft.BriefSHA256 != "" ||
		f.s.Handoff().Status != council.ExecutionNotRequired {
		t.Errorf("got %+v", o)
	}
}

func TestBrief_RecordsIDsForWords(t *testing.T) {
	cites(t, 107)
	f := inRound(t, nil)
	f.carry()
	f.calls("we do")
	b := f.s.Handoff().Brief
	want := []string{"p1.r1.t1"}
	check.That(t, b != nil && slices.Equal(b.Motions, want), "the brief is recorded as %+v, want it to name %q", b, want)
}
