package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// The document says who approved it, and keeps the words that were approved: the sum in its front block is theirs. An
// event that it names in brackets leads to where it is explained.
func TestDocument_NamesItsApproval(t *testing.T) {
	files := check.Get(Artifacts(approved().log))(t)
	text := string(files[FileApproved])
	front, rest, _ := strings.Cut(text, "\n---\n\n")
	words, cited, _ := strings.Cut(rest, "\n## Events cited\n")
	for _, line := range []string{"date: 2026-02-28", "approval: approved",
		"vote: {yes: 2, no: 1, abstain: 0, invalid: 0, absent: 0}", "sha256: " + council.Digest(words),
		`  - {id: "ada", name: "Ada Lovelace", role: "architect", model: "anthropic/m-1", answered: "model-of-ada"}`} {
		check.Says(t, front, "\n"+line+"\n")
	}
	check.Is(t, "it holds", string(files["documentation.draft.v2.md"]), words)
	for _, line := range []string{"- e12: contribution made by Ada Lovelace, phase explore, round 1",
		"- e34: motion made by Ada Lovelace, phase decide, round 1"} {
		check.Says(t, cited, "\n"+line+"\n")
	}
	check.NeverSays(t, cited, "e99")
	check.Says(t, rendered(t, text), `<a href="#events-cited">e34</a>`, `<h2 id="events-cited">`, "[e99]")
}

// A front block is inert, even where a reader of Markdown takes it for text.
func TestDocument_FrontBlockIsInert(t *testing.T) {
	for _, words := range forgeries {
		s := everywhere("words", "Title")
		started := s.log[0].Payload.(council.SessionStarted)
		started.Charter.CouncilName = words
		started.Charter.Members[0].Name, started.Charter.Members[0].Role = words, words
		s.log[0].Payload = started
		files := check.Get(Artifacts(s.log))(t)
		text := string(files[FileUnapproved])
		_, body, _ := strings.Cut(text, "\n---\n\n")
		check.That(t, body == "words\n", "named %.40q, the document is %.200q", words, body)
		for _, active := range []string{"<img", "<script", "<details", `<a href="evil.md"`, "<table", "<code"} {
			check.NeverSays(t, rendered(t, text), active)
		}
	}
}

func rendered(t *testing.T, markdown string) string {
	t.Helper()
	var html bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	check.OK(t, reader.Convert([]byte(markdown), &html))
	return html.String()
}

// Seen: 3 critical blockers unanswered stood in seven files after the three authors approved.
func TestBlockers_AreWithdrawnByApproval(t *testing.T) {
	s := explored()
	s.summarises(ada, council.Summary{SummaryMarkdown: "S", RequiresExecution: true, ExecutionBrief: &brief})
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
	check.That(t, len(f.Outcome.Unmet.Blockers) == 0, "want no blocker unmet, got %+v", f.Outcome.Unmet.Blockers)
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
	check.Is(t, "blockers, equal ones as one", 2, len(review.Blockers))
	for _, b := range review.Blockers {
		check.Is(t, "state", minutes.MetWithdrawn, b.Met)
		check.Is(t, "draft", 2, b.MetIn)
	}
}

// The minority report has the vote of the last visit to the deciding phase, whatever another phase put to the vote.
func TestMinorityReport_HasTheDecidingVote(t *testing.T) {
	moves := func(yes, no, absent int) func(*scribe) {
		return func(s *scribe) {
			s.moves(ada, "Wait", "We wait.", "Wait.").decide(decided(yes, no, 0, 0, absent, "0.5", quorum.Members))
		}
	}
	pass := func(s *scribe) { s.passes(ada, "No.").passes(boole, "No.").passes(curie, "No.") }
	for name, c := range map[string]struct {
		again council.PhaseID // the phase that follows the deciding one
		votes func(*scribe)
		want  string
		not   string
	}{
		"another passes":       {"explore", pass, "“Write ahead” is carried", "Wait"},
		"another loses":        {"explore", moves(1, 2, 0), "“Write ahead” is carried", "Wait"},
		"another has too few":  {"explore", moves(1, 0, 2), "“Write ahead” is carried", "Wait"},
		"another carries":      {"explore", moves(2, 1, 0), "“Write ahead” is carried", "Wait"},
		"it passes again":      {"decide", pass, "Dissent of", "Write ahead"},
		"it loses again":       {"decide", moves(1, 2, 0), "“Wait” is lost", "Write ahead"},
		"it carries once more": {"decide", moves(2, 1, 0), "“Wait” is carried", "Write ahead"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScribe(topic, charter("anthropic"))
			s.enter("decide", "Choose.", "").startRound(1)
			s.moves(ada, "Write ahead", "The queue writes ahead.", "Write.").
				decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
			s.enter(c.again, "Once more.", "").startRound(1)
			c.votes(s)
			s.dissents(curie, "It is too much.")
			files := check.Get(Artifacts(s.log))(t)
			if report := string(files[FileMinority]); !strings.Contains(report, c.want) || strings.Contains(report, c.not) {
				t.Errorf("want %q in it, and not %q:\n%s", c.want, c.not, report)
			}
		})
	}
}
