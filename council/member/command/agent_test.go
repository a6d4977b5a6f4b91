//go:build unix

package command

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/process"
)

// The arguments of agents. A change here is a change of docs/members.md.
func TestAgent_AgentsAreCalledAsTheyWantToBe(t *testing.T) {
	for _, test := range []struct {
		agent, model string
		tools        bool
		session      string
		server       string
		want         string
	}{
		{"claude", "", false, "", "",
			`--print --output-format json --system-prompt … --setting-sources "" --settings {"verbose":false,"viewMode":"default"} --strict-mcp-config --tools ""`},
		{"claude", "opus", true, "s-1", "",
			`--print --output-format json --system-prompt … --setting-sources "" --settings {"verbose":false,"viewMode":"default"} --strict-mcp-config --model opus --resume s-1`},
		{"codex", "", false, "", "",
			`exec --json --color never --skip-git-repo-check --ignore-user-config --ignore-rules --config features.unbounded_connection_retries=false --sandbox read-only --config web_search="disabled" --config features.shell_tool=false --config features.unified_exec=false --config features.view_image=false --config features.multi_agent=false --config features.goals=false --config features.apps=false --config features.plugins=false --config features.image_generation=false --config features.sleep_tool=false -`},
		{"codex", "gpt-5.4", true, "s-1", "",
			`exec --json --color never --skip-git-repo-check --ignore-user-config --ignore-rules --config features.unbounded_connection_retries=false --sandbox workspace-write --model gpt-5.4 resume s-1 -`},
		{"gemini", "", false, "", "", `--output-format json --extensions none`},
		{"gemini", "flash", true, "s-1", "", `--output-format json --extensions none --model flash --resume s-1`},
		{"codex", "gpt-5.4", true, "", "http://h/v1",
			`exec --json --color never --skip-git-repo-check --ignore-user-config --ignore-rules --config features.unbounded_connection_retries=false --sandbox workspace-write --config model_provider="council" --config model_providers.council={name="council",base_url="http://h/v1",env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0} --model gpt-5.4 -`},
		{"opencode", "", false, "", "", `run --format json --pure --title council`},
		{"opencode", "anthropic/claude-opus-5", true, "ses_1", "",
			`run --format json --pure --title council --model anthropic/claude-opus-5 --session ses_1`},
		{"opencode", "opus", true, "", "http://h/v1", `run --format json --pure --title council --model council/opus`},
		{"qwen", "", false, "", "",
			`--auth-type openai --output-format stream-json --bare --system-prompt … --openai-logging --openai-logging-dir /log --exclude-tools read_file --exclude-tools edit --exclude-tools run_shell_command --exclude-tools get_goal --exclude-tools update_goal`},
		{"qwen", "qwen3-coder", true, "s-1", "",
			`--auth-type openai --output-format stream-json --bare --system-prompt … --openai-logging --openai-logging-dir /log --model qwen3-coder --resume s-1`},
	} {
		args := agents()[test.agent].args(call{test.model, test.tools, test.session, test.server, "/log"})
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, systemPrompt, "…")
			if a == "" {
				args[i] = `""`
			}
		}
		check.Equal(t, test.agent, test.want, strings.Join(args, " "))
		plain := strings.ReplaceAll(test.agent+" "+test.want+"\n", "/log", "…")
		if test.model == "" && !strings.Contains(handbook(t), plain) {
			t.Errorf("docs/members.md does not show %s", plain)
		}
	}
}

func handbook(t *testing.T) string {
	t.Helper()
	return string(check.Get(os.ReadFile("../../../docs/members.md"))(t))
}

func TestAgent_ReadsTheHandbooksForm(t *testing.T) {
	var replies, faults int
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(handbook(t), -1) {
		if strings.Contains(block[1], `"provider"`) {
			continue
		}
		r, err := agent{read: readOwn}.parse([]byte(block[1]))
		var failed *failure
		switch {
		case errors.As(err, &failed) && failed.Kind == council.FaultRate && failed.after > 0:
			faults++
		case err == nil && r.session == "talk-1" && r.RequestID == "r-7" && r.Usage.Model == "clerk-2" &&
			r.Usage.Tokens() == 1220:
			replies++
		default:
			t.Errorf("%s: %+v, %v", block[1], r, err)
		}
	}
	if replies != 1 || faults != 1 {
		t.Errorf("%d replies and %d faults", replies, faults)
	}
}

