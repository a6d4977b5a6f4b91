package form_test

import (
	"fmt"
	"testing"

	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

func TestSchema_EachDialect(t *testing.T) {
	say := form.Form{{Name: "action", Type: form.Text, May: []string{"SAY"}},
		{Name: "words", Type: form.Text, Says: "your \"words\"", Words: 3}}
	pass := form.Form{{Name: "action", Type: form.Text, May: []string{"PASS"}}}
	for _, test := range []struct {
		name                   string
		forms                  []form.Form
		orCall                 bool
		plain, strict, grammar string
	}{
		{
			name: "lengths, counts and shares are for a grammar alone",
			forms: []form.Form{{{Name: "z", Type: form.Number, Says: "how sure"},
				{Name: "a", Type: form.Texts, Says: "a line", Words: 2, AtLeast: 1, Entries: 4},
				{Name: "m", Type: form.Text, Words: 500, Empty: true}}},
			plain:   `{"type":"object","properties":{"z":{"type":"number"},"a":{"type":"array","items":{"type":"string"}},"m":{"type":"string"}},"required":["z","a","m"],"additionalProperties":false}`,
			strict:  `{"type":"object","properties":{"z":{"type":"number"},"a":{"type":"array","items":{"type":"string"}},"m":{"type":"string"}},"required":["z","a","m"],"additionalProperties":false}`,
			grammar: `{"type":"object","properties":{"z":{"type":"number","description":"how sure","enum":[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]},"a":{"type":"array","items":{"type":"string","minLength":1,"maxLength":400},"minItems":1,"maxItems":4},"m":{"type":"string","maxLength":1900}},"required":["z","a","m"],"additionalProperties":false}`,
		},
		{
			name:    "several forms become one, but for a grammar",
			forms:   []form.Form{say, pass},
			plain:   `{"type":"object","properties":{"action":{"type":"string","enum":["SAY","PASS"]},"words":{"type":"string"}},"required":["action"],"additionalProperties":false}`,
			strict:  `{"type":"object","properties":{"action":{"type":"string","enum":["SAY","PASS"]},"words":{"type":["string","null"]}},"required":["action","words"],"additionalProperties":false}`,
			grammar: `{"anyOf":[{"type":"object","properties":{"action":{"type":"string","enum":["SAY"]},"words":{"type":"string","description":"your \"words\"","minLength":1,"maxLength":400}},"required":["action","words"],"additionalProperties":false},{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]}},"required":["action"],"additionalProperties":false}]}`,
		},
		{
			name: "objects within", forms: []form.Form{{{Name: "list", Type: form.Objects, Entries: 2, Of: []form.Form{pass}},
				{Name: "one", Type: form.Object, Of: []form.Form{{{Name: "yes", Type: form.Flag}}}}}},
			plain:   `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]}},"required":["action"],"additionalProperties":false}},"one":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}},"required":["list","one"],"additionalProperties":false}`,
			strict:  `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]}},"required":["action"],"additionalProperties":false}},"one":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}},"required":["list","one"],"additionalProperties":false}`,
			grammar: `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]}},"required":["action"],"additionalProperties":false},"maxItems":2},"one":{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}},"required":["list","one"],"additionalProperties":false}`,
		},
		{
			name: "a call of a tool", forms: []form.Form{pass}, orCall: true,
			plain:   `{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]},"tool":{"type":"string"},"arguments":{"type":"string"}},"required":[],"additionalProperties":false}`,
			strict:  `{"type":"object","properties":{"action":{"type":["string","null"],"enum":["PASS",null]},"tool":{"type":["string","null"]},"arguments":{"type":["string","null"]}},"required":["action","tool","arguments"],"additionalProperties":false}`,
			grammar: `{"type":"object","properties":{"action":{"type":"string","enum":["PASS"]},"tool":{"type":"string","description":"instead of an answer: the tool to call","minLength":1},"arguments":{"type":"string","description":"the arguments of the call, as a JSON object in a text","minLength":1}},"required":[],"additionalProperties":false}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for dialect, want := range map[form.Dialect]string{
				form.Plain: test.plain, form.Strict: test.strict, form.Grammar: test.grammar} {
				check.Equal(t, fmt.Sprintf("dialect %d, -want +got", dialect), want,
					string(form.Schema(test.forms, test.orCall, dialect)))
			}
		})
	}
}

func TestShow_DescribesEachValue(t *testing.T) {
	forms := []form.Form{
		{{Name: "action", Type: form.Text, May: []string{"PASS"}}, {Name: "why", Type: form.Text, Says: "why", Words: 90},
			{Name: "sure", Type: form.Flag, May: []string{"true"}}},
		{{Name: "a", Type: form.Texts, Says: "a line"}, {Name: "b", Type: form.Number, Says: "0 to 1"},
			{Name: "c", Type: form.Text, Says: "text", Empty: true}, {Name: "d", Type: form.Objects, Of: []form.Form{
				{{Name: "e", Type: form.Text, Says: "e"}}, {{Name: "f", Type: form.Text, Says: "f"}}}},
			{Name: "g", Type: form.Flag, Says: "true or false"}},
	}
	want := `{"action": "PASS", "why": <why, at most 90 words>, "sure": true}
or {
  "a": [<a line>],
  "b": <0 to 1>,
  "c": <text, or nothing>,
  "d": [{"e": <e>} or {"f": <f>}],
  "g": <true or false>
}`
	check.Equal(t, "-want +got", want, form.Show(forms))
}

func TestCopied_ADescriptionIsNoAnswer(t *testing.T) {
	forms := []form.Form{{{Name: "rationale", Type: form.Text, Says: "your strongest reason", Words: 80},
		{Name: "risks", Type: form.Objects, Of: []form.Form{{{Name: "risk", Type: form.Text, Says: "what may go wrong"},
			{Name: "id", Type: form.Text, Says: "b1"}}}}}}
	const strongest = "your strongest reason, at most 80 words"
	for answer, want := range map[string]string{
		`{"rationale": "your strongest reason", "risks": []}`:                           strongest,
		`{"rationale": "Your strongest reason, at most 80 words.", "risks": []}`:        strongest,
		`{"rationale": "It is cheap.", "risks": [{"risk": "What may go wrong>"}]}`:      "what may go wrong",
		`{"rationale": "<your strongest reason, at most 80 words>,", "risks": []}`:      strongest,
		`{"rationale": "strongest reason, at most", "risks": []}`:                       strongest,
		`{"rationale": "My strongest reason is the cost.", "risks": [{"id":"b1"}]}`:     "",
		`{"rationale": "your strongest reason is wrong", "risks": []}`:                  "",
		`{"rationale": "<it is your strongest reason to vote", "risks": []}`:            "your strongest reason",
		`{"rationale": "Your own strongest reason, at most 80 words> },", "risks": []}`: strongest,
		`{"rationale": "Use at most 80 words.", "risks": []}`:                           "",
		`{"rationale": "<b>My</b> strongest reason is cost.", "risks": []}`:             "",
	} {
		check.Is(t, answer, want, form.CopiedDescription(forms, answer))
	}
}
