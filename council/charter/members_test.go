package charter

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestMembers_AreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, pointer string
		problem       string // part of it
		spoil         any    // the value at the pointer, or a function
	}{
		{"when there is one", "/members", "at least 3 members, not 1",
			func(c *council.Charter) { c.Members = c.Members[:1] }},
		{"when they are even in number", "/members", "odd number of members", func(c *council.Charter) { grow(c, 4) }},
		{"when they are too many", "/members", "at most 99 members, not 101", func(c *council.Charter) { grow(c, 101) }},
		{"with upper case in an id", "/members/0/id", `not "Ann"`, "Ann"},
		{"with the id of the convener", "/members/0/id", "the id of the person who convened", council.Convener},
		{"with a path for an id", "/members/0/id", "1 to 64 of a-z", "../ann"},
		{"with an id that ends in a newline", "/members/0/id", "1 to 64 of a-z", "ann\n"},
		{"with an id of 65 characters", "/members/0/id", "1 to 64 of a-z", council.MemberID(strings.Repeat("a", 65))},
		{"with an id twice", "/members/1/id", `more than one member "ann"`, "ann"},
		{"with a name twice", "/members/1/name", `the name "Ada" looks like "Ada", the name of member "ann"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[1].Name = "Ada", "Ada" }},
		{"with names that differ in case", "/members/1/name", `the name "aDA" looks like "Ada", the name of member "ann"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[1].Name = "Ada", "aDA" }},
		{"with a name in other letters", "/members/1/name", `the name "Аda" (\u0410da) looks like "Ada"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[1].Name = "Ada", "Аda" }},
		{"with a name with an invisible character", "/members/2/name", `the name "Ad\u200ba" looks like "Ada"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[2].Name = "Ada", "Ad\u200ba" }},
		{"with a name with spaces", "/members/1/name", `looks like "Ada Lee"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[1].Name = "Ada Lee", "Ada  Lee " }},
		{"with the id of another for a name", "/members/1/name", `looks like "ann", the id of member "ann"`,
			func(c *council.Charter) { c.Members[0].Name, c.Members[1].Name = "The Architect", "ann" }},
		{"with ids that look alike", "/members/1/id", `the id "seatl" looks like "seat1", the id of member "seat1"`,
			func(c *council.Charter) { c.Members[0].ID, c.Members[1].ID = "seat1", "seatl" }},
		{"with a name that nobody sees", "/members/1/name", `(\u3164) is visible`, "\u3164"},
		{"without a name", "/members/0/name", "must not be empty", ""},
		{"without a role", "/members/0/role", "must not be empty", ""},
		{"without a system prompt", "/members/0/systemPrompt", "must not be empty", ""},
		{"with an empty trait", "/members/0/traits/0", "must not be empty",
			func(c *council.Charter) { c.Members[0].Traits = []string{""} }},
		{"with an infinite weight", "/members/0/focusWeights/a~1b", "finite",
			func(c *council.Charter) { c.Members[0].FocusWeights = map[string]float64{"a/b": math.Inf(-1)} }},
		{"with a weight that is not a number", "/members/0/focusWeights/cost", "finite",
			func(c *council.Charter) { c.Members[0].FocusWeights = map[string]float64{"cost": math.NaN()} }},
		{"with a stranger in the turn order", "/turnOrder/3", `no member "dee"`,
			func(c *council.Charter) { c.TurnOrder = []council.MemberID{"cy", "bob", "ann", "dee"} }},
		{"with a member twice in the turn order", "/turnOrder/3", `"ann" is named twice`,
			func(c *council.Charter) { c.TurnOrder = []council.MemberID{"ann", "bob", "cy", "ann"} }},
		{"with a member missing in the turn order", "/turnOrder", `"bob" has no place`, []council.MemberID{"cy", "ann"}},
	} {
		t.Run(tt.name, func(t *testing.T) { refuses(t, tt.pointer, tt.problem, tt.spoil) })
	}
}

func grow(c *council.Charter, n int) {
	for i := len(c.Members); i < n; i++ {
		m := c.Members[0]
		m.ID, m.Name = council.MemberID(fmt.Sprintf("m%d", i)), fmt.Sprintf("Member %d", i)
		c.Members = append(c.Members, m)
	}
}

func TestMembers_ModelsAreRefused(t *testing.T) {
	hot := 2.5
	auth := func(a council.Auth) func(*council.Model) { return func(m *council.Model) { m.Auth = &a } }
	header := func(name, value string) func(*council.Model) {
		return func(m *council.Model) { m.Headers = map[string]string{name: value} }
	}
	url := func(address string) func(*council.Model) { return func(m *council.Model) { m.BaseURL = address } }
	for _, tt := range []struct {
		name, pointer string
		problem       string // part of it
		spoil         func(m *council.Model)
	}{
		{"without a provider", "/provider", "must not be empty", func(m *council.Model) { m.Provider = "" }},
		{"without a model", "/model", "must not be empty", func(m *council.Model) { m.Model = "" }},
		{"too hot", "/temperature", "between 0 and 2, not 2.5", func(m *council.Model) { m.Temperature = &hot }},
		{"with negative tokens", "/maxTokens", "or more, not -1", func(m *council.Model) { m.MaxTokens = -1 }},
		{"with replies too long to be held", "/maxReplyBytes", "between 4096 and 1048576",
			func(m *council.Model) { m.MaxReplyBytes = 1<<20 + 1 }},
		{"with a context below nothing", "/contextWindow", "between 0", func(m *council.Model) { m.ContextWindow = -1 }},
		{"with a context that its replies fill", "/contextWindow", "larger than maxTokens, which is 4096",
			func(m *council.Model) { m.ContextWindow, m.MaxTokens = 4096, 4096 }},
		{"with replies too short to be any", "/maxReplyBytes", "left out for 262144, not 10",
			func(m *council.Model) { m.MaxReplyBytes = 10 }},
		{"with a key for a variable", "/apiKeyEnv", "never a key", func(m *council.Model) { m.APIKeyEnv = "sk-abc123" }},
		{"with a file for an address", "/baseUrl", "http:// or https://", url("file:///etc/passwd")},
		{"with no scheme", "/baseUrl", "http:// or https://", url("localhost:11434/v1")},
		{"with no host", "/baseUrl", "names no host", url("http:///v1")},
		{"with only a port", "/baseUrl", "names no host", url("http://:11434")},
		{"with a password in the address", "/baseUrl", "user or password", url("https://ann:pw@example.org/v1")},
		{"with a key in the address", "/baseUrl", "key or token", url("https://example.org/v1?a=b&api-key=x")},
		{"with a key in the address by its form", "/baseUrl", "key or token", url("https://example.org/v1?a=sk-123")},
		{"with a signature in the address", "/baseUrl", "key or token", url("https://example.org/v1?a=b&SIG=x")},
		{"with a space in the address", "/baseUrl", "spaces", url("https://example.org/v 1")},
		{"with a bearer token", "/headers/Authorization", "looks like a secret", header("Authorization", "Bearer abc")},
		{"with a key header", "/headers/X-Api-Key", "looks like a secret", header("X-Api-Key", "abc")},
		{"with a key header in other letters", "/headers/x_APIKEY", "looks like a secret", header("x_APIKEY", "abc")},
		{"with a token header", "/headers/X-Auth-Token", "looks like a secret", header("X-Auth-Token", "abc")},
		{"with a cookie", "/headers/Cookie", "looks like a secret", header("Cookie", "a=b")},
		{"with a secret", "/headers/Client-Secret", "looks like a secret", header("Client-Secret", "abc")},
		{"with half a reference", "/headers/Authorization", "looks like a secret", header("Authorization", "${KEY}abc")},
		{"with a secret under a harmless name", "/headers/X-Team", "looks like a secret", header("X-Team", "sk-abc")},
		{"with a header that breaks the line", "/headers/X-Team", "control characters", header("X-Team", "a\r\nX-B: c")},
		{"with a header that is not a name", "/headers/X Team", "not a name for a header", header("X Team", "a")},
		{"with an unknown method", "/auth/method", `not "magic"`, auth(council.Auth{Method: "magic"})},
		{"without the variable", "/auth/apiKeyEnv", "the method api-key-env needs it",
			auth(council.Auth{Method: "api-key-env"})},
		{"with a key for the variable", "/auth/apiKeyEnv", "never a key",
			auth(council.Auth{Method: "api-key-env", APIKeyEnv: "sk-abc-123"})},
		{"without the credential", "/auth/credentialId", "credential-ref needs it",
			auth(council.Auth{Method: "credential-ref"})},
		{"without the command", "/auth/command", "command needs it", auth(council.Auth{Method: "command"})},
		{"with a key for a variable of its command", "/auth/env/0", "never a key",
			auth(council.Auth{Method: "command", Command: council.Printer{Shell: "c"}, Env: []string{"sk-abc-123"}})},
		{"with a negative lifetime", "/auth/cacheTtlSeconds", "or more, not -1",
			auth(council.Auth{Method: "command", Command: council.Printer{Shell: "c"}, CacheTTLSeconds: -1})},
		{"without the token endpoint", "/auth/tokenEndpoint", "needs it",
			auth(council.Auth{Method: "oauth-device-code", ClientID: "c", DeviceAuthorizationEndpoint: "https://a.example/d"})},
		{"with a secret in its command", "/auth/command", "held a secret",
			auth(council.Auth{Method: "command",
				Command: council.Printer{Shell: "curl -H 'Authorization: Bearer x' --key=sk-123 u"}})},
		{"with a token endpoint on disk", "/auth/tokenEndpoint", "http:// or https://",
			auth(council.Auth{Method: "oauth-device-code", ClientID: "c", DeviceAuthorizationEndpoint: "https://a.example/d",
				TokenEndpoint: "file:///t"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refuses(t, "/members/1/model"+tt.pointer, tt.problem, func(c *council.Charter) { tt.spoil(&c.Members[1].Model) })
		})
	}
}

func TestModelsPass(t *testing.T) {
	for _, tt := range []struct {
		name  string
		model council.Model
	}{
		{"the rehearsal, which names no model", council.Model{Provider: "rehearsal"}},
		{"the default, which the command replaces", council.Model{Provider: "default"}},
		{"a server on loopback", council.Model{Provider: "openai-compatible", Model: "m",
			BaseURL: "http://localhost:11434/v1"}},
		{"an address with a version", council.Model{Provider: "openai", Model: "m",
			BaseURL: "https://[::1]:8080/v1?api-version=2024-02-01"}},
		{"headers by reference", council.Model{Provider: "openai", Model: "m", Headers: map[string]string{
			"Authorization": "Bearer ${TEAM_KEY}", "X-Api-Key": "${KEY}", "X-Title": "Council"}}},
		{"a program that is told which secret", council.Model{Provider: "openai", Model: "m",
			Auth: &council.Auth{Method: "command",
				Command: council.Printer{Shell: "gcloud secrets versions access latest --secret=openai-key"}}}},
		{"a device login", council.Model{Provider: "openai-codex", Model: "m",
			Auth: &council.Auth{Method: "oauth-device-code",
				ClientID: "c", DeviceAuthorizationEndpoint: "https://a.example/d", TokenEndpoint: "https://a.example/t"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := soundCharter()
			c.Members[0].Model = tt.model
			check.OK(t, Check(&c))
		})
	}
}

// A message is printed and kept; it must not carry the secret that it complains about.
func TestMembers_NoMessageQuotesASecret(t *testing.T) {
	const secret = "hunter2-5f3a"
	c := soundCharter()
	c.Members[0].Model.Headers = map[string]string{"Authorization": secret, "X-Team": "sk-" + secret,
		"Cookie": secret + "\n"}
	c.Members[1].Model.APIKeyEnv = secret
	c.Members[1].Model.BaseURL = "https://ann:" + secret + "@example.org/?token=" + secret
	c.Members[2].Model.Auth = &council.Auth{Method: "api-key-env", APIKeyEnv: secret, TokenEndpoint: "x:" + secret}
	err := Check(&c)
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
}

func TestMembers_ProgramsAreRefused(t *testing.T) {
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
		check.ErrorIs(t, fmt.Sprintf("%+v", m), nil, Check(&c))
	}
}

// A token for a server of tools is named like a model's key: a written one is refused, and not quoted.
func TestMembers_ServersOfToolsAreRefused(t *testing.T) {
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

func TestMembers_SettingsThatMeanNothingAreRefused(t *testing.T) {
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
