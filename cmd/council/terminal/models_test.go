package terminal

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestWhoStandsInIsSaidOnceAndSoIsTheReturn(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}}}
	var m models
	var said []string
	for i, step := range []struct {
		who             council.MemberID
		provider, model string
	}{
		{"ada", "", "big"}, {"ada", "gemini", "other"}, {"bob", "", "big"}, {"ada", "gemini", "other"},
		{"ada", "ollama", "small"}, {"ada", "", "big"}, {"ada", "", "big"},
	} {
		e := council.Event{Seq: council.Seq(i + 1), Actor: step.who, Payload: council.TurnPassed{
			Answered: council.Answered{Usage: council.Usage{Calls: 1, Provider: step.provider, Model: step.model}}}}
		said = append(said, m.take(charter, e)...)
	}
	want := "  The model of Ada is missing or down; gemini/other stands in.\n" +
		"  The model of Ada is missing or down; ollama/small stands in.\n" +
		"  The model of Ada answers again."
	check.Is(t, "got want", want, strings.Join(said, "\n"))
}

func TestAPromptThatItsServerCutIsSaidOnce(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{
		{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}, {ID: "cyn", Name: "Cyn",
			Model: council.Model{Provider: "ollama", Model: "other"}},
	}}
	var m models
	var said []string
	for i, step := range []struct {
		who           council.MemberID
		bytes, tokens int64
	}{
		{"ada", 9_000, 2_000}, {"bob", 9_000, 2_000}, {"ada", 16_000, 3_900}, {"ada", 18_000, 3_100},
		{"bob", 12_000, 2_600}, {"ada", 20_000, 3_000}, {"bob", 13_000, 2_000}, {"cyn", 9_000, 2_000},
		{"cyn", 9_100, 1_900},
	} {
		e := council.Event{Seq: council.Seq(i + 1), Actor: step.who, Payload: council.TurnPassed{
			Answered: council.Answered{Usage: council.Usage{Calls: 1, PromptBytes: step.bytes, InputTokens: step.tokens}}}}
		for _, line := range m.take(charter, e) {
			said = append(said, e.Seq.ID()+line)
		}
	}
	// Of Bob, who has the same model, it is known then.
	if len(said) != 2 || !strings.HasPrefix(said[0], "e4  The server of Ada counted fewer tokens than its prompt has") ||
		!strings.HasPrefix(said[1], "e9  The server of Cyn") {
		t.Errorf("%q", said)
	}
}
