package council

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestRate_MoneyIsSaidPlainly(t *testing.T) {
	for want, amount := range map[string]Money{
		"0.00 USD": 0, "12.35 USD": Dollars(12.345678), "0.42 USD": Dollars(0.42), "0.015 USD": Dollars(0.015),
		"0.00012 USD": Dollars(0.000123), "0.000001 USD": Dollars(0.000001), "0.10 USD": Dollars(0.1), "3.00 USD": 3 * Dollar,
		"9223372.04 USD": Dollars(1e300),
	} {
		check.Is(t, fmt.Sprint(int64(amount)), want, amount.String())
	}
}

func TestRate_MoneyDoesNotOverflow(t *testing.T) {
	p := Rate{Input: maxPerMillion, Output: maxPerMillion}
	cost, known := p.Cost(Usage{InputTokens: 1 << 40, OutputTokens: 1 << 40})
	check.That(t, cost == math.MaxInt64 && known, "it costs %d", cost)
}

func TestRate_EveryKindOfTokenHasItsPrice(t *testing.T) {
	half, double, none := 0.5, 2.0, 0.0
	tokens := Usage{InputTokens: 1, CachedTokens: 10, CacheWriteTokens: 100, OutputTokens: 1_000, ReasoningTokens: 10_000}
	for name, test := range map[string]struct {
		price Rate
		want  Money // in millionths of a cent a token
	}{
		"all given": {Rate{Input: 1, Cached: &half, CacheWrite: &double, Output: 4, Reasoning: &none},
			1 + 5 + 200 + 4_000},
		"what is left out": {Rate{Input: 1, Output: 4}, 111 + 44_000},
		"free":             {Rate{}, 0},
	} {
		got, known := test.price.Cost(tokens)
		if got != test.want*1e6 || !known {
			t.Errorf("%s: %d, want %d", name, got, test.want*1e6)
		}
	}
}

func TestRate_TheClosestPriceCounts(t *testing.T) {
	price := func(provider, model, server string, input float64) Rate {
		return Rate{Provider: provider, Model: model, Server: server, Input: input}
	}
	prices := []Rate{
		price("openai", "gpt-5*", "", 1), price("openai", "gpt-5", "api.openai.com", 2), price("openai", "gpt-5.4*", "", 3),
		price("openai", "gpt-5.4-mini", "", 4), price("ollama", "*", "127.0.0.1", 5), price("openai", "gpt-5", "", 6),
	}
	for _, test := range []struct {
		model PricedModel
		want  float64 // 0: none
	}{
		{PricedModel{Provider: "openai", Name: "gpt-5"}, 2},
		{PricedModel{Provider: "openai", Name: "gpt-5", Address: "https://API.openai.com/v1"}, 2},
		{PricedModel{Provider: "openai", Name: "gpt-5", Address: "https://gateway.example/v1"}, 6},
		{PricedModel{Provider: "openai", Name: "gpt-5.4"}, 3},
		{PricedModel{Provider: "openai", Name: "gpt-5.4-mini"}, 4},
		{PricedModel{Provider: "openai", Name: "gpt-5.2"}, 1},
		{PricedModel{Provider: "openai", Name: "o9"}, 0},
		{PricedModel{Provider: "anthropic", Name: "gpt-5"}, 0},
		{PricedModel{Provider: "ollama", Name: "llama", Address: "http://127.0.0.1:11434/v1"}, 5},
		{PricedModel{Provider: "ollama", Name: "llama"}, 5},
		{PricedModel{Provider: "ollama", Name: "llama", Address: "http://10.0.0.7:11434/v1"}, 0},
	} {
		got := 0.0
		if p := RateFor(prices, test.model); p != nil {
			got = p.Input
		}
		check.Is(t, fmt.Sprint(test.model), test.want, got)
	}
}

func TestRate_ABadPriceIsNamedByItsField(t *testing.T) {
	good := Rate{Provider: "p", Model: "m", AsOf: "2026-11-21"}
	if found := good.Problems(); found != nil {
		t.Error(found)
	}
	less := -1.0
	for field, spoil := range map[string]func(*Rate){
		"provider":  func(r *Rate) { r.Provider = "" },
		"model":     func(r *Rate) { r.Model = "" },
		"asOf":      func(r *Rate) { r.AsOf = "" },
		"until":     func(r *Rate) { r.Until = "soon" },
		"input":     func(r *Rate) { r.Input = math.NaN() },
		"cached":    func(r *Rate) { r.Cached = &less },
		"output":    func(r *Rate) { r.Output = math.Inf(1) },
		"maxPrompt": func(r *Rate) { r.MaxPrompt = -1 },
	} {
		bad := good
		spoil(&bad)
		found := bad.Problems()
		check.That(t, len(found) == 1 && found[0].Field == field, "%s: %v", field, found)
	}
}

func TestRate_APriceThatNeverHoldsIsNamed(t *testing.T) {
	good := Rate{Provider: "p", Model: "m*", AsOf: "2026-11-21"}
	for _, sound := range []func(*Rate){
		func(r *Rate) { r.Server = "[::1]" },
		func(r *Rate) { r.Server = "gpu-1.internal" },
		func(r *Rate) { r.From, r.Until = "2026-11-21", "2026-11-21" },
	} {
		r := good
		if sound(&r); r.Idle() != nil {
			t.Errorf("%+v: %v", r, r.Idle())
		}
	}
	for name, spoil := range map[string]func(*Rate){
		"from, of no month":       func(r *Rate) { r.From = "2026-13-01" },
		"until, before from":      func(r *Rate) { r.From, r.Until = "2026-11-21", "2026-11-20" },
		"provider, of all":        func(r *Rate) { r.Provider = "*" },
		"model, with a * within":  func(r *Rate) { r.Model = "gpt-*-mini" },
		"server, with an address": func(r *Rate) { r.Server = "https://llm.example.org/v1" },
		"server, with a port":     func(r *Rate) { r.Server = "llm.example.org:8000" },
	} {
		field, _, _ := strings.Cut(name, ",")
		bad := good
		spoil(&bad)
		found := bad.Idle()
		check.That(t, len(found) == 1 && found[0].Field == field && bad.Problems() == nil, "%s: %v", name, found)
	}
}
