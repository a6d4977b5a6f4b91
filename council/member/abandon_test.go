package member

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestAbandon_EndsUnansweredQuestions(t *testing.T) {
	ask := func(id council.AskID) *prompt.Prompt {
		return &prompt.Prompt{Digest: string(id), View: council.View{Ask: council.Ask{ID: id}}}
	}
	known := map[string]prompt.Completion{"answered": {Text: "from the tape"}}
	f := &fake{steps: []step{{text: "x"}}}
	tp := &tape{replies: known}
	m := WithCallLog(Abandon(f, map[council.AskID]bool{"put": true, "answered": true}), tp)
	for id, want := range map[council.AskID]struct {
		text string
		kind council.FaultKind
	}{"put": {"", council.FaultAbandoned}, "answered": {"from the tape", ""}, "other": {"x", ""}} {
		c, err := m.Complete(t.Context(), ask(id))
		if c.Text != want.text || kindOf(err) != want.kind {
			t.Errorf("%s: %q, %v", id, c.Text, err)
		}
	}
	check.Is(t, "calls, one", 1, len(f.asked))
	if council.FaultAbandoned.Curable() {
		t.Error("it would suspend the session again and again")
	}
}
