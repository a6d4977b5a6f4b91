package credential

import (
	"errors"
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
	u := check.Get(url.Parse(s))(t)
	return u
}

func noEnv(string) string { return "" }

var reference = council.Model{Provider: "openai", Auth: &council.Auth{Method: "credential-ref", CredentialID: "work"}}

func TestAStoredKeyGoesToItsServerAlone(t *testing.T) {
	v := OpenVault(t.TempDir(), nil)
	check.Get(v.Put("work", Entry{Secret: "planted-key-0001", Server: "https://api.openai.com"}))(t)
	for _, server := range []string{"https://api.openai.com/v1/", "https://API.openai.com:443",
		"https://api.openai.com/another/path"} {
		if key := get(t, open(t, &Wallet{Getenv: noEnv, Vault: v}, reference, server)); key != "planted-key-0001" {
			t.Errorf("%s: %q", server, key)
		}
	}
	for _, server := range []string{"https://api.openai.com.evil.example", "http://api.openai.com",
		"https://api.openai.com:8443", "https://evil.example", "http://localhost"} {
		_, err := (&Wallet{Getenv: noEnv, Vault: v}).For(reference, address(t, server))
		if !errors.Is(err, member.ErrNoKey) ||
			!strings.Contains(err.Error(), "stored for https://api.openai.com and is not sent to "+server) {
			t.Errorf("%s: %v", server, err)
		}
		if err != nil && strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: the key is told", server)
		}
	}
}

func TestAKeyThatIsNotStored(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		vault *Vault
		words string
	}{
		"nowhere":   {nil, "nothing can be stored here"},
		"none":      {OpenVault(folder, nil), `openai needs the credential "work": it is not stored`},
		"no folder": {OpenVault(filepath.Join(folder, "none"), nil), `needs the credential "work": it is not stored`},
	} {
		_, err := (&Wallet{Getenv: noEnv, Vault: test.vault}).For(reference, address(t, "https://a.example"))
		if !errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	check.Get(OpenVault(folder, nil).Put("work",
		Entry{Secret: "planted-key-0001", Server: "https://a.example"}))(t)
	check.OK(t, os.Chmod(filepath.Join(folder, VaultFile), 0o644))
	_, err := (&Wallet{Getenv: noEnv, Vault: OpenVault(folder, nil)}).For(reference, address(t, "https://a.example"))
	if !errors.Is(err, member.ErrNoKey) || !errors.Is(err, ErrExposed) {
		t.Errorf("%v", err)
	}
}

func TestAStoredKeyThatWasReplacedIsTakenAfterARefusal(t *testing.T) {
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
	if key, ok, err := c.Renew(t.Context(), "planted-key-old"); key != "planted-key-new" || !ok || err != nil {
		t.Errorf("%q, %t, %v", key, ok, err)
	}
	check.Is(t, "it", "planted-key-new", get(t, c))
	check.Is(t, "it", "[cut], [cut], key", w.Cut("planted-key-old, planted-key-new, key"))
}

func TestAnUnknownMethodIsRefused(t *testing.T) {
	_, err := (&Wallet{Getenv: noEnv}).For(council.Model{Provider: "openai", Auth: &council.Auth{Method: "magic"}},
		address(t, "https://a"))
	if !errors.Is(err, member.ErrNoKey) || !strings.Contains(err.Error(), `no auth method "magic"`) {
		t.Errorf("%v", err)
	}
}
