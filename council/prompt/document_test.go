package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// asked returns the last question that the leader is put when it drafts under the charter.
func asked(t *testing.T, c council.Charter) string {
	t.Helper()
	question := ""
	s, answer := convene(t, council.Topic{Text: "How is the bridge renewed?"}, c), steady(200)
	play(t, s, func(v council.View) council.Reply {
		if v.Ask.Kind == council.AskDraft && v.Draft == nil {
			messages := prompt.NewConversation(prompt.Limits{}).Next(v).Messages
			question = messages[len(messages)-1].Content
		}
		return answer(v)
	})
	return question
}

func TestTheLeaderIsToldWhatBelongsIntoASection(t *testing.T) {
	c := charter(3, 1)
	bare := asked(t, c)
	c.DocumentationReview.Guidance = []council.Guide{{Section: "Risks", Says: "What may fall into the river."}}
	const said = "## Decision; ## Risks\nWhat belongs there:\n- Risks: What may fall into the river.\nReply with the " +
		"document alone"
	if told := asked(t, c); !strings.Contains(told, said) {
		t.Errorf("the question is: %s", told)
	}
	if !strings.Contains(bare, "## Decision; ## Risks\nReply with the document alone") {
		t.Errorf("without guidance the question is: %s", bare)
	}
}

func TestADraftThatLacksSectionsIsPutBackWithTheirNames(t *testing.T) {
	c := charter(3, 1)
	v := council.View{Ask: council.Ask{Kind: council.AskDraft, Member: "ada"}, Charter: &c}
	_, err := prompt.Parse(v, "# The bridge\n\n## Decision\n\nTwo halves.")
	if err == nil || !strings.Contains(err.Error(), "## Risks") || strings.Contains(err.Error(), "## Decision") {
		t.Errorf("got %v", err)
	}
}
