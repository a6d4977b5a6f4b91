package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// priced returns the approved session with prices of two of its three members, and with reasoning.
func priced(prices ...council.Rate) *scribe {
	s := approved()
	started := s.log[0].Payload.(council.SessionStarted)
	started.Charter.Members[2].Model = council.Model{Provider: "command", Model: "claude"}
	started.Charter.Prices = prices
	s.log[0].Payload = started
	sealed := s.log[1].Payload.(council.PositionSealed)
	sealed.Usage.ReasoningTokens = 1_000
	s.log[1].Payload = sealed
	return s
}

func rates(provider string) []council.Rate {
	tenth := 0.1
	return []council.Rate{
		{Provider: provider, Model: "m-1", AsOf: "2026-02-01", Source: "https://prices.example", Input: 1,
			Cached: &tenth, Output: 5},
	}
}

func reportOf(t *testing.T, s *scribe) (SessionFile, map[string][]byte) {
	t.Helper()
	files := check.Get(Artifacts(s.log))(t)
	check.OK(t, schemas.Validate("session", files[FileSession]))
	var f SessionFile
	check.OK(t, json.Unmarshal(files[FileSession], &f))
	return f, files
}

func TestCost_UnknownIsNull(t *testing.T) {
	s := priced(rates(providerOf(approved()))...)
	f, files := reportOf(t, s)
	cost := f.Usage.Cost
	if cost == nil || cost.PricesAsOf != "2026-02-01" || cost.Members[0].Cost == nil || *cost.Members[0].Cost <= 0 ||
		cost.Members[2].Cost != nil ||
		cost.Total != nil {
		t.Fatalf("the cost is %+v", cost)
	}
	check.That(t, strings.Contains(string(files[FileSession]), `"cost": null`) &&
		strings.Contains(string(files[FileSession]), `"total": null`), "what is unknown is not null")
	for _, file := range []string{FileTranscript, FileSummary} {
		if text := string(files[file]); !strings.Contains(text,
			"and what Marie Curie took, of which the cost is not known") ||
			!strings.Contains(text, "read on 2026-02-01 or later") {
			t.Errorf("%s does not say what is unknown", file)
		}
	}
	if text := string(files[FileTranscript]); !strings.Contains(text, "| Reasoning |") ||
		!strings.Contains(text, "| unknown |") ||
		!strings.Contains(text, "| 1,000 |") {
		t.Error("the minutes have no column for reasoning or cost")
	}
	check.Is(t, "tokens of reasoning", 1_000, f.Usage.Total.ReasoningTokens)
}

func TestCost_TotalIsTheSum(t *testing.T) {
	s := priced(
		append(rates(providerOf(approved())), council.Rate{Provider: "command", Model: "*", AsOf: "2026-02-01"})...)
	f, _ := reportOf(t, s)
	sum := 0.0
	for _, m := range f.Usage.Cost.Members {
		sum += *m.Cost
	}
	if total := f.Usage.Cost.Total; total == nil || *f.Usage.Cost.Members[2].Cost != 0 || *total-sum > 2e-6 ||
		sum-*total > 2e-6 {
		t.Errorf("the total is %v, the sum %v", total, sum)
	}
}

// A transcript showed a program of the user's own like any other model.
func TestTranscript_NamesUnknownsOfAProgram(t *testing.T) {
	s := approved()
	started := s.log[0].Payload.(council.SessionStarted)
	started.Charter.Members[2].Model = council.Model{Provider: "command", Model: "clerk", Command: []string{"./clerk"}}
	s.log[0].Payload = started
	_, files := reportOf(t, s)
	const words = "| command, clerk (a program of its own: which tools it uses, what it costs and whether it " +
		"remembers is unknown) |"
	text := string(files[FileTranscript])
	check.That(t, strings.Count(text, words) == 1, "it does not say so of Marie Curie alone:\n%.2000s", text)
}

func providerOf(s *scribe) string {
	return s.log[0].Payload.(council.SessionStarted).Charter.Members[0].Model.Provider
}

func TestCost_NamesACutPrompt(t *testing.T) {
	s := &session{}
	note := func(p council.Payload) {
		s.take(wire.Entry{Event: council.Event{Seq: council.Seq(len(s.Events) + 1), Actor: "ada", Payload: p}})
	}
	note(council.SessionStarted{Charter: council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}}}})
	for i, tokens := range []int64{2_000, 3_900, 3_100, 3_000} {
		note(council.TurnPassed{Answered: council.Answered{Ask: "p1.r1.t1.turn.ada",
			Usage: council.Usage{Calls: 1, PromptBytes: int64(i+1) * 9_000, InputTokens: tokens}}})
	}
	const want = "The server of Ada seems to have left out a part of the prompt of e4 and of later ones: " +
		"it counted fewer tokens than such a prompt has."
	words := s.telling(s.Last()).write("cost")
	check.That(t, strings.Count(words, "The server of") == 1 && strings.Contains(words, want), "%q", words)
}
