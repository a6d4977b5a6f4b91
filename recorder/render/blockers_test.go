package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// Seen: 3 critical blockers unanswered stood in seven files after the three authors approved.
func TestBlockers_AreWithdrawnByApproval(t *testing.T) {
	s := explored()
	s.summarises(ada, council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
		ExecutionBrief: &brief})
	s.drafts(ada, "# D\n\nFirst.\n")
	for _, m := range []council.MemberID{ada, boole, curie} {
		s.votes(m, council.ChoiceNo, "Too thin.")
	}
	s.decide(decided(0, 3, 0, 0, 0, "0.5", quorum.Members))
	var skipped []council.BlockerResponse
	for m, problem := range map[council.MemberID]string{ada: "No costs.", boole: "No figure.", curie: "no figure"} {
		id := "d1." + string(m) + ".b1"
		s.reviews(m, nil, council.Blocker{ID: id, Section: "D", Problem: problem, Impact: "I.", RequiredChange: "C.",
			Severity: "critical"})
		skipped = append(skipped, council.BlockerResponse{BlockerID: id, Answer: council.AnswerUnanswered})
	}
	s.drafts(ada, "# D\n\nSecond.\n", skipped...)
	for _, m := range []council.MemberID{ada, boole, curie} {
		s.votes(m, council.ChoiceYes, "Good.")
	}
	s.decide(decided(3, 0, 0, 0, 0, "0.5", quorum.Members))
	ref := s.ref()
	s.closes(council.Outcome{Ended: council.SessionCompleted, Leader: ada, Documentation: council.DocumentationApproved,
		Draft: ref, RequiresExecution: true})

	f, files := reportOf(t, s)
	if len(f.Outcome.Unmet.Blockers) > 0 {
		t.Errorf("want no blocker unmet, got %+v", f.Outcome.Unmet.Blockers)
	}
	for name, text := range exported(t, s.log) {
		files[name] = []byte(text)
	}
	for name, doc := range files {
		if strings.Contains(string(doc), "critical blocker") || strings.Contains(string(doc), "nobody answered") ||
			strings.Contains(string(doc), "unanswered_blockers: ") && !strings.Contains(string(doc), "unanswered_blockers: 0") {
			t.Errorf("%s says that blockers are unanswered:\n%s", name, doc)
		}
		var handoff struct{ Unmet minutes.Unmet }
		if name == FileHandoff && (json.Unmarshal(doc, &handoff) != nil || len(handoff.Unmet.Blockers) > 0) {
			t.Errorf("%s hands over unmet blockers:\n%s", name, doc)
		}
	}
	var review ReviewFile
	doc := files["documentation.review.v1.json"]
	check.OK(t, json.Unmarshal(doc, &review))
	check.OK(t, schemas.Validate("review", doc))
	if len(review.Blockers) != 2 {
		t.Errorf("want the equal blockers of boole and curie as one, got %+v", review.Blockers)
	}
	for _, b := range review.Blockers {
		if b.Met != minutes.MetWithdrawn || b.MetIn != 2 {
			t.Errorf("want %s withdrawn by approval of draft 2, got %q in %d", b.ID, b.Met, b.MetIn)
		}
	}
}
