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
	name, err := keyName(m)
	if err != nil {
		return "", err
	}
	if name == "" {
		return "", nil
	}
	if key := strings.TrimSpace(getenv(name)); key != "" {
		return key, nil
	}
	if member.Loopback(m.BaseURL) {
		return "", nil
	}
	return "", fmt.Errorf("%w: %s needs an API key and the environment variable %s is not set: export it, or name another in apiKeyEnv",
		member.ErrNoKey, m.Provider, name)
}

// keyName is the variable that holds the key, or "" when none is needed.
func keyName(m council.Model) (string, error) {
	if m.Auth != nil {
		switch m.Auth.Method {
		case "api-key-env":
			if name := cmp.Or(m.Auth.APIKeyEnv, m.APIKeyEnv); name != "" {
				return name, nil
			}
			return "", fmt.Errorf("%w: auth method api-key-env of %s names no variable: set apiKeyEnv", member.ErrNoKey, m.Provider)
		case "credential-ref", "oauth-device-code", "command":
			return "", fmt.Errorf("%w: this version cannot use the auth method %q of %s yet: use apiKeyEnv instead",
				member.ErrNoKey, m.Auth.Method, m.Provider)
		case "":
		default:
			return "", fmt.Errorf("%w: there is no auth method %q: use apiKeyEnv instead", member.ErrNoKey, m.Auth.Method)
		}
	}
	if m.APIKeyEnv != "" || m.BaseURL != "" {
		return m.APIKeyEnv, nil
	}
	switch m.Provider {
	case "openai":
		return "OPENAI_API_KEY", nil
	case "anthropic":
		return "ANTHROPIC_API_KEY", nil
	}
	return "", nil
}
