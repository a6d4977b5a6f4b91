package charter

import (
	"testing"

	"github.com/council-engine/council/council"
)

func TestProgramsAreRefused(t *testing.T) {
	argv := func(words ...string) council.Model { return council.Model{Provider: "command", Command: words} }
	for _, tt := range []struct {
		name, pointer string
		problem       string // part of it
		model         council.Model
	}{
		{"that nothing names", "/model", "must name an agent", council.Model{Provider: "command"}},
		{"of another provider", "/command", "only members of the provider command",
			council.Model{Provider: "openai", Model: "m", Command: []string{"x"}}},
		{"whose variables another provider has", "/env", "only members of the provider command",
			council.Model{Provider: "openai", Model: "m", Env: []string{"A"}}},
		{"whose tools another provider has", "/tools", "only members of the provider command",
			council.Model{Provider: "openai", Model: "m", Tools: true}},
		{"whose format another provider has", "/outputFormat", "only members of the provider command",
			council.Model{Provider: "openai", Model: "m", OutputFormat: "json"}},
		{"whose path another provider has", "/program", "only members of the provider command",
			council.Model{Provider: "openai", Model: "m", Program: "/x"}},
		{"with a path beside its own", "/program", "no effect with command",
			council.Model{Provider: "command", Command: []string{"x"}, Program: "/x"}},
		{"with an escape in its path", "/program", "control characters",
			council.Model{Provider: "command", Model: "claude", Program: "\x1b[2J"}},
		{"with a login after its name", "/command/2", "looks like a secret", argv("x", "--basic-auth", "me:abc")},
		{"of no words", "/command", "must begin with a program", council.Model{Provider: "command", Command: []string{}}},
		{"of a blank word", "/command", "must begin with a program", argv(" ", "x")},
		{"with a NUL", "/command/1", "control characters", argv("x", "a\x00b")},
		{"with an escape", "/command/1", "control characters", argv("x", "\x1b[2J")},
		{"with a key", "/command/1", "looks like a secret", argv("x", "sk-abc")},
		{"with a key behind an equals sign", "/command/1", "looks like a secret", argv("x", "--header=Bearer abc")},
		{"with a key behind its name", "/command/1", "looks like a secret", argv("x", "--api-key=abc")},
		{"with a key after its name", "/command/2", "looks like a secret", argv("x", "--api-key", "abc")},
		{"with an assigned secret", "/command/1", "looks like a secret", argv("env", "GITHUB_TOKEN=abc", "x")},
		{"in no known form", "/outputFormat", `not "xml"`,
			council.Model{Provider: "command", Command: []string{"x"}, OutputFormat: "xml"}},
		{"with a format that an agent has itself", "/outputFormat", "no effect without command",
			council.Model{Provider: "command", Model: "claude", OutputFormat: "json"}},
		{"with tools of its own", "/tools", "no effect with command",
			council.Model{Provider: "command", Command: []string{"x"}, Tools: true}},
		{"with a key for a variable", "/env/0", "never a key",
			council.Model{Provider: "command", Model: "claude", Env: []string{"sk-abc"}}},
		{"with no name for a variable", "/env/0", "must not be empty",
			council.Model{Provider: "command", Model: "claude", Env: []string{""}}},
		{"with a variable twice", "/env/1", "named twice",
			council.Model{Provider: "command", Model: "claude", Env: []string{"A", "A"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refuses(t, "/members/1/model"+tt.pointer, tt.problem, func(c *council.Charter) { c.Members[1].Model = tt.model })
		})
	}
}

func TestProgramsPass(t *testing.T) {
	for _, m := range []council.Model{
		{Provider: "command", Model: "claude"},
		{Provider: "command", Model: "codex/gpt-5.4", Tools: true, Env: []string{"CODEX_HOME", "HTTPS_PROXY"}},
		{Provider: "command", Command: []string{"./agent", "--max-tokens", "400", "--tokens=9", "a tab\tand\ntwo lines", ""}},
		{Provider: "command", Model: "claude/opus", Program: "/opt/claude 2/bin/claude", BaseURL: "http://127.0.0.1:4000"},
		{Provider: "command", Command: []string{"agent", "--auth-type", "openai"}}, // a kind of login is no secret
		{Provider: "command", Model: "ours", Command: []string{"agent"}, OutputFormat: "json"},
	} {
		c := soundCharter()
		c.Members[1].Model = m
		if err := Check(&c); err != nil {
			t.Errorf("%+v: %v", m, err)
		}
	}
}
