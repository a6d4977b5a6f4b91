package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
)

// leftBy is a newcomer with three credentials that roundtable keeps: a key for two servers, the token of a login in a
// file of its own, and one that has ended.
func leftBy(t *testing.T) (p *newcomer, keys, tokens string) {
	t.Helper()
	tokens = filepath.Join(t.TempDir(), "tokens.json")
	p = newNewcomer(t, seatsWith(storedModel,
		`{ "provider": "openai-codex", "model": "m", "baseUrl": "https://other.example/v1", "auth": { "method": "credential-ref", "credentialId": "work" } }`,
		`{ "provider": "house", "model": "m", "baseUrl": "https://house.example/v1", "auth": { "method": "oauth-device-code", "clientId": "c", "deviceAuthorizationEndpoint": "https://in.example/d", "tokenEndpoint": "https://in.example/t", "tokenStorePath": "`+filepath.ToSlash(tokens)+`" } }`,
		`{ "provider": "house", "model": "m", "baseUrl": "https://late.example/v1", "auth": { "method": "credential-ref", "credentialId": "late" } }`,
		noModel))
	keys = filepath.Join(p.root(), "roundtable", "credentials.json")
	for path, doc := range map[string]string{
		keys: `{"version": 1, "updatedAt": "2026-02-13T22:58:25.078Z", "entries": {
			"work": {"kind": "api-key", "apiKey": "` + plantedKey + `", "providerHint": "openai-codex", "updatedAt": "x"},
			"late": {"kind": "oauth", "oauthProviderId": "house", "updatedAt": "x", "credentials":
				{"access": "planted-access", "refresh": "planted-refresh", "expires": 1770000000000}}}}`,
		tokens: `{"house:m": {"accessToken": "planted-token-0001", "refreshToken": "planted-refresh-0001",
			"expiresAt": "2126-02-13T22:58:25.078Z"}}`,
	} {
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check.OK(t, os.WriteFile(path, []byte(doc), 0o600))
	}
	return p, keys, tokens
}

func TestWhatRoundtableKeptIsMovedToWhereOursIs(t *testing.T) {
	p, keys, tokens := leftBy(t)
	check.ErrorIs(t, "it", cli.ErrFindings, p.run("--check"))
	p.says("council onboard moves what it holds")
	if err := p.run(); !errors.Is(err, cli.ErrFindings) { // nobody is there to agree
		t.Error(err)
	}
	p.says("council onboard --from-roundtable stores it for https://models.example")
	check.ErrorIs(t, "it was stored without anybody's consent", credential.ErrAbsent,
		check.Err(credential.OpenVault(p.root(), nil).Get("work")))
	if err := p.run("--from-roundtable"); !errors.Is(err, cli.ErrFindings) { // the one that has ended is missing
		t.Error(err)
	}
	p.says("What roundtable keeps as late has ended", "is left as it is. It holds secrets")
	p.holds("work", credential.Entry{Secret: plantedKey, Server: "https://models.example"})
	p.holds("work at https://other.example", credential.Entry{Secret: plantedKey, Server: "https://other.example"})
	id := "login of c at https://in.example/t"
	e, err := credential.OpenVaultFile(tokens).Get(id)
	if want := (credential.Entry{Secret: "planted-token-0001", Server: "https://house.example",
		Refresh: "planted-refresh-0001", Issuer: "https://in.example/t", Client: "c",
		Expires: time.Date(2126, 2, 13, 22, 58, 25, 0, time.UTC)}); e != want || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	for _, path := range []string{keys, tokens + ".roundtable"} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileOfRoundtablesIsRemovedWhenThePersonAgrees(t *testing.T) {
	for _, yes := range []bool{true, false} {
		p, keys, _ := leftBy(t)
		late := strings.Replace(storedModel, `"work"`, `"late"`, 1)
		check.OK(t, os.WriteFile(p.file, []byte(seatsWith(storedModel, late, noModel)), 0o600))
		p.asker = (&typist{yes: yes}).ask
		check.ErrorIs(t, "it", cli.ErrFindings, p.run())
		p.says()
		if _, err := os.Stat(keys); errors.Is(err, fs.ErrNotExist) != yes {
			t.Errorf("agreed %t: %v", yes, err)
		}
	}
}
