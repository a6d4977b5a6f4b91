package rules_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

func TestMissingSections_AreABlockerWithoutAMember(t *testing.T) {
	cites(t, 52, 53, 123, 140)
	f := inDraft(t, func(c *council.Charter) { c.DocumentationReview.Sections = []string{"Decision", "Risks"} })
	lacking := council.Draft{Markdown: "# Doc", MissingSections: []string{"Risks"}}
	other := council.Draft{Markdown: "# Doc", MissingSections: []string{"Costs"}}
	f.refused("d1.draft.ada", other)
	f.say("d1.draft.ada", lacking)
	f.ballots("ynn")
	f.say("d1.review.bob", council.Review{})
	f.say("d1.review.cyn", council.Review{})
	f.wantOpen("d2.draft.ada") // although no member gave a blocker
	view := f.s.View(f.ask("d2.draft.ada"))
	if len(view.Blockers) != 1 || view.Blockers[0].ID != "d1.sections" || view.Blockers[0].Section != "Risks" {
		t.Errorf("blockers to answer: %+v", view.Blockers)
	}
	lacking.Responses = []council.BlockerResponse{
		{BlockerID: "d1.sections", Answer: council.AnswerRejected, Note: "None."}}
	f.say("d2.draft.ada", lacking)
	f.ballots("yyn")
	f.say("dissent.cyn", council.Dissent{})
	if got := f.outcome(); got.Documentation != council.DocumentationApproved {
		t.Errorf("outcome %+v", got)
	}
	unmet := minutes.Of(f.s.Events()).Unmet().Blockers
	if len(unmet) != 1 || unmet[0].ID != "d2.sections" || unmet[0].Member != "" || unmet[0].Section != "Risks" {
		t.Errorf("unmet: %+v", unmet)
	}
}

func TestMissingSections_WrittenLaterAreNotUnmet(t *testing.T) {
	f := inDraft(t, func(c *council.Charter) { c.DocumentationReview.Sections = []string{"Risks"} })
	f.say("d1.draft.ada", council.Draft{Markdown: "# Doc", MissingSections: []string{"Risks"}})
	f.ballots("ynn")
	f.say("d1.review.bob", council.Review{})
	f.say("d1.review.cyn", council.Review{})
	f.draft("# Doc\n\n## Risks")
	f.ballots("yyy")
	if unmet := minutes.Of(f.s.Events()).Unmet(); !unmet.Empty() {
		t.Errorf("unmet: %+v", unmet)
	}
}

func TestRefusedDrafts_AreRecordedWithTheirQuestion(t *testing.T) {
	f := inDraft(t, nil)
	refused := []council.RefusedDraft{{Try: 1, Why: "It is JSON.", Text: "{}"}}
	fault := &council.Fault{Kind: council.FaultUnparsable, Message: "It is JSON."}
	e, err := f.s.Answer(council.Reply{Ask: "d1.draft.ada", Fault: fault, Refused: refused})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := e.Reply()
	same(t, refused, r.Refused)
	m := minutes.Of(append(slices.Clone(f.s.Events()), e))
	if len(m.Refused) != 1 || m.Refused[0].Version != 1 || m.Refused[0].By != "ada" {
		t.Errorf("minutes: %+v", m.Refused)
	}
	f.draft("# Doc")
	_, err = f.s.Answer(council.Reply{Ask: "d1.ballot.ada", Refused: refused,
		Body: council.Ballot{Ballot: council.ChoiceYes}})
	if !errors.Is(err, council.ErrBadReply) {
		t.Errorf("a ballot with refused drafts gave %v", err)
	}
}
