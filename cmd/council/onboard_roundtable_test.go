package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/member/credential"
)

// leftByRoundtable is a newcomer with a key for two servers that roundtable keeps, and a token, which is not taken.
func leftByRoundtable(t *testing.T) (p *newcomer, keys string) {
	t.Helper()
	p = newNewcomer(t, seatsWith(storedModel,
		`{ "provider": "openai-codex", "model": "m", "baseUrl": "https://other.example/v1", "auth": { "method": "credential-ref", "credentialId": "work" } }`,
		`{ "provider": "house", "model": "m", "baseUrl": "https://late.example/v1", "auth": { "method": "credential-ref", "credentialId": "late" } }`,
		noModel, noModel))
	keys = filepath.Join(p.root(), "roundtable", "credentials.json")
	doc := `{"version": 1, "updatedAt": "2026-02-13T22:58:25.078Z", "entries": {
			"work": {"kind": "api-key", "apiKey": "` + plantedKey + `", "providerHint": "openai-codex", "updatedAt": "x"},
			"late": {"kind": "oauth", "oauthProviderId": "house", "updatedAt": "x", "credentials":
				{"access": "planted-access", "refresh": "planted-refresh", "expires": 1770000000000}}}}`
	if err := errors.Join(os.MkdirAll(filepath.Dir(keys), 0o700), os.WriteFile(keys, []byte(doc), 0o600)); err != nil {
		t.Fatal(err)
	}
	return p, keys
}

func TestOnboard_StoresTheKeysOfRoundtable(t *testing.T) {
	p, keys := leftByRoundtable(t)
	if err := p.run("--check"); !errors.Is(err, cli.ErrFindings) {
		t.Error(err)
	}
	if err := p.run(); !errors.Is(err, cli.ErrFindings) { // without a terminal it asks for no consent
		t.Error(err)
	}
	p.says("council onboard --from-roundtable stores it for https://models.example")
	if _, err := credential.OpenVault(p.root(), nil).Get("work"); !errors.Is(err, credential.ErrAbsent) {
		t.Error("it was stored without consent:", err)
	}
	if err := p.run("--from-roundtable"); !errors.Is(err, cli.ErrFindings) { // the token is missing
		t.Error(err)
	}
	p.says("is left as it is. It holds secrets")
	p.holds("work", credential.Entry{Secret: plantedKey, Server: "https://models.example"})
	p.holds("work at https://other.example", credential.Entry{Secret: plantedKey, Server: "https://other.example"})
	if _, err := os.Stat(keys); err != nil {
		t.Error(err)
	}
}

func TestOnboard_AsksBeforeItStoresAKeyOfRoundtable(t *testing.T) {
	for _, yes := range []bool{true, false} {
		p, _ := leftByRoundtable(t)
		p.asker = (&typist{yes: yes}).ask
		if err := p.run(); !errors.Is(err, cli.ErrFindings) {
			t.Error(err)
		}
		p.says()
		_, err := credential.OpenVault(p.root(), nil).Get("work")
		if stored := err == nil; stored != yes {
			t.Errorf("agreed %t, stored %t: %v", yes, stored, err)
		}
	}
}
