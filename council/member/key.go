package member

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// ErrNoKey: a key or header value that the charter names is not in the environment, or cannot be used by this
// version. The message says which, and what to do. [Key] and [Headers] return it.
var ErrNoKey = errors.New("no usable credential")

// Key returns the API key that the charter names for a model, read by getenv. It is empty where none is needed: on
// loopback, and where no key was named for a base URL of one's own. A standard variable (OPENAI_API_KEY,
// ANTHROPIC_API_KEY) is only read for that provider's own address, so that a key is never sent to a server it was
// not meant for. The error is an [ErrNoKey].
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
	if Loopback(m.BaseURL) {
		return "", nil
	}
	return "", fmt.Errorf("%w: %s needs an API key and the environment variable %s is not set: export it, or name another in apiKeyEnv",
		ErrNoKey, m.Provider, name)
}

// keyName is the variable that holds the key, or "" when none is needed.
func keyName(m council.Model) (string, error) {
	if m.Auth != nil {
		switch m.Auth.Method {
		case "api-key-env":
			if name := firstOf(m.Auth.APIKeyEnv, m.APIKeyEnv); name != "" {
				return name, nil
			}
			return "", fmt.Errorf("%w: auth method api-key-env of %s names no variable: set apiKeyEnv", ErrNoKey, m.Provider)
		case "credential-ref", "oauth-device-code", "command":
			return "", fmt.Errorf("%w: this version cannot use the auth method %q of %s yet: use apiKeyEnv instead",
				ErrNoKey, m.Auth.Method, m.Provider)
		case "":
		default:
			return "", fmt.Errorf("%w: there is no auth method %q: use apiKeyEnv instead", ErrNoKey, m.Auth.Method)
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

var variables = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Headers returns a model's own headers with each ${VAR} in a value replaced by the environment's, and the values
// that were put in, which are secrets. The error is an [ErrNoKey] that names the variable.
func Headers(m council.Model, getenv func(string) string) (headers map[string]string, secrets []string, err error) {
	headers = make(map[string]string, len(m.Headers))
	for _, name := range slices.Sorted(maps.Keys(m.Headers)) {
		var missing string
		headers[name] = variables.ReplaceAllStringFunc(m.Headers[name], func(reference string) string {
			variable := strings.Trim(reference, "${}")
			value := strings.TrimSpace(getenv(variable))
			if value == "" {
				missing = variable
			}
			secrets = append(secrets, value)
			return value
		})
		if missing != "" {
			return nil, nil, fmt.Errorf("%w: the header %s needs the environment variable %s, which is not set: export it, or remove the header",
				ErrNoKey, name, missing)
		}
	}
	return headers, secrets, nil
}

// Loopback reports whether a base URL names this machine.
func Loopback(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
