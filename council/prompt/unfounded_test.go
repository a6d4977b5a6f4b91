package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Prompts to vote on a draft or to revise it list its unfounded citations, where the charter has them marked.
func TestUnfoundedCitations_AreInThePrompt(t *testing.T) {
	const told = "The recorder finds that it cites what does not exist: "
	for _, marked := range []bool{true, false} {
		c := charter(3, 1)
		c.Deliberation.MarkCitations = marked
		c.Output.Type = council.OutputDocumentation
		c.DocumentationReview.MaxRevisionRounds = 1
		topic := council.Topic{Text: "Why?", Documents: []council.Document{council.NewDocument("notes.md", "one\ntwo\n")}}
		voters := 0
		converse(t, convene(t, topic, c), prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
			r := steady(200)(v)
			switch v.Ask.Kind {
			case council.AskDraft:
				r.Body = council.Draft{Markdown: "# Plan\n\nBy notes.md:2 and e3, by e900, notes.md:7 and `other.go:1`.\n"}
			case council.AskBallot:
				if v.Draft != nil {
					r.Body = council.Ballot{Rationale: "No.", Ballot: council.ChoiceNo}
				}
			}
			last := last(p)
			if v.Draft == nil || v.Draft.Version != 1 || !strings.Contains(last, told) {
				return r
			}
			for _, want := range []string{"e900 (no such event then)", "notes.md:7 (no such line)",
				"other.go:1 (no such document)"} {
				if !strings.Contains(last, want) {
					t.Errorf("%s is not told that %s:\n%s", v.Ask.Kind, want, last)
				}
			}
			if strings.Contains(last, "notes.md:2 (") || strings.Contains(last, "e3 (") {
				t.Errorf("what holds is told as well:\n%s", last)
			}
			voters++
			return r
		})
		if marked && voters != 3 || !marked && voters != 0 {
			t.Errorf("marked %v: %d voters are told", marked, voters)
		}
	}
}
