package minutes

import (
	"fmt"
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// Who stood in for a model that never answered counts among those that did.
func TestDiversityCountsWhoAlwaysStoodIn(t *testing.T) {
	var s Minutes
	take := func(who council.MemberID, p council.Payload) {
		s.Take(council.Event{Actor: who, Payload: p}, Recorded{})
	}
	take("", council.SessionStarted{Charter: council.Charter{Members: []council.Member{
		{
			ID: "ada",
			Model: council.Model{
				Provider:  "openai",
				Model:     "gpt-5.4",
				Fallbacks: []council.Model{{Provider: "ollama", Model: "qwen3"}},
			},
		},
		{ID: "bob", Model: council.Model{Provider: "anthropic", Model: "claude-sonnet-5-5"}},
	}}})
	said := func(ask council.AskID, u council.Usage) council.Payload {
		return council.TurnPassed{Answered: council.Answered{Ask: ask, Usage: u}}
	}
	take("ada", said("p1.r1.t1.turn.ada", council.Usage{Provider: "ollama", Model: "qwen3:8b", Calls: 1}))
	take("bob", said("p1.r1.t2.turn.bob", council.Usage{Model: "claude-sonnet-5-5", Calls: 1}))
	d := s.Diversity()
	if d.Reported.Models != 2 || !slices.Equal(d.Reported.Families, []string{"claude", "qwen"}) ||
		!slices.Equal(d.Families, []string{"claude", "gpt"}) {
		t.Errorf("%+v", d)
	}
}

func TestAPromptThatItsServerCutIsOnTheRecord(t *testing.T) {
	var s Minutes
	s.Take(
		council.Event{Payload: council.SessionStarted{Charter: council.Charter{Members: []council.Member{{ID: "ada"}}}}},
		Recorded{},
	)
	for i, tokens := range []int64{2_000, 3_900, 3_100, 3_000} {
		s.Take(council.Event{Seq: council.Seq(i + 2), Actor: "ada", Payload: council.TurnPassed{Answered: council.Answered{
			Ask: "p1.r1.t1.turn.ada", Usage: council.Usage{Calls: 1, PromptBytes: int64(i+1) * 9_000,
				InputTokens: tokens}}}}, Recorded{})
	}
	check.Is(t, "it", "e4", s.PromptCut("ada"))
}

// A chat template that leaves out the messages is seen at the first answer.
func TestAPromptThatItsServerLostIsNoticedAtOnce(t *testing.T) {
	var p Prompts
	for tokens, want := range map[int64]bool{3: true, 24: true, 25: false, 300: false, 0: false} {
		u := council.Usage{Calls: 1, PromptBytes: 1_000, InputTokens: tokens}
		if got := p.NoteUsage(council.MemberID(fmt.Sprint("m", tokens)), "position.ada", u); got != want {
			t.Errorf("%d tokens of 1,000 bytes: want %t, got %t", tokens, want, got)
		}
	}
}
