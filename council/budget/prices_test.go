package budget

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestPrices_TheBuiltInTableIsSourced(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range BuiltInPrices() {
		name := p.Provider + "/" + p.Model + " at " + p.Server + " from " + p.From
		check.That(t, !seen[name], "%s has two prices", name)
		seen[name] = true
		check.That(t, p.Source != "", "%s has no source", name)
		if !p.Free() && (p.Server == "" || !strings.HasPrefix(p.Source, "https://")) {
			t.Errorf("%s is billed by nobody in particular, or was read nowhere: %+v", name, p)
		}
	}
}

func TestPrices_ATableIsReadStrictly(t *testing.T) {
	for name, doc := range map[string]string{
		"nothing":             ``,
		"another shape":       `[]`,
		"an unknown field":    `{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": 1, "ouput": 1}]}`,
		"something after":     `{"prices": []} {"prices": []}`,
		"a negative price":    `{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": -1, "output": 1}]}`,
		"no price of a reply": `{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": 1}]}`,
		"a price of no day":   `{"prices": [{"provider": "p", "model": "m", "input": 1, "output": 1}]}`,
		"too many": `{"prices": [` + strings.Repeat(`{"provider": "p"},`, council.MaxRates) +
			`{"provider": "p"}]}`,
		"a novel": strings.Repeat(" ", MaxPricesSize) + `{}`,
	} {
		check.Fails(t, name, check.Err(ParsePrices("prices.json", doc)), "prices.json")
	}
}

func of(model string, input float64, change ...func(*council.Rate)) council.Rate {
	r := council.Rate{Provider: "openai", Model: model, AsOf: "2026-11-21", Input: input}
	for _, c := range change {
		c(&r)
	}
	return r
}

func TestPrices_WhatCountsIsKeptAndNothingElse(t *testing.T) {
	want := map[string]float64{"own": 1, "edited-mini": 2, "edited-max": 2, "known": 3, "dated": 4, "nobody-knows": 0}
	var models []council.PricedModel
	for _, name := range []string{"own", "edited-mini", "edited-max", "known", "dated", "nobody-knows"} {
		models = append(models, council.PricedModel{Provider: "openai", Name: name})
	}
	got := SelectPrices(models, "2026-11-21",
		[]council.Rate{of("own", 1), of("unused", 1)},
		[]council.Rate{of("own", 9), of("edited-*", 2)},
		[]council.Rate{
			of("edited-mini", 9), of("known", 3),
			of("dated", 9, func(r *council.Rate) { r.Until = "2026-11-20" }),
			of("dated", 4, func(r *council.Rate) { r.From = "2026-11-21" }),
			of("dated", 9, func(r *council.Rate) { r.From = "2026-11-22" }),
		})
	for _, m := range models {
		if r := council.RateFor(got, m); r == nil && want[m.Name] != 0 || r != nil && r.Input != want[m.Name] {
			t.Errorf("%s costs %+v, want %v", m.Name, r, want[m.Name])
		}
	}
	check.Is(t, "prices that are kept", 4, len(got))
}

func TestPrices_APriceThatIsLeftOutIsNotNothing(t *testing.T) {
	_, err := ParsePrices("prices.json",
		`{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "output": 1}]}`)
	check.Fails(t, "it", err, "prices.json: /prices/0/input: it is missing; write 0 if they cost nothing")
	table, err := ParsePrices("prices.json",
		`{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": 0, "output": 1.5}]}`)
	check.That(t, err == nil && table[0].Input == 0 && table[0].Output == 1.5, "%+v, %v", table, err)
}

func TestPrices_WhatIsWrongWithATableIsSaidPlainly(t *testing.T) {
	for doc, want := range map[string]string{
		`[]`:            `prices.json is not a table of prices: it must be an object, such as {"prices": []}`,
		`{"price": []}`: `prices.json is not a table of prices: unknown field "price"`,
		`{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": "1", "output": 1}]}`: `/input must be another kind of value than a string`,
		"{\"prices\": [] // mine\n}": `it is not JSON (comments are not read here)`,
		`{"prices": [`:               `it is not JSON`,
	} {
		check.Fails(t, doc, check.Err(ParsePrices("prices.json", doc)), want)
	}
	marked := "\ufeff" + `{"prices": [{"provider": "p", "model": "m", "asOf": "2026-11-21", "input": 1, "output": 1}]}`
	check.Is(t, "prices, with a byte order mark", 1, len(check.Get(ParsePrices("prices.json", marked))(t)))
}
