package charter

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

// A token for a server of tools is named like a model's key: a written one is refused, and not quoted.
func TestServersOfToolsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, pointer, problem string
		server                 council.ToolServer
	}{
		{"a token for a variable", "/apiKeyEnv", "never a key",
			council.ToolServer{URL: "https://x.example", APIKeyEnv: "sk-abc"}},
		{"a token in a header", "/headers/X-Api-Key", "looks like a secret",
			council.ToolServer{URL: "https://x.example", Headers: map[string]string{"X-Api-Key": "abc"}}},
		{"a token in the address", "/url", "must not contain a key or token",
			council.ToolServer{URL: "https://x.example/mcp?token=abc"}},
		{"a password in the address", "/url", "must not contain a user or password",
			council.ToolServer{URL: "https://kim:abc@x.example/mcp"}},
		{"a token among the arguments", "/command/1", "looks like a secret",
			council.ToolServer{Command: []string{"x", "--token=abc"}}},
		{"an unknown way", "/auth/method", "magic",
			council.ToolServer{URL: "https://x.example", Auth: &council.Auth{Method: "magic"}}},
		{"a credential without a name", "/auth/credentialId", "needs it",
			council.ToolServer{URL: "https://x.example", Auth: &council.Auth{Method: "credential-ref"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.server.Name, tt.server.Allow = "srv", []string{"get"}
			refuses(t, "/members/1/tools/mcp/0"+tt.pointer, tt.problem, func(c *council.Charter) {
				c.Members[1].Tools = &council.Tools{MCP: []council.ToolServer{tt.server}}
			})
		})
	}
}

func TestSettingsThatMeanNothingAreRefused(t *testing.T) {
	server := func(edit func(*council.ToolServer)) council.Tools {
		s := council.ToolServer{Name: "srv", Command: []string{"x"}, Allow: []string{"get"}}
		edit(&s)
		return council.Tools{MCP: []council.ToolServer{s}}
	}
	space := &council.Workspace{}
	for _, test := range []struct {
		name, field, text string
		settings          council.Tools
	}{
		{"sound", "", "", council.Tools{Workspace: space, MaxCalls: 50, MaxBytes: 1024, TimeoutSeconds: 0.5}},
		{"nothing", "", "names no tools", council.Tools{}},
		{"writing to what is only read", "/allowWrites", "only read", council.Tools{Workspace: space, AllowWrites: true}},
		{"too many calls", "/maxCalls", "between 0 and 50", council.Tools{Workspace: space, MaxCalls: 51}},
		{"calls below none", "/maxSessionCalls", "between", council.Tools{Workspace: space, MaxSessionCalls: -1}},
		{"results of nothing", "/maxBytes", "between 1024", council.Tools{Workspace: space, MaxBytes: 10}},
		{"no time", "/timeoutSeconds", "between 0", council.Tools{Workspace: space, TimeoutSeconds: -1}},
		{"two ways to a server", "/mcp/0", "either a command", server(func(s *council.ToolServer) { s.URL = "https://x" })},
		{"no way", "/mcp/0", "either a command", server(func(s *council.ToolServer) { s.Command = nil })},
		{"variables for an address", "/mcp/0/env", "no program",
			server(func(s *council.ToolServer) { s.Command, s.URL, s.Env = nil, "https://x", []string{"A"} })},
		{"a token for a program", "/mcp/0/apiKeyEnv", "name in env",
			server(func(s *council.ToolServer) { s.APIKeyEnv = "A" })},
		{"a credential for a program", "/mcp/0/auth", "name in env",
			server(func(s *council.ToolServer) { s.Auth = &council.Auth{Method: "credential-ref", CredentialID: "a"} })},
		{"headers for a program", "/mcp/0/headers", "name in env",
			server(func(s *council.ToolServer) { s.Headers = map[string]string{"A": "b"} })},
		{"a value for a variable", "/mcp/0/env/0", "never a key",
			server(func(s *council.ToolServer) { s.Env = []string{"A=b"} })},
		{"a name with a dot", "/mcp/0/name", "1 to 32", server(func(s *council.ToolServer) { s.Name = "a.b" })},
		{"the name of what is built in", "/mcp/0/name", "more than one source",
			server(func(s *council.ToolServer) { s.Name = "workspace" })},
		{"nothing allowed", "/mcp/0/allow", "between 1", server(func(s *council.ToolServer) { s.Allow = nil })},
		{"allowed twice", "/mcp/0/allow/1", "twice",
			server(func(s *council.ToolServer) { s.Allow = []string{"get", "get"} })},
		{"a tool of no name", "/mcp/0/allow/0", "1 to 128",
			server(func(s *council.ToolServer) { s.Allow = []string{"a b"} })},
	} {
		var found problems
		checkTools(&found, "", council.Member{Tools: &test.settings})
		var first council.CharterError
		if len(found) > 0 {
			first = *found[0]
		}
		if test.text == "" && len(found) > 0 ||
			test.text != "" && (len(found) != 1 || first.Pointer != test.field || !strings.Contains(first.Problem, test.text)) {
			t.Errorf("%s: %+v", test.name, found)
		}
	}
}
