package reply

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestASummaryOfAnUndecidedCouncilIsReadInEachOfItsForms(t *testing.T) {
	v := council.View{
		Ask: council.Ask{Kind: council.AskSummary}, Undecided: true,
		Charter: &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}}},
	}
	summary := func(undecided string) string {
		return `{"summaryMarkdown": "S", "requiresExecution": false` + undecided + `}`
	}
	for undecided, want := range map[string]*council.Undecided{
		`, "undecided": {"question": "What does it cost?"}`: {Question: "What does it cost?"},
		`, "undecided": "What does it cost?"`:               {Question: "What does it cost?"},
		`, "undecided": {"alternatives": [{"answer": "A", "heldBy": ["Ada", "eve"], "rightIf": "B"}, {"answer": "A"}], "question": ""}`: {
			Alternatives: []council.Alternative{{Answer: "A", HeldBy: []council.MemberID{"ada"}, RightIf: "B"}}},
		`, "undecided": {"alternatives": [], "investigation": {"measure": "M", "by": "us", "means": "N"}}`: {
			Investigation: &council.Investigation{Measure: "M", By: "us", Means: "N"}},
		`, "undecided": null`:                 nil,
		`, "undecided": {"question": null}`:   nil,
		`, "undecided": {"alternatives": []}`: nil,
	} {
		b, err := Parse(v, summary(undecided))
		if err != nil {
			t.Errorf("%s: %v", undecided, err)
			continue
		}
		check.Equal(t, undecided, want, b.(council.Summary).Undecided)
	}
	if _, err := Parse(v, summary(``)); err == nil || !strings.Contains(err.Error(), `"undecided" is missing`) {
		t.Errorf("without the field: %v", err)
	}
	v.Undecided = false
	if _, err := Parse(v, summary(``)); err != nil {
		t.Errorf("a council that decided: %v", err)
	}
}
