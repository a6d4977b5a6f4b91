package credential

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

func address(t *testing.T, s string) *url.URL {
	t.Helper()
	return check.Get(url.Parse(s))(t)
}

// noKey fails the test unless the wallet has no key for the model at the server, for a reason with the words.
func noKey(t *testing.T, w *Wallet, m council.Model, server, words string) {
	t.Helper()
	_, err := w.For(m, address(t, server))
	check.ErrorIs(t, server, member.ErrNoKey, err)
	check.Fails(t, server, err, words)
	check.NeverSays(t, fmt.Sprint(err), "planted")
}

// renewed fails the test unless another secret takes the place of the one that was refused.
func renewed(t *testing.T, c *Credential, refused, want string) {
	t.Helper()
	if secret, ok, err := c.Renew(t.Context(), refused); secret != want || !ok || err != nil {
		t.Errorf("%q, %t, %v, not %q", secret, ok, err, want)
	}
}

func noEnv(string) string { return "" }

var reference = council.Model{Provider: "openai", Auth: &council.Auth{Method: "credential-ref", CredentialID: "work"}}

func TestStored_AStoredKeyGoesToItsServerAlone(t *testing.T) {
	v := OpenVault(t.TempDir(), nil)
	check.Get(v.Put("work", Entry{Secret: "planted-key-0001", Server: "https://api.openai.com"}))(t)
	for _, server := range []string{"https://api.openai.com/v1/", "https://API.openai.com:443",
		"https://api.openai.com/another/path"} {
		check.Is(t, server, "planted-key-0001", get(t, open(t, &Wallet{Getenv: noEnv, Vault: v}, reference, server)))
	}
	for _, server := range []string{"https://api.openai.com.evil.example", "http://api.openai.com",
		"https://api.openai.com:8443", "https://evil.example", "http://localhost"} {
		noKey(t, &Wallet{Getenv: noEnv, Vault: v}, reference, server,
			"stored for https://api.openai.com and is not sent to "+server)
	}
}

func TestStored_AKeyThatIsNotStored(t *testing.T) {
	folder := t.TempDir()
	const at = "https://a.example"
	for _, v := range []*Vault{OpenVault(folder, nil), OpenVault(filepath.Join(folder, "none"), nil)} {
		noKey(t, &Wallet{Getenv: noEnv, Vault: v}, reference, at, `openai needs the credential "work": it is not stored`)
	}
	noKey(t, &Wallet{Getenv: noEnv}, reference, at, "nothing can be stored here")
	check.Get(OpenVault(folder, nil).Put("work", Entry{Secret: "planted-key-0001", Server: at}))(t)
	check.OK(t, os.Chmod(filepath.Join(folder, VaultFile), 0o644))
	noKey(t, &Wallet{Getenv: noEnv, Vault: OpenVault(folder, nil)}, reference, at, ErrExposed.Error())
}

func TestStored_AStoredKeyThatWasReplacedIsTakenAfterARefusal(t *testing.T) {
	v := OpenVault(t.TempDir(), nil)
	store := func(key string) {
		check.Get(v.Put("work", Entry{Secret: key, Server: "https://a.example"}))(t)
	}
	store("planted-key-old")
	w := &Wallet{Getenv: noEnv, Vault: v}
	c := open(t, w, reference, "https://a.example")
	if _, ok, err := c.Renew(t.Context(), get(t, c)); ok || err != nil {
		t.Errorf("the same key again: %t, %v", ok, err)
	}
	store("planted-key-new")
	renewed(t, c, "planted-key-old", "planted-key-new")
	check.Is(t, "it", "planted-key-new", get(t, c))
	check.Is(t, "it", "[cut], [cut], key", w.Cut("planted-key-old, planted-key-new, key"))
}

func TestStored_AnUnknownMethodIsRefused(t *testing.T) {
	noKey(t, &Wallet{Getenv: noEnv}, council.Model{Provider: "openai", Auth: &council.Auth{Method: "magic"}}, "https://a",
		`no auth method "magic"`)
}

func TestKey(t *testing.T) {
	env := map[string]string{"MINE": " k1 \n", "OPENAI_API_KEY": "k2", "ANTHROPIC_API_KEY": "k3", "EMPTY": " "}
	tests := []struct {
		name  string
		model council.Model
		key   string
		words string // of the error, "" means none
	}{
		{"named", council.Model{Provider: "openai", APIKeyEnv: "MINE"}, "k1", ""},
		{"named by auth", council.Model{Provider: "openai", APIKeyEnv: "OTHER",
			Auth: &council.Auth{Method: "api-key-env", APIKeyEnv: "MINE"}}, "k1", ""},
		{"the standard name of openai", council.Model{Provider: "openai"}, "k2", ""},
		{"the standard name of anthropic", council.Model{Provider: "anthropic"}, "k3", ""},
		{"a standard key stays at home", council.Model{Provider: "openai", BaseURL: "https://elsewhere.example/v1"}, "", ""},
		{"ollama", council.Model{Provider: "ollama"}, "", ""},
		{"not set", council.Model{Provider: "openai", APIKeyEnv: "MISSING"}, "", "environment variable MISSING is not set"},
		{"blank", council.Model{Provider: "openai", APIKeyEnv: "EMPTY"}, "", "environment variable EMPTY is not set"},
		{"not set, elsewhere", council.Model{Provider: "openai", APIKeyEnv: "MISSING", BaseURL: "https://elsewhere.example"},
			"", "MISSING"},
		{"not set, on loopback", council.Model{Provider: "openai", APIKeyEnv: "MISSING", BaseURL: "http://localhost:8000"},
			"", ""},
		{"set, on loopback", council.Model{Provider: "openai", APIKeyEnv: "MINE", BaseURL: "http://[::1]:8000/v1"}, "k1", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key, err := Key(test.model, func(name string) string { return env[name] })
			check.Is(t, "key", test.key, key)
			if test.words == "" && err != nil ||
				test.words != "" && (!errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), test.words)) {
				t.Errorf("%v", err)
			}
		})
	}
}
