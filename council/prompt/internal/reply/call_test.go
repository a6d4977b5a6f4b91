package reply

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

func TestCall_IsNotAnAnswer(t *testing.T) {
	const call = `{"tool": "workspace.read", "arguments": {"path": "a.md", "from": 2}}`
	want := council.ToolCall{Tool: "workspace.read", Arguments: `{"from":2,"path":"a.md"}`}
	for _, test := range []struct {
		name, ask, text string
		want            council.ToolCall // empty: it is not a call
	}{
		{"alone", "turn", call, want},
		{"in prose", "turn", "Let me look.\n" + call, want},
		{"in a fence", "turn", "```json\n" + call + "\n```", want},
		{"after reasoning", "turn", "<think>{\"tool\": \"x\"}</think>" + call, want},
		{"without arguments", "turn", `{"tool": "workspace.list"}`,
			council.ToolCall{Tool: "workspace.list", Arguments: "{}"}},
		{"with HTML", "turn", `{"tool": "s", "arguments": {"q": "<a&b>"}}`,
			council.ToolCall{Tool: "s", Arguments: `{"q":"<a&b>"}`}},
		{"instead of a document", "draft", call, want},
		{"instead of a document, in a fence", "draft", "```\n" + call + "\n```", want},
		{"in a document", "draft", "# Tools\n\nCall them so:\n\n" + call, council.ToolCall{}},
		{"beside an answer", "turn", call + ` {"action": "PASS", "reason": "Done."}`, council.ToolCall{}},
		{"twice", "turn", call + call, council.ToolCall{}},
		{"within an answer", "turn", `{"action": "CONTRIBUTE", "message": "{\"tool\": \"x\", \"arguments\": {}}"}`,
			council.ToolCall{}},
		{"with a field more", "turn", `{"tool": "x", "arguments": {}, "action": "PASS"}`, council.ToolCall{}},
		{"without a name", "turn", `{"tool": " ", "arguments": {}}`, council.ToolCall{}},
		{"with arguments that are none", "turn", `{"tool": "x", "arguments": [1]}`, council.ToolCall{}},
		{"with arguments without end", "turn",
			`{"tool": "x", "arguments": {"q": "` + strings.Repeat("a", maxArguments) + `"}}`, council.ToolCall{}},
		{"an answer", "turn", `{"action": "PASS", "reason": "Done."}`, council.ToolCall{}},
		{"nothing", "turn", "", council.ToolCall{}},
		{"no beginning", "draft", "} # T", council.ToolCall{}},
		{"with the fields of an answer left empty", "turn",
			`{"tool": "x", "arguments": "{\"q\": 1}", "action": null, "message": ""}`,
			council.ToolCall{Tool: "x", Arguments: `{"q":1}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := viewOf(test.ask)
			got, ok := Call(v, test.text)
			if ok != (test.want != council.ToolCall{}) || ok && got != test.want {
				t.Errorf("%+v, %v", got, ok)
			}
			if ok && v.Ask.Kind != council.AskDraft {
				if _, err := Parse(v, test.text); err == nil {
					t.Error("it is an answer too")
				}
			}
		})
	}
}

// Whatever a member writes, a call has a name and arguments that are bounded, on one line.
func FuzzCall(f *testing.F) {
	f.Add(`{"tool": "workspace.list", "arguments": {"path": "a\nb"}}`)
	f.Add("```json\n{\"tool\":\"x\"}\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, ask := range []string{"turn", "draft"} {
			if c, ok := Call(viewOf(ask), text); ok &&
				(c.Tool == "" || len(c.Arguments) > maxArguments || strings.ContainsAny(c.Text(), "\n\x1b")) {
				t.Fatalf("%+v", c)
			}
		}
	})
}
