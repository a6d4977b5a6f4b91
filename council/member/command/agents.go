package command

import (
	"encoding/json"
	"strconv"
)

// agents are called as their documentation had it in November 2026; docs/members.md names the versions.
var agents = map[string]agent{
	"claude": {
		install: "npm install -g @anthropic-ai/claude-code",
		args: func(c call) []string {
			args := []string{"--print", "--output-format", "json", "--system-prompt", manners, "--setting-sources", "",
				"--strict-mcp-config"}
			if !c.tools {
				args = append(args, "--tools", "")
			}
			return with(with(args, "--model", c.model), "--resume", c.session)
		},
		keys:   []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"},
		login:  "claude setup-token prints the second",
		logins: []string{"HOME", "CLAUDE_CONFIG_DIR"},
		env: func(c call) map[string]string {
			return c.at("ANTHROPIC_BASE_URL",
				map[string]string{"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})
		},
		read: readClaude,
		lost: []string{"no conversation found"},
	},
	"codex": {
		install: "npm install -g @openai/codex",
		args: func(c call) []string {
			args := []string{"exec", "--json", "--color", "never", "--skip-git-repo-check", "--ignore-user-config",
				"--ignore-rules",
				"--config", "features.unbounded_connection_retries=false"}
			if c.tools {
				args = append(args, "--sandbox", "workspace-write")
			} else {
				args = append(args, "--sandbox", "read-only", "--config", `web_search="disabled"`)
				for _, feature := range codexTools {
					args = append(args, "--config", "features."+feature+"=false")
				}
			}
			if c.server != "" { // it takes no heed of OPENAI_BASE_URL, and asks a provider of its own by websockets first
				args = append(args, "--config", `model_provider="council"`, "--config", "model_providers.council="+
					`{name="council",base_url=`+strconv.Quote(c.server)+
					`,env_key="CODEX_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`)
			}
			return append(with(with(args, "--model", c.model), "resume", c.session), "-")
		},
		keys:   []string{"CODEX_API_KEY"},
		login:  "an OpenAI API key",
		logins: []string{"HOME", "CODEX_HOME"},
		named:  true,
		read:   readCodex,
		lost:   []string{"no rollout found", "no saved session", "thread not found", "session not found"},
	},
	"gemini": {
		install: "npm install -g @google/gemini-cli",
		args: func(c call) []string {
			args := []string{"--output-format", "json", "--extensions", "none"}
			return with(with(args, "--model", c.model), "--resume", c.session)
		},
		keys:   []string{"GEMINI_API_KEY"},
		login:  "from Google AI Studio",
		logins: []string{"HOME", "GEMINI_CLI_HOME"},
		env: func(c call) map[string]string {
			env := map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"}
			if !c.tools {
				env["GEMINI_SYSTEM_MD"] = "true" // takes .gemini/system.md in place of 27 kB about writing programs
			}
			return c.at("GOOGLE_GEMINI_BASE_URL", env)
		},
		files: geminiFiles,
		read:  readGemini,
		lost: []string{"invalid session identifier", "error resuming session", "no previous sessions found",
			"session not found"},
		denied: 41,
	},
	"opencode": {
		install: "npm install -g opencode-ai",
		args: func(c call) []string {
			args := []string{"run", "--format", "json", "--pure", "--title", "council"} // a title saves a call that makes one
			if c.server != "" {
				c.model = "council/" + c.model
			}
			return with(with(args, "--model", c.model), "--session", c.session)
		},
		keys:   []string{"OPENCODE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"},
		login:  "of the provider whose model it asks",
		logins: []string{"HOME", "XDG_DATA_HOME"},
		env: func(c call) map[string]string {
			env := map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"}
			if c.server != "" {
				env["OPENCODE_DISABLE_MODELS_FETCH"] = "1"
			}
			return env
		},
		named: true,
		files: opencodeFiles,
		read:  readOpencode,
		lost:  []string{"session not found"},
	},
	"qwen": {
		install: "npm install -g @qwen-code/qwen-code",
		args: func(c call) []string {
			args := []string{"--auth-type", "openai", "--output-format", "stream-json", "--bare", "--system-prompt", manners}
			if !c.tools {
				for _, tool := range []string{"read_file", "edit", "run_shell_command"} { // all that --bare leaves
					args = append(args, "--exclude-tools", tool)
				}
			}
			return with(with(args, "--model", c.model), "--resume", c.session)
		},
		keys:  []string{"OPENAI_API_KEY"},
		login: "of a server that speaks OpenAI's protocol",
		env:   func(c call) map[string]string { return c.at("OPENAI_BASE_URL", map[string]string{}) },
		named: true,
		read:  readQwen,
		lost:  []string{"no saved session found"},
	},
}

// codexTools are the features of codex that bring a tool, as a request of version 0.169 listed them or its list of
// features names them.
var codexTools = []string{"shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "apps", "plugins",
	"image_generation", "sleep_tool"}

// geminiFiles are settings for which gemini has no flags. What stands in the folder that it works in counts before what
// is in its home; a file of settings for the whole system it passes over where others may write to a folder above, such
// as /tmp. An empty list of built-in tools denies those of servers as well. Told of another server, it would choose a
// way to log in that it then refuses.
func geminiFiles(c call) map[string]string {
	settings := map[string]any{"general": map[string]any{"maxAttempts": 1}}
	if !c.tools {
		settings["tools"] = map[string]any{"core": []string{}}
	}
	if c.server != "" {
		settings["security"] = map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}}
	}
	files := map[string]string{"work/.gemini/settings.json": text(settings)}
	if !c.tools {
		files["work/.gemini/system.md"] = manners + "\n"
	}
	return files
}

func opencodeFiles(c call) map[string]string {
	settings := map[string]any{"share": "disabled"}
	if !c.tools {
		settings["tools"] = map[string]any{"*": false}
		settings["agent"] = map[string]any{"build": map[string]any{"prompt": manners}}
	}
	if c.server != "" {
		settings["provider"] = map[string]any{"council": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "models": map[string]any{c.model: map[string]any{}},
			"options": map[string]any{"baseURL": c.server, "apiKey": "{env:OPENCODE_API_KEY}"},
		}}
	}
	return map[string]string{"work/opencode.json": text(settings)}
}

// text returns a file of settings.
func text(settings map[string]any) string {
	doc, _ := json.Marshal(settings) // of words, numbers and lists alone
	return string(doc)
}