// Outputs of agents, by their documentation and public recordings.
func TestAgent_AgentsAreRead(t *testing.T) {
	for _, test := range []struct {
		agent, printed string
		want           reply
		fault          string // part of the words, of a failure
	}{
		{"claude",
			`{"type":"result","subtype":"success","is_error":false,"duration_ms":2267,"num_turns":1,"result":"Yes.","stop_reason":null,
			"session_id":"8b5de1fc-6b32-4a54-bacc-e9328bec7d25","total_cost_usd":0.18,
			"usage":{"input_tokens":3,"cache_creation_input_tokens":30015,"cache_read_input_tokens":7,"output_tokens":8},
			"modelUsage":{"claude-haiku-4-5":{"outputTokens":2},"claude-opus-4-6":{"outputTokens":8}}}`,
			reply{completion("Yes.", council.Usage{Model: "claude-opus-4-6", InputTokens: 3, CachedTokens: 7,
				CacheWriteTokens: 30015, OutputTokens: 8}), "8b5de1fc-6b32-4a54-bacc-e9328bec7d25", false}, ""},
		{"claude",
			`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}`, reply{}, "No conversation found"},
		{"claude", `{"type":"result","is_error":false,"result":"a","session_id":"--danger"}`,
			reply{Completion: completion("a", council.Usage{})}, ""},
		{"codex", `{"type":"thread.started","thread_id":"019f2943-c0af"}
			{"type":"turn.started"}
			{"type":"item.completed","item":{"id":"0","type":"reasoning","text":"hm"}}
			{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"I will think."}}
			{"type":"error","message":"Reconnecting... 1/5"}
			{"type":"item.completed","item":{"id":"2","type":"agent_message","text":"{\"ballot\":\"YES\"}"}}
			{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":10,"output_tokens":5,"reasoning_output_tokens":3}}`,
			reply{completion(`{"ballot":"YES"}`, council.Usage{InputTokens: 30, CachedTokens: 60, CacheWriteTokens: 10,
				OutputTokens: 2, ReasoningTokens: 3}), "019f2943-c0af", true}, ""},
		{"gemini", `{
			"session_id": "a1b2c3d4-e5f6",
			"response": "Yes.",
			"stats": {"models": {
				"gemini-2.5-flash-lite": {"tokens": {"prompt": 10, "candidates": 1, "cached": 0, "thoughts": 0}},
				"gemini-3-pro": {"tokens": {"prompt": 200, "candidates": 9, "total": 230, "cached": 150, "thoughts": 21, "tool": 0}}}}}`,
			reply{completion("Yes.", council.Usage{Model: "gemini-3-pro", InputTokens: 60, CachedTokens: 150, OutputTokens: 10,
				ReasoningTokens: 21}), "a1b2c3d4-e5f6", false}, ""},
		{"opencode", `{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
			{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"I will look."}}
			{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","tokens":{"total":105,"input":60,"output":5,"reasoning":1,"cache":{"write":2,"read":40}},"cost":0}}
			{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
			{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"Yes."}}
			{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":90}}}}`,
			reply{completion("Yes.", council.Usage{InputTokens: 70, CachedTokens: 130, CacheWriteTokens: 2, OutputTokens: 10,
				ReasoningTokens: 1}), "ses_1", false}, ""},
		{"opencode", `{"type":"step_start","sessionID":"ses_1"}
			{"type":"text","part":{"text":"I will look."}}
			{"type":"step_finish","part":{"reason":"tool-calls"}}`, reply{}, "ended before"},
		{"qwen", `{"type":"system","subtype":"init","session_id":"27ac662b"}
{"type":"assistant","session_id":"27ac662b","message":{"content":[{"type":"text","text":"Yes."}],"usage":{"input_tokens":100}}}
{"type":"result","subtype":"success","session_id":"27ac662b","is_error":false,"result":"Yes.","usage":{"input_tokens":200,"output_tokens":10,"cache_read_input_tokens":80},"stats":{"models":{"qwen3":{"tokens":{"candidates":10}}}}}`,
			reply{completion("Yes.", council.Usage{Model: "qwen3", InputTokens: 120, CachedTokens: 80, OutputTokens: 10}),
				"27ac662b", true}, ""},
		{"qwen",
			"{\n  \"error\": {\"type\": \"FatalCancellationError\", \"message\": \"Operation cancelled.\", \"code\": 130}\n}",
			reply{}, "cancelled"},
	} {
		got, err := agents()[test.agent].parse([]byte(strings.ReplaceAll(test.printed, "\n\t\t\t", "\n")))
		if test.fault != "" {
			check.Fails(t, test.printed, err, test.fault)
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
	for name := range agents() {
		script := "#!/bin/sh\nenv >\"$HOME/env\"\ncat .gemini/settings.json opencode.json >\"$HOME/settings\" 2>/dev/null\n" +
			`cat <<'END'
{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"type":"agent_message","text":"x"}}
{"type":"turn.completed"}
{"type":"step_start"}
{"type":"text","part":{"text":"x"}}
{"type":"step_finish"}
{"type":"result","is_error":false,"result":"x","response":"x"}
END
`
		check.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700))
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return Options{Now: time.Now, Temp: t.TempDir(), Getenv: func(name string) string {
		if name == "PATH" {
			return os.Getenv("PATH")
		}
		return set[name]
	}}
}

func TestAgent_AgentsAreGivenTheirCredentialsAndNoOthers(t *testing.T) {
	user := map[string]string{"ANTHROPIC_API_KEY": "anthropic-1", "CODEX_API_KEY": "codex-1", "GEMINI_API_KEY": "gemini-1",
		"OPENAI_API_KEY": "openai-1", "CLAUDE_CODE_OAUTH_TOKEN": "oauth-1", "HTTPS_PROXY": "http://proxy", "HOME": "",
		"TEAM_KEY": "team-1"}
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
		{council.Model{Model: "gemini"}, "GEMINI_API_KEY=gemini-1", "HTTPS_PROXY",
			`{"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1},"tools":{"core":[]}}`},
		{council.Model{Model: "gemini"}, "GEMINI_SYSTEM_MD=true", "COUNCIL_",
			`{"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1},"tools":{"core":[]}}`},
		{council.Model{Model: "gemini", BaseURL: "http://127.0.0.1:9/"}, "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9",
			"gemini-1",
			`{"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1},"security":{"auth":{"selectedType":"gemini-api-key"}},"tools":{"core":[]}}`},
		{council.Model{Model: "claude", BaseURL: "https://gateway.example", APIKeyEnv: "TEAM_KEY"},
			"ANTHROPIC_BASE_URL=https://gateway.example", "anthropic-1", ""},
		{council.Model{Model: "claude", APIKeyEnv: "CLAUDE_CODE_OAUTH_TOKEN"}, "CLAUDE_CODE_OAUTH_TOKEN=oauth-1",
			"anthropic-1", ""},
		{council.Model{Model: "qwen/qwen3", BaseURL: "http://[::1]:9/v1"}, "OPENAI_BASE_URL=http://[::1]:9/v1",
			"openai-1", ""},
		{council.Model{Model: "opencode/openai/gpt-5.4", APIKeyEnv: "OPENAI_API_KEY"}, "OPENAI_API_KEY=openai-1",
			"anthropic-1",
			`{"agent":{"build":{"prompt":"` + systemPrompt + `"}},"share":"disabled","tools":{"*":false}}`},
		{council.Model{Model: "opencode/opus", BaseURL: "http://127.0.0.1:9/v1", Tools: true}, "OPENCODE_API_KEY=none",
			"anthropic-1",
			`{"provider":{"council":{"models":{"opus":{}},"npm":"@ai-sdk/openai-compatible","options":{"apiKey":"{env:OPENCODE_API_KEY}","baseURL":"http://127.0.0.1:9/v1"}}},"share":"disabled"}`},
		{council.Model{Model: "gemini", Tools: true}, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_SYSTEM_MD",
			`{"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":1}}`},
	} {
		m := check.Get(New(test.model, options))(t)
		check.Is(t, test.model.Model, "x", check.Get(m.Complete(t.Context(), question("?")))(t).Text)
		env := string(check.Get(os.ReadFile(m.home.in("home/env")))(t))
		check.Says(t, "\n"+env, "\n"+test.has+"\n")
		check.NeverSays(t, env, test.hasNot)
		settings, _ := os.ReadFile(m.home.in("home/settings"))
		check.Is(t, "the settings of "+test.model.Model, test.settings, string(settings))
		check.OK(t, m.Close())
	}
}

