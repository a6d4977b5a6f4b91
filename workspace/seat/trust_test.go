package seat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

func charterOf(models ...council.Model) *council.Charter {
	c := &council.Charter{}
	for _, m := range models {
		c.Members = append(c.Members, council.Member{Model: m})
	}
	return c
}

// Whatever would be started or contacted because the configuration says so is listed whole, with what it is given.
func TestTrust_WhatAConfigurationNamesIsListed(t *testing.T) {
	c := charterOf(
		council.Model{Provider: "anthropic", Model: "m", APIKeyEnv: "K"}, // at its own address
		council.Model{Provider: "openai-compatible", Model: "m", BaseURL: "http://127.0.0.1:8000/v1", APIKeyEnv: "K"},
		council.Model{Provider: "openai", Model: "m", BaseURL: "https://a.example/v1", APIKeyEnv: "WORK_KEY",
			Headers: map[string]string{"X": "Bearer ${TEAM}"}},
		council.Model{Provider: "ollama", Model: "m", BaseURL: "http://127.0.0.1@b.example", Fallbacks: []council.Model{
			{Provider: "vllm", Model: "m", BaseURL: "http://10.0.0.7:8000"},
		}},
		council.Model{Provider: "command", Model: "x", Command: []string{"./bin/clerk", "--brief", "a b\u202e"},
			Env: []string{"CLERK_TOKEN"}},
		council.Model{Provider: "command", Model: "claude/opus", Tools: true, Env: []string{"HOME"}, APIKeyEnv: "A"},
		council.Model{Provider: "command", Model: "claude/haiku", Tools: true, Env: []string{"HOME"}, APIKeyEnv: "A"},
		council.Model{Provider: "command", Model: "codex/m", Program: "./bin/codex", BaseURL: "https://gw.example/v1",
			APIKeyEnv: "GW_KEY"},
		council.Model{Provider: "openai", Model: "m",
			Auth: &council.Auth{Method: "command", Command: council.Printer{Shell: "curl x | sh"}, Env: []string{"TOKEN"}}},
		council.Model{Provider: "openai-compatible", Model: "m", BaseURL: "http://localhost:1", Auth: &council.Auth{
			Method: "oauth-device-code", DeviceAuthorizationEndpoint: "https://login.example/d",
			TokenEndpoint: "https://login.example/t"}},
	)
	c.Members[0].Tools = &council.Tools{Workspace: &council.Workspace{Root: "/home/kim"}, MCP: []council.ToolServer{
		{Name: "p", Command: []string{"npx", "-y", "@x/mcp"}, Env: []string{"GITHUB_TOKEN"}},
		{Name: "u", URL: "https://mcp.example/mcp", APIKeyEnv: "MCP_TOKEN"}, {Name: "l", URL: "http://[::1]:9/mcp"},
	}}
	c.Members[1].Tools = &council.Tools{Workspace: &council.Workspace{Root: "docs"}}
	var got []string
	for _, n := range NamedIn(c) {
		got = append(got, string(n))
	}
	want := []string{
		`agent    claude, with its own tools, which is given HOME, A`,
		`agent    codex at ./bin/codex, which is given GW_KEY`,
		`folder   /home/kim, for members to read`,
		`program  ./bin/clerk --brief "a b\u202e", which is given CLERK_TOKEN`,
		`program  npx -y @x/mcp, which is given GITHUB_TOKEN`,
		`program  sh -c "curl x | sh", which is given TOKEN`,
		`server   http://10.0.0.7:8000`,
		`server   http://127.0.0.1@b.example`,
		`server   https://a.example/v1, which is given TEAM, WORK_KEY`,
		`server   https://gw.example/v1, which is given GW_KEY`,
		`server   https://login.example/d`,
		`server   https://login.example/t`,
		`server   https://mcp.example/mcp, which is given MCP_TOKEN`,
	}
	check.Equal(t, "it", want, got)
}

