package council

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestMoney_IsWrittenExactly(t *testing.T) {
	for want, amount := range map[string]Money{"0": 0, "0.95": Dollars(0.95), "0.000000000001": 1, "12": 12 * Dollar,
		"9223372.036854775807": math.MaxInt64, "-9223372.036854775808": math.MinInt64} {
		doc := check.Get(json.Marshal(amount))(t)
		check.Is(t, "amount", want, string(doc))
		var back Money
		err := json.Unmarshal(doc, &back)
		check.That(t, err == nil && back == amount, "%s is read as %d, %v", doc, back, err)
	}
	var m Money
	for _, none := range []string{`"1"`, "1e9", "1e999999999", "0.0000000000001", "9223373",
		"0.1000000000000000000000000001"} {
		check.That(t, json.Unmarshal([]byte(none), &m) != nil, "%s is read as an amount", none)
	}
}

func TestSpell_TimesOfABudget(t *testing.T) {
	for minutes, want := range map[float64]string{
		0.13333333333333333: "8 seconds", 0.005: "0.3 seconds", 1: "60 seconds", 1.5: "90 seconds",
		2: "2 minutes", 10.25: "10.3 minutes", 120: "120 minutes",
	} {
		check.Is(t, fmt.Sprint(minutes, " minutes"), want, FormatMinutes(minutes))
	}
}

func TestFiveAnswers_CostsTopicAndDocumentsAndFivePositions(t *testing.T) {
	tenth := 0.1
	seats := func(models ...Model) *Charter {
		c := &Charter{Prices: []Rate{{Provider: "openai", Model: "m", AsOf: "2026-01-01", Input: 1, Cached: &tenth,
			Output: 10, MaxPrompt: 10_000}}}
		for i, m := range models {
			c.Members = append(c.Members, Member{ID: MemberID("m" + string(rune('1'+i))), Model: m})
		}
		return c
	}
	model, person := Model{Provider: "openai", Model: "m"}, Model{Provider: "human"}
	other := Model{Provider: "vllm", Model: "n"}
	short := Topic{Text: strings.Repeat("t", 4_000-len(answerWithReasons))}
	long := Topic{Text: short.Text, Documents: []Document{{Name: "a.md", Text: strings.Repeat("d", 3_996)}}}
	huge := Topic{Text: strings.Repeat("t", 50_000)}
	for _, tt := range []struct {
		name    string
		charter *Charter
		topic   Topic
		prompt  int64 // tokens of all five
		usd     float64
		known   bool
	}{
		{"a topic", seats(model), short, 5_000, 0.020, true},
		{"with a document", seats(model), long, 10_000, 0.025, true},
		{"a person has the first seat", seats(person, model), short, 5_000, 0.020, true},
		{"the first model has no price", seats(other, model), short, 5_000, 0, false},
		{"no model", seats(person, person), short, 5_000, 0, false},
		{"a prompt longer than the price holds for", seats(model), huge, 62_525, 0, false},
	} {
		u, cost, known := tt.charter.FiveAnswers(&tt.topic)
		check.That(t, u.InputTokens == tt.prompt && u.CachedTokens == 0 && u.OutputTokens == 1_500 && u.Calls == 5,
			"%s: %+v, want %d tokens of prompts, none of them cached, and 1,500 of replies", tt.name, u, tt.prompt)
		if known != tt.known || known && cost != Dollars(tt.usd) {
			t.Errorf("%s: %s, known: %v, want %v USD, known: %v", tt.name, cost, known, tt.usd, tt.known)
		}
	}
}
