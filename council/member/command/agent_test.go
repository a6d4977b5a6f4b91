//go:build unix

package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/process"
)

// What an agent is started with. A change here is a change of what docs/members.md says.
func TestAgentsAreCalledAsTheyWantToBe(t *testing.T) {
	for _, test := range []struct {
		agent, model string
		tools        bool
		session      string
		want         string
	}{
		{"claude", "", false, "", `--print --output-format json --system-prompt … --setting-sources "" --strict-mcp-config --tools ""`},
		{"claude", "opus", true, "s-1", `--print --output-format json --system-prompt … --setting-sources "" --strict-mcp-config --model opus --resume s-1`},
		{"codex", "", false, "", `exec --json --color never --skip-git-repo-check --ignore-user-config --ignore-rules --config features.unbounded_connection_retries=false --sandbox read-only --config web_search="disabled" --config features.shell_tool=false --config features.unified_exec=false --config features.view_image=false --config features.multi_agent=false --config features.goals=false --config features.apps=false --config features.plugins=false --config features.image_generation=false --config features.sleep_tool=false -`},
		{"codex", "gpt-5.4", true, "s-1", `exec --json --color never --skip-git-repo-check --ignore-user-config --ignore-rules --config features.unbounded_connection_retries=false --sandbox workspace-write --model gpt-5.4 resume s-1 -`},
		{"gemini", "", false, "", `--output-format json --extensions none`},
		{"gemini", "flash", true, "s-1", `--output-format json --extensions none --model flash --resume s-1`},
	} {
		args := agents[test.agent].args(test.model, test.tools, test.session)
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, manners, "…")
			if a == "" {
				args[i] = `""`
			}
		}
		if diff := cmp.Diff(test.want, strings.Join(args, " ")); diff != "" {
			t.Errorf("%s: %s", test.agent, diff)
		}
		if plain := test.agent + " " + test.want + "\n"; test.model == "" && !strings.Contains(handbook(t), plain) {
			t.Errorf("docs/members.md does not show %s", plain)
		}
	}
}

