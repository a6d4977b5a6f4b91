package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/schemas"
)

func TestDownlevel(t *testing.T) {
	tests := []struct {
		name, schema, loose, strict string
	}{
		{
			"keywords that providers do not take are dropped",
			`{"$schema":"x","$id":"mem://x","title":"T","description":"d","type":"object","additionalProperties":false,"required":["b"],
			 "properties":{"b":{"type":"string","minLength":1,"pattern":"\\S","description":"say \"b\""}}}`,
			`{"type":"object","description":"d","properties":{"b":{"type":"string","description":"say \"b\""}},"required":["b"],"additionalProperties":false}`,
			`{"type":"object","description":"d","properties":{"b":{"type":"string","description":"say \"b\""}},"required":["b"],"additionalProperties":false}`,
		},
		{
			"what is optional is nullable where all must be required, and the order stays",
			`{"type":"object","required":["z"],"properties":{"z":{"type":"number","minimum":0},"a":{"enum":["X","Y"]},"m":{"type":"array","maxItems":3,"items":{"type":"boolean"}}}}`,
			`{"type":"object","properties":{"z":{"type":"number"},"a":{"type":"string","enum":["X","Y"]},"m":{"type":"array","items":{"type":"boolean"}}},"required":["z"],"additionalProperties":false}`,
			`{"type":"object","properties":{"z":{"type":"number"},"a":{"type":["string","null"],"enum":["X","Y",null]},"m":{"type":["array","null"],"items":{"type":"boolean"}}},"required":["z","a","m"],"additionalProperties":false}`,
		},
		{
			"several objects become one",
			`{"oneOf":[{"type":"object","required":["action","say"],"properties":{"action":{"const":"SAY"},"say":{"type":"string"}}},
			 {"type":"object","required":["action"],"properties":{"action":{"const":"PASS"},"why":{"type":"string"}}}]}`,
			`{"type":"object","properties":{"action":{"type":"string","enum":["SAY","PASS"]},"say":{"type":"string"},"why":{"type":"string"}},"required":["action"],"additionalProperties":false}`,
			`{"type":"object","properties":{"action":{"type":"string","enum":["SAY","PASS"]},"say":{"type":["string","null"]},"why":{"type":["string","null"]}},"required":["action","say","why"],"additionalProperties":false}`,
		},
		{
			"definitions are put where they are meant",
			`{"type":"object","required":["l"],"properties":{"l":{"$ref":"#/$defs/lines","minItems":1}},"$defs":{"lines":{"type":"array","items":{"type":"string"}}}}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}},"required":["l"],"additionalProperties":false}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}},"required":["l"],"additionalProperties":false}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, dialect := range []struct {
				strict bool
				want   string
			}{{false, test.loose}, {true, test.strict}} {
				got := downlevel(&prompt.Contract{Schema: json.RawMessage(test.schema)}, dialect.strict)
				if diff := cmp.Diff(dialect.want, string(got)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// unsupported are keywords that at least one provider refuses a request for.
var unsupported = []string{"oneOf", "allOf", "not", "if", "then", "else", "const", "minLength", "maxLength",
	"pattern", "format",
	"minimum", "maximum", "minItems", "maxItems", "uniqueItems", "$id", "$schema", "$ref", "$defs", "title", "default"}

func TestEveryContractCanBeSent(t *testing.T) {
	sent := 0
	for _, name := range schemas.Names() {
		kind, ok := strings.CutPrefix(name, "reply.")
		if !ok {
			continue
		}
		sent++
		schema, _ := schemas.Get(name)
		for _, strict := range []bool{false, true} {
			got := downlevel(&prompt.Contract{Schema: schema}, strict)
			if !json.Valid(got) {
				t.Fatalf("%s: %s", kind, got)
			}
			walk(t, kind, gjson.ParseBytes(got), strict)
		}
	}
	if sent < len(council.AskKinds())-1 { // a draft is answered in Markdown
		t.Errorf("there are %d contracts", sent)
	}
}

func walk(t *testing.T, where string, v gjson.Result, strict bool) {
	for _, word := range unsupported {
		if v.Get(strings.ReplaceAll(word, "$", `\$`)).Exists() {
			t.Errorf("%s holds %s", where, word)
		}
	}
	properties := v.Get("properties")
	if properties.Exists() {
		if v.Get("additionalProperties").Raw != "false" {
			t.Errorf("%s takes further properties", where)
		}
		if strict && len(v.Get("required").Array()) != len(properties.Map()) {
			t.Errorf("%s has optional properties", where)
		}
	}
	properties.ForEach(func(name, p gjson.Result) bool {
		walk(t, where+"."+name.String(), p, strict)
		return true
	})
	if items := v.Get("items"); items.Exists() {
		walk(t, where+"[]", items, strict)
	}
}
