package endpoint

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/schemas"
)

// filled returns a value that meets a downlevelled schema: with every property that may be null as null, or as
// something. Of an enum it takes the nth word.
func filled(schema gjson.Result, null bool, nth int) any {
	kind := schema.Get("type")
	if enum := schema.Get("enum").Array(); len(enum) > 0 {
		return enum[nth%len(enum)].Value()
	}
	if kind.IsArray() {
		if null {
			return nil
		}
		kind = kind.Array()[0]
	}
	switch kind.String() {
	case "object":
		object := map[string]any{}
		schema.Get("properties").ForEach(func(name, p gjson.Result) bool {
			object[name.String()] = filled(p, null, nth)
			return true
		})
		return object
	case "array":
		return []any{filled(schema.Get("items"), null, nth)}
	case "boolean":
		return nth%2 == 0
	case "number":
		return 0.5
	}
	return "ada"
}

// A provider that wants every property named makes a model fill those of all actions: none of that is refused, and
// neither is a call where calls are left.
func TestWhatMeetsASchemaThatIsSentIsUsable(t *testing.T) {
	charter := &council.Charter{Members: []council.Member{{ID: "ada", Name: "Ada"}, {ID: "bob", Name: "Bob"}}}
	for _, kind := range council.AskKinds() {
		schema, ok := schemas.Get("reply." + string(kind))
		if !ok {
			continue
		}
		v := council.View{Ask: council.Ask{Kind: kind, Member: "ada"}, Charter: charter}
		if kind == council.AskRank {
			v.Motion = &council.Motion{Options: []string{"ada", "bob"}}
		}
		for _, c := range []prompt.Contract{{Schema: schema}, {Schema: schema, OrCall: true}} {
			sent := downlevel(&c, true)
			for nth := range 3 {
				object := filled(gjson.ParseBytes(sent), false, nth).(map[string]any)
				delete(object, "tool")
				delete(object, "arguments")
				parsed(t, v, object)
				if !c.OrCall {
					continue
				}
				object = filled(gjson.ParseBytes(sent), true, nth).(map[string]any)
				for name := range object {
					object[name] = nil
				}
				object["tool"], object["arguments"] = "workspace.read", `{"path": "a.md"}`
				text, _ := json.Marshal(object)
				if call, ok := prompt.Call(v, string(text)); !ok || call.Arguments != `{"path":"a.md"}` {
					t.Errorf("%s: %s is not a call: %+v", kind, text, call)
				}
			}
		}
	}
}

func parsed(t *testing.T, v council.View, object map[string]any) {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	body, err := prompt.Parse(v, string(text))
	if err != nil {
		t.Errorf("%s: %s: %v", v.Ask.Kind, text, err)
	}
	if turn, ok := body.(council.Turn); ok && turn.Action == council.ActionPass &&
		strings.Contains(prompt.Text(turn), "motion") {
		t.Errorf("a pass took the fields of a motion: %+v", turn)
	}
}