func handbook(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/members.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatTheHandbookAsksOfProgramsIsRead(t *testing.T) {
	var replies, faults int
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(handbook(t), -1) {
		if strings.Contains(block[1], `"provider"`) {
			continue
		}
		r, err := readOwn([]byte(block[1]))
		var failed *failure
		switch {
		case errors.As(err, &failed) && failed.Kind == council.FaultRate && failed.after > 0:
			faults++
		case err == nil && r.session == "talk-1" && r.RequestID == "r-7" && r.Usage.Model == "clerk-2" && r.Usage.Tokens() == 1220:
			replies++
		default:
			t.Errorf("%s: %+v, %v", block[1], r, err)
		}
	}
	if replies != 1 || faults != 1 {
		t.Errorf("%d replies and %d faults", replies, faults)
	}
}

// What agents print, as their documentation and public recordings of them have it.
func TestAgentsAreRead(t *testing.T) {
	for _, test := range []struct {
		agent, printed string
		want           reply
		fault          string // part of the words, of a failure
	}{
		{"claude", `{"type":"result","subtype":"success","is_error":false,"duration_ms":2267,"num_turns":1,"result":"Yes.","stop_reason":null,
			"session_id":"8b5de1fc-6b32-4a54-bacc-e9328bec7d25","total_cost_usd":0.18,
			"usage":{"input_tokens":3,"cache_creation_input_tokens":30015,"cache_read_input_tokens":7,"output_tokens":8},
			"modelUsage":{"claude-haiku-4-5":{"outputTokens":2},"claude-opus-4-6":{"outputTokens":8}}}`,
			reply{completion("Yes.", council.Usage{Model: "claude-opus-4-6", InputTokens: 3, CachedTokens: 7, CacheWriteTokens: 30015, OutputTokens: 8}), "8b5de1fc-6b32-4a54-bacc-e9328bec7d25", false}, ""},
		{"claude", "warning: an old version\n" + `{"type":"result","is_error":false,"result":"","stop_reason":"max_tokens"}`,
			reply{Completion: prompt.Completion{Stop: prompt.StopLength}}, ""},
		{"claude", `{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}`, reply{}, "/login"},
		{"claude", `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}`, reply{}, "No conversation found"},
		{"claude", `{"type":"result","is_error":false,"result":"a","session_id":"--danger"}`, reply{Completion: completion("a", council.Usage{})}, ""},
		{"claude", `{"type":"assistant"}`, reply{}, "not in the form"},
		{"claude", ``, reply{}, "not in the form"},
		{"codex", `{"type":"thread.started","thread_id":"019f2943-c0af"}
			{"type":"turn.started"}
			{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"hm"}}
			{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"I will think."}}
			{"type":"error","message":"Reconnecting... 1/5"}
			{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"{\"ballot\":\"YES\"}"}}
			{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":10,"output_tokens":5,"reasoning_output_tokens":3}}`,
			reply{completion(`{"ballot":"YES"}`, council.Usage{InputTokens: 30, CachedTokens: 60, CacheWriteTokens: 10, OutputTokens: 2, ReasoningTokens: 3}), "019f2943-c0af", true}, ""},
		{"codex", `{"type":"thread.started","thread_id":"t"}
			{"type":"item.completed","item":{"type":"agent_message","text":"half"}}
			{"type":"turn.failed","error":{"message":"stream disconnected before completion"}}`, reply{}, "stream disconnected"},
		{"codex", `{"type":"thread.started","thread_id":"t"}
			{"type":"item.completed","item":{"type":"agent_message","text":"half"}}`, reply{}, "not in the form"},
		{"codex", `not logged in`, reply{}, "not in the form"},
		{"gemini", `{
			"session_id": "a1b2c3d4-e5f6",
			"response": "Yes.",
			"stats": {"models": {
				"gemini-2.5-flash-lite": {"tokens": {"prompt": 10, "candidates": 1, "cached": 0, "thoughts": 0}},
				"gemini-3-pro": {"tokens": {"prompt": 200, "candidates": 9, "total": 230, "cached": 150, "thoughts": 21, "tool": 0}}}}}`,
			reply{completion("Yes.", council.Usage{Model: "gemini-3-pro", InputTokens: 60, CachedTokens: 150, OutputTokens: 10, ReasoningTokens: 21}), "a1b2c3d4-e5f6", false}, ""},
		{"gemini", `{"session_id": "a", "error": {"type": "ApiError", "message": "quota exceeded", "code": 429}}`, reply{}, "ApiError quota exceeded"},
		{"gemini", `{"stats": {}}`, reply{}, "not in the form"},
	} {
		got, err := agents[test.agent].read([]byte(test.printed))
		if test.fault != "" {
			if !strings.Contains(fmt.Sprint(err), test.fault) {
				t.Errorf("%s: %v", test.printed, err)
			}
			continue
		}
		test.want.RequestID = test.want.session
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(reply{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", test.printed, err, diff)
		}
	}
}

func completion(text string, u council.Usage) prompt.Completion {
	return prompt.Completion{Text: text, Stop: prompt.StopEnd, Usage: u}
}

// installed puts agents on a PATH that record how they are started, and answer as codex does.
func installed(t *testing.T, set map[string]string) Options {
	t.Helper()
	folder := t.TempDir()
	for name := range agents {
		script := "#!/bin/sh\nenv >\"$HOME/env\"\ncat .gemini/settings.json >\"$HOME/settings\" 2>/dev/null\n" + `cat <<'END'
{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"agent_message","text":"x"}}
{"type":"turn.completed"}
{"type":"result","is_error":false,"result":"x","response":"x"}
END
`
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return Options{Temp: t.TempDir(), Getenv: func(name string) string {
		if name == "PATH" {
			return os.Getenv("PATH")
		}
		return set[name]
	}}
}

func TestAgentsAreGivenTheirCredentialsAndNoOthers(t *testing.T) {
	user := map[string]string{"ANTHROPIC_API_KEY": "anthropic-1", "CODEX_API_KEY": "codex-1", "GEMINI_API_KEY": "gemini-1",
		"OPENAI_API_KEY": "openai-1", "HTTPS_PROXY": "http://proxy", "HOME": "", "TEAM_KEY": "team-1"}
	options := installed(t, user)
	for _, test := range []struct {
		model       council.Model
		has, hasNot string
		settings    string
	}{
		{council.Model{Model: "claude"}, "ANTHROPIC_API_KEY=anthropic-1", "codex-1", ""},
		{council.Model{Model: "claude", APIKeyEnv: "TEAM_KEY"}, "ANTHROPIC_API_KEY=team-1", "anthropic-1", ""},
		{council.Model{Model: "codex/gpt-5.4"}, "CODEX_API_KEY=codex-1", "openai-1", ""},
		{council.Model{Model: "codex", APIKeyEnv: "OPENAI_API_KEY"}, "CODEX_API_KEY=openai-1", "codex-1", ""},
		{council.Model{Model: "codex", Env: []string{"HTTPS_PROXY"}}, "HTTPS_PROXY=http://proxy", "gemini-1", ""},
		{council.Model{Model: "gemini"}, "GEMINI_API_KEY=gemini-1", "HTTPS_PROXY", `{"general": {"maxAttempts": 1}, "tools": {"core": []}}`},
		{council.Model{Model: "gemini", Tools: true}, "GEMINI_CLI_TRUST_WORKSPACE=true", "COUNCIL_", `{"general": {"maxAttempts": 1}}`},
	} {
		m, err := New(test.model, options)
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Complete(t.Context(), question("?"))
		if err != nil || c.Text != "x" {
			t.Errorf("%s: %q %v", test.model.Model, c.Text, err)
		}
		env, err := os.ReadFile(filepath.Join(m.home.home, "env"))
		if err != nil || !slices.Contains(strings.Split(string(env), "\n"), test.has) || strings.Contains(string(env), test.hasNot) {
			t.Errorf("%+v: %v\n%s", test.model, err, env)
		}
		if settings, _ := os.ReadFile(filepath.Join(m.home.home, "settings")); string(settings) != test.settings {
			t.Errorf("%s reads the settings %q", test.model.Model, settings)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAnAgentWithoutCredentialsIsSaidBeforeItIsPaid(t *testing.T) {
	options := installed(t, map[string]string{"OPENAI_API_KEY": "openai-1"})
	for name, want := range map[string]string{
		"claude": "export ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (claude setup-token prints the second), or lend it",
		"codex":  "export CODEX_API_KEY",
		"gemini": "export GEMINI_API_KEY",
	} {
		_, err := New(council.Model{Model: name}, options)
		if !errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// A user may lend an agent the home with his login in it. Nothing of it is removed.
func TestAHomeCanBeLent(t *testing.T) {
	lent := t.TempDir()
	m, err := New(council.Model{Model: "claude", Env: []string{"HOME"}}, installed(t, map[string]string{"HOME": lent}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), question("?")); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(lent, "env")); err != nil {
		t.Error(err)
	}
}

// Whatever is printed, an agent's output becomes a reply or a named failure.
func FuzzRead(f *testing.F) {
	f.Add(`{"type":"result","is_error":false,"result":"a"}`)
	f.Add("{\n{\n{\n" + `{"type":"thread.started"}`)
	f.Add(`{"response":"x","stats":{"models":[1,{"tokens":{"prompt":-1}}]}}`)
	f.Fuzz(func(t *testing.T, printed string) {
		for _, a := range append([]agent{program("p", "text"), program("p", "json")}, agents["claude"], agents["codex"], agents["gemini"]) {
			for _, code := range []int{0, 1} {
				r, err := a.judge(process.Outcome{Output: []byte(printed), Code: code, State: "s"}, true)
				var failed *failure
				switch {
				case err == nil && (code != 0 || r.Stop == "" || r.session != "" && !sessionName.MatchString(r.session)):
					t.Fatalf("%+v", r)
				case err != nil && (!errors.As(err, &failed) || !slices.Contains(council.FaultKinds(), failed.Kind)):
					t.Fatalf("%v", err)
				case r.Usage.InputTokens < 0 || r.Usage.CachedTokens < 0 || r.Usage.OutputTokens < 0:
					t.Fatalf("%+v", r.Usage)
				}
			}
		}
	})
}
