package command

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council/member"
)

// agent is what is known of a program: how it is called, what it needs, and how its output is read.
type agent struct {
	name    string
	install string                                                  // what follows "there is no program x"
	args    func(model string, tools bool, session string) []string // nil for a program of the user's own
	keys    []string                                                // the variables in which it looks for credentials; any is enough
	login   string                                                  // how a person gets them
	logins  []string                                                // the variables that lend it a folder with a login in it
	env     map[string]string
	files   func(tools bool) map[string]string // what it is given, by the path beside its home
	read    func(output []byte) (reply, error) // its output
	lost    []string                           // by which words it says that it knows a conversation no longer
	denied  int                                // the exit code by which it says that it has no login; 0 for none
}

// manners is the system prompt of an agent that takes one in place of its own, which is about writing programs. What the
// member is, is in the prompt: it may be too long for an argument.
const manners = "You sit on a council that deliberates in writing. The prompt says who you are and what is asked; answer that, and nothing else."

// agents are called as their documentation had it in November 2026; docs/members.md names the versions.
var agents = map[string]agent{
	"claude": {
		install: ": install it with npm install -g @anthropic-ai/claude-code, or name its path in command",
		args: func(model string, tools bool, session string) []string {
			args := []string{"--print", "--output-format", "json", "--system-prompt", manners, "--setting-sources", "", "--strict-mcp-config"}
			if !tools {
				args = append(args, "--tools", "")
			}
			return with(with(args, "--model", model), "--resume", session)
		},
		keys:   []string{"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"},
		login:  "claude setup-token prints the second",
		logins: []string{"HOME", "CLAUDE_CONFIG_DIR"},
		env:    map[string]string{"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
		read:   readClaude,
		lost:   []string{"no conversation found"},
	},
	"codex": {
		install: ": install it with npm install -g @openai/codex, or name its path in command",
		args: func(model string, tools bool, session string) []string {
			args := []string{"exec", "--json", "--color", "never", "--skip-git-repo-check", "--ignore-user-config", "--ignore-rules",
				"--config", "features.unbounded_connection_retries=false"}
			if tools {
				args = append(args, "--sandbox", "workspace-write")
			} else {
				args = append(args, "--sandbox", "read-only", "--config", `web_search="disabled"`)
				for _, feature := range codexTools {
					args = append(args, "--config", "features."+feature+"=false")
				}
			}
			return append(with(with(args, "--model", model), "resume", session), "-")
		},
		keys:   []string{"CODEX_API_KEY"},
		login:  "an OpenAI API key",
		logins: []string{"HOME", "CODEX_HOME"},
		read:   readCodex,
		lost:   []string{"no rollout found", "no saved session", "thread not found", "session not found"},
	},
	"gemini": {
		install: ": install it with npm install -g @google/gemini-cli, or name its path in command",
		args: func(model string, tools bool, session string) []string {
			args := []string{"--output-format", "json", "--extensions", "none"}
			return with(with(args, "--model", model), "--resume", session)
		},
		keys:   []string{"GEMINI_API_KEY"},
		login:  "from Google AI Studio",
		logins: []string{"HOME", "GEMINI_CLI_HOME"},
		env:    map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"},
		// It has no flags for these. What stands in the folder that it works in counts before what is in its home; a file of
		// settings for the whole system it passes over where others may write to a folder above, such as /tmp. An empty list
		// of built-in tools denies those of servers as well.
		files: func(tools bool) map[string]string {
			const path = "work/.gemini/settings.json"
			if tools {
				return map[string]string{path: `{"general": {"maxAttempts": 1}}`}
			}
			return map[string]string{path: `{"general": {"maxAttempts": 1}, "tools": {"core": []}}`}
		},
		read:   readGemini,
		lost:   []string{"invalid session identifier", "error resuming session", "no previous sessions found", "session not found"},
		denied: 41,
	},
}

// codexTools are the features of codex that bring a tool, as a request of version 0.169 listed them or its list of features
// names them.
var codexTools = []string{"shell_tool", "unified_exec", "view_image", "multi_agent", "goals", "apps", "plugins", "image_generation", "sleep_tool"}

// with adds an option where there is a value for it.
func with(args []string, option, value string) []string {
	if value == "" {
		return args
	}
	return append(args, option, value)
}

// modelName is what an agent may be told to ask for. It never begins like an option.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]{0,127}$`)

// agentOf finds the agent that the charter names, with its model after a slash, such as "claude/opus".
func agentOf(named string) (agent, string, error) {
	name, model, chosen := strings.Cut(named, "/")
	a, ok := agents[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(agents)), ", ")
		return agent{}, "", fmt.Errorf("this version knows no agent %q; it knows %s, and any other program by its command", member.Redact(name), known)
	}
	if chosen && !modelName.MatchString(model) {
		return agent{}, "", fmt.Errorf("%q is no model of %s: write it as in %s/NAME", member.Redact(model), name, name)
	}
	a.name = name
	return a, model, nil
}

// program is a program of the user's own. One that prints text keeps no conversation.
func program(name, format string) agent {
	a := agent{name: name, read: readText}
	if format == "json" {
		a.read = readOwn
	}
	return a
}
