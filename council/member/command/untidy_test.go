//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/process"
)

// replies are outputs with the reply %s, by agent; "" is a program of the user's own that prints JSON.
var replies = map[string]string{
	"claude": `{"type":"result","subtype":"success","is_error":false,"result":%s,"session_id":"s-1"}`,
	"codex": `{"type":"thread.started","thread_id":"t-1"}
{"type":"item.completed","item":{"type":"agent_message","text":%s}}
{"type":"turn.completed"}`,
	"gemini": `{"session_id":"s-1","response":%s}`,
	"opencode": `{"type":"step_start","sessionID":"s-1","part":{}}
{"type":"text","sessionID":"s-1","part":{"text":%s}}
{"type":"step_finish","sessionID":"s-1","part":{"reason":"stop"}}`,
	"qwen": `{"type":"result","is_error":false,"result":%s,"session_id":"s-1"}`,
	"":     `{"text":%s,"sessionId":"s-1"}`,
}

// seated returns the model of an agent, or of a program of the user's own that prints JSON.
func seated(agent, path string) council.Model {
	if agent == "" {
		return council.Model{Command: []string{path}, OutputFormat: "json"}
	}
	return council.Model{Model: agent + "/m-1", Program: path, BaseURL: "http://127.0.0.1:9"}
}

// readerOf returns the agent that reads these outputs.
func readerOf(name string) agent {
	if name == "" {
		return agent{read: readOwn}
	}
	return agents()[name]
}

// With a verbose setting, notices, escape sequences or a byte order mark, each question took six starts of the
// program, three of them for a council, until the session was suspended.
func TestUntidyOutput_IsReadAtOnce(t *testing.T) {
	lines := func(n int, form string) (all string) {
		for i := range n {
			all += fmt.Sprintf(form+"\n", i)
		}
		return all
	}
	for form, print := range map[string]func(string) string{
		"plain":             func(s string) string { return s },
		"line end":          func(s string) string { return s + "\r\n" },
		"mark":              func(s string) string { return "\ufeff" + s },
		"sequences":         func(s string) string { return "\x1b[?25l\x1b]0;agent\x07" + s + "\x1b[?25h\n" },
		"mark in sequences": func(s string) string { return "\x1b[?25l\ufeff" + s + "\x1b[0m" },
		"notice behind":     func(s string) string { return s + "\nA new version is available: 2.0.1\n" },
		"notice at its end": func(s string) string { return s + " [a new version {2.0.1} is available]" },
		"notice before":     func(s string) string { return "[warn] {old} settings\n{ see the page\n\n" + s },
		"notices around": func(s string) string {
			return "╭──╮\n│ update │\n╰──╯\n" + s + "\n╭──╮\n│ update │\n╰──╯\n"
		},
		"progress":           func(s string) string { return lines(40, `{"type":"progress","n":%d}`) + s },
		"broken progress":    func(s string) string { return lines(40, `{"type":"progress","n":%d`) + s },
		"object behind":      func(s string) string { return s + "\n" + `{"level":"info","msg":"bye"}` },
		"spinner":            func(s string) string { return "⠋ thinking\r⠙ thinking\r\r" + s },
		"spinner, erased":    func(s string) string { return "⠋ thinking\x1b[2K\x1b[G⠙ thinking\x1b[2K\x1b[1G" + s },
		"spinner, backspace": func(s string) string { return "|\b/\b-\b" + s },
		"list": func(s string) string {
			return `[{"type":"system"},` + strings.ReplaceAll(s, "\n", ",") + `,{"type":"bye"}]`
		},
		"indented": func(s string) string {
			var b bytes.Buffer
			for line := range strings.Lines(s) {
				json.Indent(&b, []byte(line), "", "  ")
			}
			return b.String()
		},
	} {
		for agent, output := range replies {
			out := process.Outcome{Output: []byte(print(fmt.Sprintf(output, inQuotes(ballot))))}
			if r, err := readerOf(agent).judge(out, false); err != nil || r.Text != ballot {
				t.Errorf("%s by %q: %q, %v; want the ballot", form, agent, r.Text, err)
			}
		}
	}
}

const words = "MY SEALED WORDS"

