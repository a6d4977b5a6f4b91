package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
)

func TestBlocker_IsMetByItsAuthorsOrByTheSections(t *testing.T) {
	cites(t, 52, 227)
	tests := map[string]struct {
		blockers []string // of the first draft, in seat order
		second   string   // the ballots on the second draft
		answered string   // the blocker that the leader answers
		lacks    [2]bool  // whether each draft lacks a section
		open     string   // the blockers that stay open
	}{
		"its author approves":         {[]string{"", "", "No costs."}, "nyy", "", [2]bool{}, ""},
		"its author does not approve": {[]string{"", "", "No costs."}, "yyn", "", [2]bool{}, "d1.cyn.b1 of cyn"},
		"it was answered":             {[]string{"", "", "No costs."}, "yyn", "d1.cyn.b1", [2]bool{}, ""},
		"one of two authors approves": {[]string{"", "No costs.", "no COSTS"}, "yyn", "", [2]bool{},
			"d1.bob.b1 of bob, cyn"},
		"both authors approve":         {[]string{"", "No costs.", "no COSTS"}, "nyy", "", [2]bool{}, ""},
		"an equal one was answered":    {[]string{"", "No costs.", "no COSTS"}, "ynn", "d1.cyn.b1", [2]bool{}, ""},
		"two that differ":              {[]string{"", "No costs.", "No risks."}, "yyn", "", [2]bool{}, "d1.cyn.b1 of cyn"},
		"the section is written":       {[]string{"", "", ""}, "yyy", "", [2]bool{true, false}, ""},
		"the section is missing still": {[]string{"", "", ""}, "yyy", "", [2]bool{true, true}, "d2.sections of "},
		"an author that approves, and no section": {[]string{"No costs.", "", ""}, "yyy", "", [2]bool{true, true},
			"d2.sections of "},
	}
	for name, test := range tests {
		f := inRound(t, func(c *council.Charter) {
			c.Output.Type = council.OutputDocumentation
			c.DocumentationReview.Sections, c.DocumentationReview.MaxRevisionRounds = []string{"Risks"}, 1
		})
		f.carry()
		f.summarise()
		draft := func(version int, responses ...council.BlockerResponse) {
			d := council.Draft{Markdown: "# D", Responses: responses}
			if test.lacks[version-1] {
				d.MissingSections = []string{"Risks"}
			}
			f.say(f.open()[0], d)
		}
		draft(1)
		f.ballots("nnn")
		for _, problem := range test.blockers {
			var review council.Review
			if problem != "" {
				review.CriticalBlockers = []council.Blocker{{Problem: problem, RequiredChange: "Name them.", Severity: "high"}}
			}
			f.say(f.open()[0], review)
		}
		var responses []council.BlockerResponse
		if test.answered != "" {
			responses = append(responses, council.BlockerResponse{BlockerID: test.answered, Answer: council.AnswerRejected})
		}
		draft(2, responses...)
		f.ballots(test.second)
		var open []string
		for _, b := range minutes.Of(f.s.Events()).Unmet().Blockers {
			var authors []string
			for _, m := range b.Authors() {
				authors = append(authors, string(m))
			}
			open = append(open, b.ID+" of "+strings.Join(authors, ", "))
		}
		check.Is(t, name, test.open, strings.Join(open, "; "))
	}
}

// The first draft carries although it lacks a section.
func TestBlocker_OfASectionIsOpenWhereTheFirstDraftCarries(t *testing.T) {
	cites(t, 227)
	f := inRound(t, func(c *council.Charter) {
		c.Output.Type = council.OutputDocumentation
		c.DocumentationReview.Sections = []string{"Risks"}
	})
	f.carry()
	f.summarise()
	f.say(f.open()[0], council.Draft{Markdown: "# D", MissingSections: []string{"Risks"}})
	f.ballots("yyy")
	m := minutes.Of(f.s.Events())
	if got := m.Unmet().Unanswered(); f.outcome().Documentation != council.DocumentationApproved ||
		!slices.Equal(got, []string{"d1.sections"}) {
		t.Errorf("want d1.sections open, got %q", got)
	}
}

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
	check.That(t, len(view.Blockers) == 1 && view.Blockers[0].ID == "d1.sections" && view.Blockers[0].Section == "Risks",
		"blockers to answer: %+v", view.Blockers)
	lacking.Responses = []council.BlockerResponse{
		{BlockerID: "d1.sections", Answer: council.AnswerRejected, Note: "None."}}
	f.say("d2.draft.ada", lacking)
	f.ballots("yyn")
	f.say("dissent.cyn", council.Dissent{})
	check.Is(t, "document", council.DocumentationApproved, f.outcome().Documentation)
	unmet := minutes.Of(f.s.Events()).Unmet().Blockers
	check.That(t, len(unmet) == 1 && unmet[0].ID == "d2.sections" && unmet[0].Member == "" && unmet[0].Section == "Risks",
		"unmet: %+v", unmet)
}

func TestMissingSections_WrittenLaterAreNotUnmet(t *testing.T) {
	f := inDraft(t, func(c *council.Charter) { c.DocumentationReview.Sections = []string{"Risks"} })
	f.say("d1.draft.ada", council.Draft{Markdown: "# Doc", MissingSections: []string{"Risks"}})
	f.ballots("ynn")
	f.say("d1.review.bob", council.Review{})
	f.say("d1.review.cyn", council.Review{})
	f.draft("# Doc\n\n## Risks")
	f.ballots("yyy")
	unmet := minutes.Of(f.s.Events()).Unmet()
	check.That(t, unmet.Empty(), "unmet: %+v", unmet)
}

func TestRefusedDrafts_AreRecordedWithTheirQuestion(t *testing.T) {
	f := inDraft(t, nil)
	refused := []council.RefusedDraft{{Try: 1, Why: "It is JSON.", Text: "{}"}}
	fault := &council.Fault{Kind: council.FaultUnparsable, Message: "It is JSON."}
	e, err := f.s.Answer(council.Reply{Ask: "d1.draft.ada", Fault: fault, Refused: refused})
	check.OK(t, err)
	r, _ := e.Reply()
	same(t, refused, r.Refused)
	m := minutes.Of(append(slices.Clone(f.s.Events()), e))
	check.That(t, len(m.Refused) == 1 && m.Refused[0].Version == 1 && m.Refused[0].By == "ada", "minutes: %+v", m.Refused)
	f.draft("# Doc")
	_, err = f.s.Answer(council.Reply{Ask: "d1.ballot.ada", Refused: refused,
		Body: council.Ballot{Ballot: council.ChoiceYes}})
	check.ErrorIs(t, "a ballot with refused drafts gave", council.ErrBadReply, err)
}
