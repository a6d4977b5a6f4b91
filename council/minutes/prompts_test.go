package minutes

import (
	"testing"

	"github.com/council-engine/council/council"
)

// An Ollama with a context of 4,096 tokens leaves out the oldest messages, so that its count falls while the prompt
// grows.
func TestACountThatFallsWhileThePromptGrowsIsNoticedOnce(t *testing.T) {
	use := func(bytes, tokens int64) council.Usage {
		return council.Usage{Model: "llama", Calls: 1, PromptBytes: bytes, InputTokens: tokens}
	}
	ask := func(kind council.AskKind) council.AskID { return council.AskID("p1.r1.t1." + string(kind) + ".ada") }
	other := func(u council.Usage, change func(*council.Usage)) council.Usage { change(&u); return u }
	for _, test := range []struct {
		name   string
		usages []council.Usage
		at     int // which of them is noticed; -1: none
	}{
		{"it grows", []council.Usage{use(9_000, 2_000), use(12_000, 2_700), use(16_000, 3_600)}, -1},
		{"it is cut", []council.Usage{use(9_000, 2_000), use(16_000, 3_900), use(18_000, 3_100), use(20_000, 3_000)}, 2},
		{"it starts anew from a digest", []council.Usage{use(16_000, 3_900), use(9_000, 2_000)}, -1},
		{"another model", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Model = "qwen" })}, -1},
		{"one that stood in", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Provider = "ollama" })}, -1},
		{"several calls", []council.Usage{use(9_000, 2_000), other(use(12_000, 1_800),
			func(u *council.Usage) { u.Calls = 2 })}, -1},
		{"the cache counts too", []council.Usage{use(9_000, 2_000), other(use(12_000, 700),
			func(u *council.Usage) { u.CachedTokens = 2_000 })}, -1},
		{"not counted", []council.Usage{use(9_000, 2_000), use(12_000, 0), use(0, 9)}, -1},
	} {
		var p Prompts
		for i, u := range test.usages {
			if got := p.NoteUsage("ada", ask(council.AskTurn), u); got != (i == test.at) {
				t.Errorf("%s: at %d: %t", test.name, i, got)
			}
		}
	}
	t.Run("a gateway that counts the schema of the reply", func(t *testing.T) {
		var p Prompts
		for _, answer := range []struct {
			kind    council.AskKind
			usage   council.Usage
			noticed bool
		}{
			{council.AskSummary, use(9_000, 3_900), false},
			{council.AskDraft, use(9_100, 2_100), false}, // asked for without a schema
			{council.AskBallot, use(9_200, 2_300), false},
			{council.AskDraft, use(9_300, 2_000), true},
		} {
			if got := p.NoteUsage("ada", ask(answer.kind), answer.usage); got != answer.noticed {
				t.Errorf("%s: noticed %t, want %t", answer.kind, got, answer.noticed)
			}
		}
	})
}