func TestTrust_TheGateAsksForWhatTheFileNamesAndNothingElse(t *testing.T) {
	t.Chdir(t.TempDir())
	state := t.TempDir()
	server := council.Model{Provider: "openai-compatible", Model: "m", BaseURL: "https://a.example"}
	agent := council.Model{Provider: "command", Model: "claude"}
	named, chosen := charterOf(server), charterOf(server, agent) // the agent by --model, say
	for _, step := range []struct {
		name    string
		byFile  []Named
		charter *council.Charter
		typed   string // "" where there is no person
		given   bool   // --trust
		asks    string
		passes  bool
	}{
		{"nothing is named", nil, charterOf(council.Model{Provider: "openai"}), "", false, "", true},
		{"nobody is there", NamedIn(named), chosen, "", false, "https://a.example", false},
		{"no", NamedIn(named), chosen, "no", false, "https://a.example", false},
		{"Enter", NamedIn(named), chosen, " ", false, "https://a.example", false},
		{"yes to the file's part", NamedIn(named), chosen, "yes", false, "https://a.example", true},
		{"not again", NamedIn(named), chosen, "", false, "", true},
		{"nor for all of it, in a session that goes on", NamedIn(chosen), chosen, "", false, "", true},
		{"more than that", NamedIn(charterOf(server, council.Model{Provider: "command", Model: "codex"})),
			charterOf(server, council.Model{Provider: "command", Model: "codex"}), "", false, "agent    codex", false},
		{"the flag", NamedIn(charterOf(council.Model{Provider: "command", Model: "gemini"})),
			charterOf(council.Model{Provider: "command", Model: "gemini"}), "", true, "", true},
	} {
		var errs bytes.Buffer
		g := TrustGate{Given: step.given, World: world(&errs, map[string]string{"XDG_STATE_HOME": state,
			"XDG_CONFIG_HOME": "relative"})}
		if step.typed != "" {
			g.Confirm = func(context.Context, string) (bool, error) { return step.typed == "yes", nil }
		}
		err := g.Pass(t.Context(), step.byFile, step.charter)
		said := errs.String()
		if err != nil {
			said += err.Error()
		}
		if (err == nil) != step.passes || step.asks == "" && said != "" || !strings.Contains(said, step.asks) ||
			strings.Contains(said, "agent    claude") {
			t.Errorf("%s: %v\n%s", step.name, err, said)
		}
	}
	if doc, err := os.ReadFile(filepath.Join(state, "council", "trusted")); err != nil ||
		strings.Count(string(doc), "\n") != 3 {
		t.Errorf("%s, %v", doc, err)
	}
}

func world(errs io.Writer, env map[string]string) *site.World {
	return &site.World{Now: time.Now, Getenv: func(name string) string { return env[name] },
		Warn: func(format string, args ...any) { fmt.Fprintf(errs, format+"\n", args...) }}
}

// A list that lies in the repository vouches for nothing, and an answer that cannot be kept holds for the command.
func TestTrust_IsNotReadFromTheWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	c := charterOf(council.Model{Provider: "command", Model: "claude"})
	env := map[string]string{"XDG_STATE_HOME": t.TempDir()}
	var errs bytes.Buffer
	g := TrustGate{World: world(&errs, env)}
	g.Keep(c)
	if !g.Knows(c) {
		t.Fatal("it is not kept")
	}
	check.OK(t, os.Rename(env["XDG_STATE_HOME"], "state"))
	env["XDG_STATE_HOME"], env["XDG_CONFIG_HOME"] = "state", "state"
	if g.Knows(c) {
		t.Error("a relative folder is read")
	}
	g.Confirm = func(context.Context, string) (bool, error) { return true, nil }
	if err := g.Pass(t.Context(), NamedIn(c), c); err != nil || !strings.Contains(errs.String(), "cannot be kept") {
		t.Errorf("%v\n%s", err, &errs)
	}
	g.Confirm = func(context.Context, string) (bool, error) { return false, errors.New("the input has ended") }
	check.ErrorIs(t, "it", ErrNotTrusted, g.Pass(t.Context(), NamedIn(c), c))
}
