package tool_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council/access"
	"github.com/council-engine/council/council/tool"
)

func TestSettingsThatMeanNothingAreRefused(t *testing.T) {
	server := func(edit func(*tool.Server)) tool.Settings {
		s := tool.Server{Name: "srv", Command: []string{"x"}, Allow: []string{"get"}}
		edit(&s)
		return tool.Settings{MCP: []tool.Server{s}}
	}
	space := &tool.Workspace{}
	for _, test := range []struct {
		name, field, text string
		settings          tool.Settings
	}{
		{"sound", "", "", tool.Settings{Workspace: space, MaxCalls: 50, MaxBytes: 1024, TimeoutSeconds: 0.5}},
		{"nothing", "", "names no tools", tool.Settings{}},
		{"writing to what is only read", "/allowWrites", "only read", tool.Settings{Workspace: space, AllowWrites: true}},
		{"too many calls", "/maxCalls", "between 0 and 50", tool.Settings{Workspace: space, MaxCalls: 51}},
		{"calls below none", "/maxSessionCalls", "between", tool.Settings{Workspace: space, MaxSessionCalls: -1}},
		{"results of nothing", "/maxBytes", "between 1024", tool.Settings{Workspace: space, MaxBytes: 10}},
		{"no time", "/timeoutSeconds", "between 0", tool.Settings{Workspace: space, TimeoutSeconds: -1}},
		{"two ways to a server", "/mcp/0", "either a command", server(func(s *tool.Server) { s.URL = "https://x" })},
		{"no way", "/mcp/0", "either a command", server(func(s *tool.Server) { s.Command = nil })},
		{"variables for an address", "/mcp/0/env", "no program", server(func(s *tool.Server) { s.Command, s.URL, s.Env = nil, "https://x", []string{"A"} })},
		{"a token for a program", "/mcp/0/apiKeyEnv", "name in env", server(func(s *tool.Server) { s.APIKeyEnv = "A" })},
		{"a credential for a program", "/mcp/0/auth", "name in env", server(func(s *tool.Server) { s.Auth = &access.Auth{Method: "credential-ref", CredentialID: "a"} })},
		{"headers for a program", "/mcp/0/headers", "name in env", server(func(s *tool.Server) { s.Headers = map[string]string{"A": "b"} })},
		{"a value for a variable", "/mcp/0/env/0", "never a value", server(func(s *tool.Server) { s.Env = []string{"A=b"} })},
		{"a name with a dot", "/mcp/0/name", "1 to 32", server(func(s *tool.Server) { s.Name = "a.b" })},
		{"the name of what is built in", "/mcp/0/name", "more than one source", server(func(s *tool.Server) { s.Name = "workspace" })},
		{"nothing allowed", "/mcp/0/allow", "between 1", server(func(s *tool.Server) { s.Allow = nil })},
		{"allowed twice", "/mcp/0/allow/1", "twice", server(func(s *tool.Server) { s.Allow = []string{"get", "get"} })},
		{"a tool of no name", "/mcp/0/allow/0", "1 to 128", server(func(s *tool.Server) { s.Allow = []string{"a b"} })},
	} {
		found := test.settings.Problems()
		if test.text == "" && len(found) > 0 || test.text != "" && (len(found) != 1 || found[0].Field != test.field || !strings.Contains(found[0].Text, test.text)) {
			t.Errorf("%s: %+v", test.name, found)
		}
	}
}

func TestTheBoundsOfCalls(t *testing.T) {
	var none *tool.Settings
	few := &tool.Settings{MaxCalls: 3, MaxSessionCalls: 5}
	for _, test := range []struct {
		settings     *tool.Settings
		before, want int
	}{{none, 0, 0}, {&tool.Settings{}, 0, 8}, {&tool.Settings{}, 199, 1}, {few, 0, 3}, {few, 3, 2}, {few, 5, 0}, {few, 9, 0}} {
		if got := test.settings.Calls(test.before); got != test.want {
			t.Errorf("after %d: %d, want %d", test.before, got, test.want)
		}
	}
	if text, cut := tool.Bound("aé", 2); text != "a" || !cut {
		t.Errorf("%q, %v", text, cut)
	}
}