func TestAgent_AnAgentWithoutCredentialsIsSaidBeforeItIsPaid(t *testing.T) {
	options := installed(t, map[string]string{"OTHER_API_KEY": "other-1"})
	for name, want := range map[string]string{
		"claude": "export ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN (claude setup-token prints the second), or lend it",
		"codex":  "export CODEX_API_KEY",
		"gemini": "export GEMINI_API_KEY",
		"qwen":   "export OPENAI_API_KEY (of a server that speaks OpenAI's protocol)",
	} {
		_, err := New(council.Model{Model: name}, options)
		check.ErrorIs(t, name, member.ErrNoKey, err)
		check.Fails(t, name, err, want)
	}
}

// The path of an agent in command left out all that is known of it: its tools were on, and nothing was counted.
func TestAgent_APathKeepsAnAgentAsItIs(t *testing.T) {
	options := installed(t, map[string]string{"ANTHROPIC_API_KEY": "anthropic-1"})
	elsewhere := filepath.Join(t.TempDir(), "claude-2.1")
	script := "#!/bin/sh\n" + `printf '{"type":"result","result":"%s"}' "$(echo "$*" | tr -d '"')"`
	check.OK(t, os.WriteFile(elsewhere, []byte(script), 0o700))
	m := check.Get(New(council.Model{Model: "claude/opus", Program: elsewhere}, options))(t)
	defer m.Close()
	check.Says(t, check.Get(m.Complete(t.Context(), question("?")))(t).Text, "--tools  --model opus")
	for path, want := range map[string]string{
		"claude":                     `write "model": "claude" in place of command`,
		"/opt/agents/codex":          `write "model": "codex", "program": "/opt/agents/codex" in place of command`,
		"./node_modules/.bin/gemini": `write "model": "gemini", "program": "./node_modules/.bin/gemini" in place`,
		"tools/Qwen.cmd":             `write "model": "qwen", "program": "tools/Qwen.cmd" in place`,
	} {
		check.Fails(t, path, check.Err(New(council.Model{Model: "x", Command: []string{path, "--print"}}, options)), want)
	}
	check.Fails(t, "it", check.Err(New(council.Model{Model: "claude", Program: "/nowhere/claude"}, options)),
		"or name its path in program")
}

