package credential

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// Key returns the API key that the charter names for a model, read by getenv. It is empty where none is needed: on
// loopback, and where no key was named for a base URL of one's own. A standard variable (OPENAI_API_KEY,
// ANTHROPIC_API_KEY) is only read for that provider's own address, so that a key is never sent to a server it was
// not meant for. The error is an [member.ErrNoKey].
func Key(m council.Model, getenv func(string) string) (string, error) {
	name, here := Variable(m), member.Loopback(m.BaseURL)
	switch {
	case name == "" && m.Auth != nil && m.Auth.Method != "":
		return "", fmt.Errorf("%w: auth method api-key-env of %s names no variable: set apiKeyEnv", member.ErrNoKey,
			m.Provider)
	case name == "" && m.Kind().NeedsKey && m.BaseURL != "" && len(m.Headers) == 0 && !here:
		return "", fmt.Errorf("%w: %s needs an API key, and none is named: name its environment variable in apiKeyEnv",
			member.ErrNoKey, m.Provider)
	case name == "":
		return "", nil
	}
	if key := strings.TrimSpace(getenv(name)); key != "" || here {
		return key, nil
	}
	return "", fmt.Errorf(
		"%w: %s needs an API key and the environment variable %s is not set: export it, or name another in apiKeyEnv",
		member.ErrNoKey, m.Provider, name)
}

// Variable returns the environment variable that holds a model's key, or "" when none is needed or it comes from
// elsewhere.
func Variable(m council.Model) string {
	if m.Auth != nil && m.Auth.Method != "" {
		if m.Auth.Method != "api-key-env" {
			return ""
		}
		return cmp.Or(m.Auth.APIKeyEnv, m.APIKeyEnv)
	}
	if m.APIKeyEnv != "" || m.BaseURL != "" {
		return m.APIKeyEnv
	}
	return m.Kind().Key
}

// Name tells the credentials of models apart, without a secret in it: members with the same one at the same server are
// one customer there.
func Name(m council.Model) string {
	if m.Auth != nil {
		switch a := m.Auth; a.Method {
		case "credential-ref":
			return "stored " + a.CredentialID
		case "oauth-device-code":
			return "login " + LoginID(*a) + " " + a.TokenStorePath
		case "command":
			return "program " + cmp.Or(a.CacheKey, strings.Join(append(a.Command.Argv(), a.Env...), " "))
		}
	}
	return "variable " + Variable(m)
}

// Caller returns who calls a server of tools at an address, in the words that models have for it: so [Wallet.For],
// [github.com/council-engine/council/council/member.Headers] and the onboarding serve both.
func Caller(s *council.ToolServer) council.Model {
	return council.Model{
		Provider: "the server " + s.Name + " of tools", BaseURL: s.URL, APIKeyEnv: s.APIKeyEnv, Auth: s.Auth,
		Headers: s.Headers,
	}
}
