package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

func TestRunaway_RepliesThatNeverEnd(t *testing.T) {
	ballot := &prompt.Prompt{Contract: &prompt.Contract{Forms: []form.Form{{
		{Name: "rationale", Type: form.Text, Words: 60}, {Name: "ballot", Type: form.Text, May: []string{"YES", "NO"}}}}}}
	document := &prompt.Prompt{}
	var varied strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&varied, "line %d\n", i)
	}
	table := "| queue | cost |\n|---|---|\n" + strings.Repeat("| NATS | low |\n", 60)
	for _, test := range []struct {
		name string
		p    *prompt.Prompt
		text string
		want bool
	}{
		{"one letter for ever", document, strings.Repeat("a", 1_600), true},
		{"a sentence for ever", document, "# Design\n\n" + strings.Repeat("The Council Should Decide. ", 60), true},
		{"a long passage six times", document, strings.Repeat(varied.String()[:500], 7), true},
		{"a list in JSON", ballot, `{"rationale": "` + strings.Repeat(`The Council Should Decide", "`, 60), true},
		{"a long document", document, varied.String(), false},
		{"a table with equal rows", document, table, false},
		{"a rule of dashes", document, "# Design\n\n" + strings.Repeat("-", 400), false},
		{"a short answer", ballot, `{"rationale": "It is cheap.", "ballot": "YES"}`, false},
		{"a ballot as long as a book", ballot, varied.String(), true},
		{"a ballot after a long thought", ballot, "<think>" + varied.String(), false},
		{"a thought that repeats itself", ballot, "<think>" + strings.Repeat("Wait. ", 400), true},
	} {
		check.Is(t, test.name, test.want, test.p.Runaway(test.text, 4<<10))
	}
}