func TestAgent_AnAgentSendsAKeyToAGatewayOnlyWhenItIsNamed(t *testing.T) {
	options := installed(t, map[string]string{"ANTHROPIC_API_KEY": "anthropic-1", "HOME": "/home/user"})
	const gateway = "https://gateway.example"
	for _, test := range []struct {
		model council.Model
		want  string
	}{
		{council.Model{Model: "claude", BaseURL: gateway},
			"name the variable with the key of the server in baseUrl in apiKeyEnv"},
		{council.Model{Model: "claude", BaseURL: gateway, Env: []string{"HOME"}}, "remove HOME from env"},
		{council.Model{Model: "codex", BaseURL: gateway, APIKeyEnv: "ANTHROPIC_API_KEY"}, "write it as in codex/NAME"},
		{council.Model{Command: []string{"clerk"}, BaseURL: gateway}, "does not use baseUrl"},
	} {
		check.Fails(t, fmt.Sprintf("%+v", test.model), check.Err(New(test.model, options)), test.want)
	}
}

// A user may lend an agent the home with his login in it. Nothing of it is removed.
func TestAgent_AHomeCanBeLent(t *testing.T) {
	lent := t.TempDir()
	m := check.Get(New(council.Model{Model: "claude", Env: []string{"HOME"}},
		installed(t, map[string]string{"HOME": lent})))(t)
	check.Get(m.Complete(t.Context(), question("?")))(t)
	check.OK(t, m.Close())
	check.Get(os.Stat(filepath.Join(lent, "env")))(t)
}

// Whatever is printed, an agent's output becomes a reply or a named failure.
func FuzzRead(f *testing.F) {
	f.Add(`{"type":"result","is_error":false,"result":"a"}`)
	f.Add("{\n{\n{\n" + `{"type":"thread.started"}`)
	f.Add(`{"response":"x","stats":{"models":[1,{"tokens":{"prompt":-1}}]}}`)
	f.Fuzz(func(t *testing.T, printed string) {
		for _, a := range append(slices.Collect(maps.Values(agents())), agent{}, agent{read: readOwn}) {
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