// Sealed positions and ballots stood on the terminal, in the log and in the transcript, as the part of an output that
// could not be read.
func TestAnswer_UnreadableOutputIsNotQuoted(t *testing.T) {
	for _, test := range []struct {
		name, agent string
		printed     printed
		starts      int
		want        string
	}{
		{"another form", "claude", printed{output: `{"type":"answer","result":"MY SEALED WORDS"}`, code: "0"}, 1,
			"rejected: claude: its output is not in the form that was expected of it: it printed 44 bytes with 1 whole JSON " +
				"object (exit status 0)"},
		{"a list without a result", "claude", printed{output: `[{"type":"assistant","text":"MY SEALED WORDS"}]`, code: "0"},
			1,
			"it printed 47 bytes with 1 whole JSON object"},
		{"prose", "claude", printed{output: "MY SEALED WORDS", code: "0"}, 1, "it printed 15 bytes"},
		{"a cut object", "claude", printed{output: `{"type":"result","result":"MY SEALED WORDS`, code: "0"}, 2,
			"its output ended before its reply did: it printed 42 bytes with 0 whole JSON objects"},
		{"a whole reply of a program that failed", "claude",
			printed{output: `{"type":"result","result":"MY SEALED WORDS"}`, code: "1"}, 1, "it printed 44 bytes"},
		{"a reply as an error", "claude",
			printed{output: `{"type":"result","is_error":true,"result":"{\"position\": \"MY SEALED WORDS\"}"}`, code: "1"}, 1,
			"claude: JSON of 31 bytes that may hold a reply is not shown"},
		{"a refused half", "claude",
			printed{output: `{"type":"result","result":"MY SEALED WORDS","stop_reason":"refusal"}`, code: "0"}, 1, "refusal: "},
		{"a second object that is cut", "", printed{output: `{"text":"MY SEALED WORDS"}` + "\n" + `{"text":"MY SEALED W`,
			code: "0"}, 2, "it printed 47 bytes with 1 whole JSON object"},
		{"events without an end", "codex", printed{output: `{"type":"thread.started","thread_id":"t-1"}
{"type":"item.completed","item":{"type":"agent_message","text":"MY SEALED WORDS"}}`, code: "0"}, 2,
			"its output ended before its reply did"},
		{"a refused step", "opencode", printed{output: `{"type":"step_start","sessionID":"s-1"}
{"type":"text","part":{"text":"MY SEALED WORDS"}}
{"type":"step_finish","part":{"reason":"content-filter"}}`, code: "1"}, 1, "refusal: "},
		{"a body in an error", "opencode", printed{output: `{"type":"error","sessionID":"s-1","error":{"name":"ParseError",` +
			`"data":{"message":"not JSON: {\"choices\":[{\"text\":\"MY SEALED WORDS\"}]"}}}`, code: "1"}, 1,
			"that may hold a reply is not shown"},
		{"a body among the errors", "gemini",
			printed{errors: `data: '{"candidates":[{"content":"MY SEALED WORDS"}]}'`, code: "1"}, 1,
			"that may hold a reply is not shown"},
		{"prose of a program", "", printed{output: "MY SEALED WORDS", code: "0"}, 1, "it printed 15 bytes"},
		{"its text is none", "", printed{output: `{"text":["MY SEALED WORDS"]}`, code: "0"}, 1, "it printed 28 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path, starts := program(t, test.printed)
			got := asked(t, seated(test.agent, path))
			check.Says(t, got, test.want)
			check.NeverSays(t, got, words)
			check.Is(t, "starts", test.starts, starts())
		})
	}
}

// Half documents were approved: any word was taken for an end, and gemini and qwen say nothing.
func TestAgent_ReplyIsWholeOnlyWithAReason(t *testing.T) {
	step := `{"type":"step_start","sessionID":"s-1"}
{"type":"text","part":{"text":%s}}
{"type":"step_finish","part":{"reason":"REASON"}}`
	claude := `{"type":"result","result":%s,"stop_reason":"REASON"}`
	own := `{"text":%s,"stop":"REASON"}`
	gemini, qwen := replies["gemini"], replies["qwen"]
	for _, test := range []struct{ agent, output, reason, want string }{
		{"opencode", step, "stop", "end: # Design"}, {"opencode", step, "length", "length: "},
		{"opencode", step, "content-filter", "refusal: "}, {"opencode", step, "error", "failed: "},
		{"opencode", step, "other", "failed: "}, {"opencode", step, "tool-calls", "failed: "},
		{"opencode", step, "unknown", "unknown: "}, {"opencode", step, "whatever-comes-next", "failed: "},
		{"claude", claude, "end_turn", "end: "}, {"claude", claude, "max_tokens", "length: "},
		{"claude", claude, "pause_turn", "failed: "}, {"claude", claude, "whatever_comes_next", "failed: "},
		{"gemini", gemini, "stop", "end: "}, {"gemini", gemini, "length", "length: "},
		{"gemini", gemini, "content_filter", "refusal: "}, {"gemini", gemini, "error", "failed: "},
		{"gemini", gemini, "", "unknown: "}, {"qwen", qwen, "stop", "end: "}, {"qwen", qwen, "length", "length: "},
		{"qwen", qwen, "", "unknown: "}, {"", own, "end", "end: "}, {"", own, "MAX_TOKENS", "length: "},
		{"", own, "tired", "failed: "},
	} {
		t.Run(test.agent+"/"+test.reason, func(t *testing.T) {
			output := strings.ReplaceAll(fmt.Sprintf(test.output, inQuotes(half)), "REASON", test.reason)
			p := printed{output: output, code: "0"}
			if test.reason != "" {
				p.log = fmt.Sprintf("\"finish_reasons\": [\n  \"stop\",\n  %q\n]", test.reason)
			}
			path, _ := program(t, p)
			check.Says(t, "\n"+asked(t, seated(test.agent, path)), "\n"+test.want)
		})
	}
	for _, agent := range []string{"gemini", "qwen"} { // an object is whole by itself
		path, _ := program(t, printed{output: fmt.Sprintf(replies[agent], inQuotes(ballot)), code: "0"})
		check.Is(t, agent+": a ballot without a reason", "end: "+ballot, asked(t, seated(agent, path)))
	}
}

func TestAgent_NoPartOfAnOutputIsAReply(t *testing.T) {
	for name, form := range replies {
		whole := fmt.Sprintf(form, inQuotes(document))
		for n := range len(whole) {
			if r, err := readerOf(name).parse([]byte(whole[:n])); err == nil {
				t.Fatalf("%q of %s becomes %+v", whole[:n], name, r)
			}
		}
	}
	// Each line is read twice at most, or this would take hours.
	for _, line := range []string{"{\"a\":\n", "{\"a\":1\n", "[\n", "{\n", "{}[\n", "{\"a\":\"\n\"\n"} {
		objects(strings.Repeat(line, 512<<10/len(line)))
	}
}
