package charter

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestMembersAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, pointer string
		problem       string // part of it
		spoil         func(c *council.Charter)
	}{
		{"when there is one", "/members", "at least 3 members, not 1",
			func(c *council.Charter) { c.Members = c.Members[:1] }},
		{"when they are even in number", "/members", "odd number of members", func(c *council.Charter) { grow(c, 4) }},
		{"when they are too many", "/members", "at most 99 members, not 101", func(c *council.Charter) { grow(c, 101) }},
		{"with upper case in an id", "/members/0/id", `not "Ann"`, func(c *council.Charter) { c.Members[0].ID = "Ann" }},
		{"with the id of the convener", "/members/0/id", "the id of the person who convened",
			func(c *council.Charter) { c.Members[0].ID = council.Convener }},
		{"with a path for an id", "/members/0/id", "1 to 64 of a-z", func(c *council.Charter) { c.Members[0].ID = "../ann" }},
		{"with an id that ends in a newline", "/members/0/id", "1 to 64 of a-z",
			func(c *council.Charter) { c.Members[0].ID = "ann\n" }},
		{"with an id of 65 characters", "/members/0/id", "1 to 64 of a-z",
			func(c *council.Charter) { c.Members[0].ID = council.MemberID(strings.Repeat("a", 65)) }},
		{"with an id twice", "/members/1/id", `more than one member "ann"`,
			func(c *council.Charter) { c.Members[1].ID = "ann" }},
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
		{"with a name that nobody sees", "/members/1/name", `(\u3164) is visible`,
			func(c *council.Charter) { c.Members[1].Name = "\u3164" }},
		{"without a name", "/members/0/name", "must not be empty", func(c *council.Charter) { c.Members[0].Name = "" }},
		{"without a role", "/members/0/role", "must not be empty", func(c *council.Charter) { c.Members[0].Role = "" }},
		{"without a system prompt", "/members/0/systemPrompt", "must not be empty",
			func(c *council.Charter) { c.Members[0].SystemPrompt = "" }},
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
		{"with a member missing in the turn order", "/turnOrder", `"bob" has no place`,
			func(c *council.Charter) { c.TurnOrder = []council.MemberID{"cy", "ann"} }},
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

func TestModelsAreRefused(t *testing.T) {
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
func TestNoMessageQuotesASecret(t *testing.T) {
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
