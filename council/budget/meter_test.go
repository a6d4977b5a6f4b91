package budget_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/internal/check"
)

func meter() (*budget.Meter, *council.Charter) {
	c := &council.Charter{Members: []council.Member{
		{ID: "ada", Model: council.Model{Provider: "p", Model: "m"}},
		{ID: "bob", Model: council.Model{Provider: "p", Model: "m", MaxTokens: 50}},
		{ID: "cyn", Model: council.Model{Provider: "p", Model: "other"}},
		{ID: "kim", Model: council.Model{Provider: "human"}},
	}}
	return budget.NewMeter(c), c
}

func TestAnUnknownModelTakesATokenForThreeBytes(t *testing.T) {
	m, _ := meter()
	for id, want := range map[council.MemberID]council.Usage{
		"ada":    {Calls: 1, PromptBytes: 3_001, InputTokens: 1_001, OutputTokens: 150},
		"bob":    {Calls: 1, PromptBytes: 3_001, InputTokens: 1_001, OutputTokens: 50}, // it can write no more
		"kim":    {},
		"nobody": {},
	} {
		check.Equal(t, id, want, m.Estimate(id, council.AskBallot, 3_001))
	}
}

func TestAModelTeachesItsRateItsSharesAndItsLengths(t *testing.T) {
	m, _ := meter()
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 1, PromptBytes: 4_000, InputTokens: 100, CachedTokens: 800,
		CacheWriteTokens: 100, OutputTokens: 1_000, ReasoningTokens: 200})
	// 500 each
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 2, PromptBytes: 4_000, InputTokens: 100, CachedTokens: 800,
		CacheWriteTokens: 100, OutputTokens: 1_000})
	m.Learn("bob", council.AskTurn, council.Usage{Calls: 1}) // it did not say
	want := council.Usage{Calls: 1, PromptBytes: 8_000, InputTokens: 200, CachedTokens: 1_600, CacheWriteTokens: 200,
		OutputTokens: 1_200}
	check.Equal(t, "it", want, m.Estimate("ada", council.AskTurn, 8_000))
	// It wrote 2,200 tokens where 750 were assumed: of a ballot 440 are expected, and not 150.
	check.Is(t, "a ballot of tokens", 440, m.Estimate("ada", council.AskBallot, 8_000).OutputTokens)
	if got := m.Estimate("cyn", council.AskTurn, 8_000); got.InputTokens != 2_667 || got.OutputTokens != 250 {
		t.Errorf("another model learnt it too: %+v", got)
	}
}

func TestOldLogsWithoutBytesTeachLengthsAlone(t *testing.T) {
	m, _ := meter()
	m.Learn("ada", council.AskBallot, council.Usage{Calls: 1, InputTokens: 1 << 40, OutputTokens: 70})
	if got := m.Estimate("ada", council.AskBallot, 300); got.InputTokens != 100 || got.OutputTokens != 70 {
		t.Errorf("got %+v", got)
	}
}

func TestAbsurdReportsDoNotOverflow(t *testing.T) {
	m, _ := meter()
	m.Learn("ada", council.AskTurn, council.Usage{Calls: 1, PromptBytes: 1, InputTokens: 1 << 40, OutputTokens: 1})
	if got := m.Estimate("ada", council.AskTurn, 1<<40).InputTokens; got <= 0 {
		t.Errorf("%d tokens", got)
	}
}
