package endpoint_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestReply_TextIsReadWhereverItIs(t *testing.T) {
	message := func(fields, reason string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant",` + fields + `},"finish_reason":"` + reason + `"}]}`
	}
	chunk := func(delta string) string { return `data: {"choices":[{"index":0,"delta":{` + delta + "}}]}\n\n" }
	event := func(doc string) string { return "data: " + doc + "\n\n" }
	stop := ended("chat", "stop")
	called := strings.Trim(quoted(vote), `"`)
	for name, test := range map[string]struct{ api, body, want string }{
		"a message in a stream": {"chat", event(message(`"content":`+quoted(vote), "stop")) + "data: [DONE]\n\n", vote},
		"pieces, and the whole message at the end": {"chat", said("chat", vote[:12]) + said("chat", vote[12:]) +
			event(message(`"content":`+quoted(vote), "stop")), vote},
		"pieces, and all of them at the end": {"chat", said("chat", vote[:12]) + said("chat", vote[12:]) +
			said("chat", vote) + stop, vote},
		"cumulative pieces": {"chat", said("chat", vote[:1]) + said("chat", vote[:12]) + said("chat", vote[:12]) +
			said("chat", vote[:30]) + said("chat", vote) + stop, vote},
		"cumulative pieces of a response": {"responses", said("responses", vote[:9]) + said("responses", vote) +
			ended("responses", "stop"), vote},
		"equal pieces":               {"chat", strings.Repeat(said("chat", "ha "), 40) + stop, strings.Repeat("ha ", 40)},
		"a piece that begins as all": {"chat", said("chat", "#") + said("chat", "#") + said("chat", " A") + stop, "## A"},
		"parts of type output": {"chat", message(`"content":[{"type":"output","text":`+quoted(vote)+`}]`, "stop"),
			vote},
		"a part alone": {"chat", message(`"content":{"type":"text","text":`+quoted(vote)+`}`, "stop"), vote},
		"parts without types": {"chat", message(`"content":[{"text":"{\"ballot\":"},"\"YES\"}"]`, "stop"),
			`{"ballot":"YES"}`},
		"a text with a value":      {"chat", message(`"content":[{"type":"text","text":{"value":"yes"}}]`, "stop"), "yes"},
		"an object as the content": {"chat", message(`"content":`+vote, "stop"), vote},
		"thoughts among the parts": {"chat",
			message(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"no"}]},`+
				`{"type":"reasoning","text":"no"},{"type":"text","thought":true,"text":"no"},{"type":"text","text":"yes"}]`,
				"stop"),
			"yes"},
		"thoughts among streamed parts": {"chat", chunk(`"content":[{"type":"thinking","thinking":[{"text":"no"}]}]`) +
			chunk(`"content":[{"type":"text","text":"ye"}]`) + chunk(`"content":"s"`) + stop, "yes"},
		"thoughts before a response": {"responses", `{"status":"completed","output":[{"type":"reasoning","content":[` +
			`{"type":"reasoning_text","text":"no"}]},{"type":"message","content":[{"type":"output_text","text":"yes"}]}]}`, "yes"},
		"a completion": {"chat", `{"choices":[{"index":0,"text":"yes","finish_reason":"stop"}]}`, "yes"},
		"another choice": {"chat",
			`{"choices":[{"index":1,"message":{"content":"no"}},{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`,
			"yes"},
		"a call of a tool": {"chat",
			message(`"content":null,"tool_calls":[{"type":"function","function":{"name":"reply","arguments":"`+
				called+`"}}]`, "tool_calls"), vote},
		"a call behind words": {"chat", message(`"content":"I vote.","tool_calls":[{"function":{"arguments":"`+called+`"}}]`,
			"tool_calls"), vote},
		"arguments as an object": {"chat", message(`"tool_calls":[{"function":{"arguments":`+vote+`}}]`, "tool_calls"), vote},
		"a call of a function": {"chat", message(`"function_call":{"name":"reply","arguments":"`+called+`"}`,
			"function_call"), vote},
		"a call in pieces": {"chat",
			chunk(`"tool_calls":[{"index":0,"function":{"name":"reply","arguments":"{\"ballot\":"}}]`) +
				chunk(`"tool_calls":[{"index":0,"function":{"arguments":"\"YES\"}"}}]`) +
				chunk(`"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]`) + ended("chat", "tool_calls"),
			`{"ballot":"YES"}`},
		"an answer among thoughts": {"chat", message(`"content":null,"reasoning_content":`+
			quoted(`use {x}, then {"a":1}; cheap, so `+vote), "stop"), vote},
		"an answer among streamed thoughts": {"chat", chunk(`"reasoning_content":"cheap, so "`) +
			chunk(`"reasoning_content":`+quoted(vote)) + stop, vote},
		"no answer among thoughts": {"chat", message(`"content":null,"reasoning_content":`+quoted(vote+" or not"), "stop"),
			""},
		"text beside thoughts": {"chat", message(`"content":"yes","reasoning_content":`+quoted(vote), "stop"), "yes"},
		"a text in the start of a block": {"messages",
			event(`{"type":"content_block_start","content_block":{"type":"text","text":"ye"}}`) +
				said("messages", "s") + ended("messages", "end_turn"), "yes"},
		"events named outside": {"messages", "event: content_block_delta\ndata: {\"delta\":{\"text\":\"yes\"}}\n\n" +
			"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n", "yes"},
		"thoughts before a text": {"messages",
			event(`{"type":"content_block_start","content_block":{"type":"thinking","thinking":"no"}}`) +
				event(`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":" no"}}`) +
				said("messages", "yes") + ended("messages", "end_turn"), "yes"},
		"a tool of a message": {"messages",
			event(`{"type":"content_block_start","content_block":{"type":"tool_use","input":{}}}`) +
				event(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"ballot\":"}}`) +
				event(`{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"\"YES\"}"}}`) +
				ended("messages", "tool_use"), `{"ballot":"YES"}`},
		"a tool of a whole message": {"messages", `{"type":"message","content":[{"type":"tool_use","input":` + vote +
			`}],"stop_reason":"tool_use"}`, vote},
		"only in an item": {"responses", event(`{"type":"response.output_item.done","item":{"type":"message","content":[`+
			`{"type":"output_text","text":"yes"}]}}`) + event(`{"type":"response.completed","response":{}}`), "yes"},
		"in an item and at the end": {"responses",
			event(`{"type":"response.output_item.done","item":{"type":"message","content":[`+
				`{"type":"output_text","text":"yes"}]}}`) + event(`{"type":"response.completed","response":`+
				whole("responses", "yes", "")+`}`), "yes"},
		"an output that has begun": {"responses",
			event(`{"type":"response.created","response":{"status":"in_progress","output":[]}}`) +
				said("responses", "yes") + ended("responses", "stop"), "yes"},
		"a call in a response": {"responses",
			event(`{"type":"response.function_call_arguments.delta","delta":"{\"ballot\":"}`) +
				event(`{"type":"response.function_call_arguments.delta","delta":"\"YES\"}"}`) +
				event(`{"type":"response.output_item.done","item":{"type":"function_call","arguments":"{\"ballot\":\"YES\"}"}}`) +
				ended("responses", "stop"), `{"ballot":"YES"}`},
		"an answer among the thoughts of a response": {"responses",
			`{"status":"completed","output":[{"type":"reasoning","content":[` +
				`{"type":"reasoning_text","text":` + quoted("cheap, so "+vote) + `}]}]}`, vote},
	} {
		t.Run(name, func(t *testing.T) {
			if c := read(t, test.api, answer{body: test.body}, true); c.Stop != prompt.StopEnd || c.Text != test.want {
				t.Errorf("want %q, got %q, stop %q", test.want, c.Text, c.Stop)
			}
		})
	}
	cutOff := message(`"content":null,"reasoning_content":`+quoted(vote), "length")
	if c := read(t, "chat", answer{body: cutOff}, true); c.Stop != prompt.StopLength || c.Text != "" {
		t.Errorf("thoughts of a reply that was cut: %q, stop %q", c.Text, c.Stop)
	}
	for thoughts, want := range map[string]string{document: strings.TrimSpace(document), "A design. " + document: ""} {
		body := message(`"content":"","reasoning":`+quoted(thoughts), "stop")
		check.Is(t, "a document among thoughts", want, read(t, "chat", answer{body: body}, false).Text)
	}
}
