package charter

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/access"
	"github.com/council-engine/council/council/tool"
)

// A token for a server of tools is named like a model's key: what is written out is refused, and not quoted.
func TestServersOfToolsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, pointer, problem string
		server                 tool.Server
	}{
		{"a token for a variable", "/apiKeyEnv", "never a key", tool.Server{URL: "https://x.example", APIKeyEnv: "sk-abc"}},
		{"a token in a header", "/headers/X-Api-Key", "looks like a secret", tool.Server{URL: "https://x.example", Headers: map[string]string{"X-Api-Key": "abc"}}},
		{"a token in the address", "/url", "must not contain a key or token", tool.Server{URL: "https://x.example/mcp?token=abc"}},
		{"a password in the address", "/url", "must not contain a user or password", tool.Server{URL: "https://kim:abc@x.example/mcp"}},
		{"a token among the arguments", "/command/1", "looks like a secret", tool.Server{Command: []string{"x", "--token=abc"}}},
		{"an unknown way", "/auth/method", "magic", tool.Server{URL: "https://x.example", Auth: &access.Auth{Method: "magic"}}},
		{"a credential without a name", "/auth/credentialId", "needs it", tool.Server{URL: "https://x.example", Auth: &access.Auth{Method: "credential-ref"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.server.Name, tt.server.Allow = "srv", []string{"get"}
			refuses(t, "/members/1/tools/mcp/0"+tt.pointer, tt.problem, func(c *council.Charter) {
				c.Members[1].Tools = &tool.Settings{MCP: []tool.Server{tt.server}}
			})
		})
	}
}
