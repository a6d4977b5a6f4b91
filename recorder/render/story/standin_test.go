package story

import (
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// Who stood in for a model that never answered counts among those that did.
func TestDiversityCountsWhoAlwaysStoodIn(t *testing.T) {
	var s Spending
	take := func(who council.MemberID, p council.Payload) {
		s.take(wire.Entry{Event: council.Event{Actor: who, Payload: p}})
	}
	take("", council.SessionStarted{Charter: council.Charter{Members: []council.Member{
		{ID: "ada", Model: council.Model{Provider: "openai", Model: "gpt-5.4", Fallbacks: []council.Model{{Provider: "ollama", Model: "qwen3"}}}},
		{ID: "bob", Model: council.Model{Provider: "anthropic", Model: "claude-sonnet-5-5"}},
	}}})
	said := func(ask council.AskID, u council.Usage) council.Payload {
		return council.TurnPassed{Answered: council.Answered{Ask: ask, Usage: u}}
	}
	take("ada", said("p1.r1.t1.turn.ada", council.Usage{Provider: "ollama", Model: "qwen3:8b", Calls: 1}))
	take("bob", said("p1.r1.t2.turn.bob", council.Usage{Model: "claude-sonnet-5-5", Calls: 1}))
	d := s.Diversity()
	if d.Reported.Models != 2 || !slices.Equal(d.Reported.Families, []string{"claude", "qwen"}) || !slices.Equal(d.Families, []string{"claude", "gpt"}) {
		t.Errorf("%+v", d)
	}
}

func TestAPromptThatItsServerCutIsOnTheRecord(t *testing.T) {
	var s Spending
	s.take(wire.Entry{Event: council.Event{Payload: council.SessionStarted{Charter: council.Charter{Members: []council.Member{{ID: "ada"}}}}}})
	for i, tokens := range []int64{2_000, 3_900, 3_100, 3_000} {
		s.take(wire.Entry{Event: council.Event{Seq: council.Seq(i + 2), Actor: "ada", Payload: council.TurnPassed{Answered: council.Answered{
			Ask: "p1.r1.t1.turn.ada", Usage: council.Usage{Calls: 1, PromptBytes: int64(i+1) * 9_000, InputTokens: tokens}}}}})
	}
	words := s.ModelWords([]council.MemberID{"ada"}, func(m council.MemberID) string { return "Ada" })
	if s.PromptCut("ada") != "e4" || len(words) != 1 || words[0] != "The server of Ada seems to have left out a part of the prompt of e4 and of later ones: it counted fewer tokens than of a shorter one before." {
		t.Errorf("%q, %q", s.PromptCut("ada"), words)
	}
}
