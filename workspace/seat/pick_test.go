package seat

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

func TestPick_AProviderOfTheTableIsNamedByModel(t *testing.T) {
	p := pickerWith(t, nil)
	tests := []struct {
		provider, model string
		key             string
		want            string // model
		refused         string
	}{
		{"gemini", "gemini-3-pro", "GEMINI_API_KEY", "gemini-3-pro", ""},
		{"openrouter", "anthropic/claude-opus-5", "OPENROUTER_API_KEY", "anthropic/claude-opus-5", ""},
		{"openai", "", "OPENAI_API_KEY", "gpt-5.4", ""},
		{"vllm", "qwen3", "", "qwen3", ""},
		{"rehearsal", "anything", "", "rehearsal", ""},
		{"gemini", "", "", "", "--model gemini names no model"},
		{"azure", "m", "", "", "--model azure does not say where its server is"},
		{"openai-compatible", "m", "", "", "does not say where its server is"},
		{"command", "", "", "", "--model command names nothing"},
		{"skynet", "m", "", "", `there is no provider "skynet"`},
	}
	for _, test := range tests {
		m, err := p.parseNamed(t.Context(), test.provider, test.model)
		var refused *site.Error
		switch {
		case test.refused != "":
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("%s/%s: %v", test.provider, test.model, err)
			}
		case err != nil || m.Provider != test.provider || m.Model != test.want || m.APIKeyEnv != test.key:
			t.Errorf("%s/%s: %+v, %v", test.provider, test.model, m, err)
		}
	}
}

// --model openai was refused for want of OPENAI_API_KEY where the key was stored, though without --model it was used.
func TestPick_NamedModelHasTheStoredKey(t *testing.T) {
	env := map[string]string{"COUNCIL_KEYRING": "off"}
	p := pickerWith(t, env)
	check.OK(t, p.Claim(p.root))
	check.Get(Wallet(p.World, p.root).Vault.Put("openai-api-key",
		credential.Entry{Secret: "a key", Server: "https://api.openai.com"}))(t)
	named := func(provider string) council.Model { return check.Get(p.parseNamed(t.Context(), provider, "m"))(t) }
	if m := named("openai"); m.APIKeyEnv != "" || m.Auth == nil || m.Auth.CredentialID != "openai-api-key" {
		t.Errorf("a stored key: got %+v, %+v, want the credential openai-api-key", m, m.Auth)
	}
	check.Is(t, "a key that is not stored", "GEMINI_API_KEY", named("gemini").APIKeyEnv)
	env["OPENAI_API_KEY"] = "a key"
	check.Is(t, "a key in its variable", "OPENAI_API_KEY", named("openai").APIKeyEnv)
}

// Seats take the named models in turn, and begin again.
func TestPick_SeatsTakeModelsInTurn(t *testing.T) {
	const because = ", because --model says so."
	tests := map[string]struct {
		models []string
		seats  string
		line   string
	}{
		"one": {[]string{"openai"}, "gpt-5.4 gpt-5.4 gpt-5.4 gpt-5.4", "Members: openai/gpt-5.4" + because},
		"two": {[]string{"openai/a", " vllm/b"}, "a b a b", "Members: openai/a, vllm/b in turn" + because},
		"more than seats": {[]string{"openai/a", "openai/b", "openai/c", "openai/d", "openai/e"}, "a b c d",
			"Members: openai/a, openai/b, openai/c, openai/d, openai/e in turn" + because},
		"the rehearsal": {[]string{"rehearsal"}, "rehearsal rehearsal rehearsal rehearsal", "Members: rehearsal" + because +
			" No model is asked, and nothing is decided; members speak from the topic and the documents."},
		"the rehearsal too": {[]string{"vllm/a", "rehearsal"}, "a rehearsal a rehearsal",
			"Members: vllm/a, rehearsal in turn" + because + " Where the rehearsal has a seat, nothing is decided."},
	}
	for name, test := range tests {
		c := council.Charter{Members: make([]council.Member, 4)}
		w := pickerWith(t, nil).World
		line := check.Get(PickModels(w, t.Context(), &c, ModelChoice{Models: test.models}))(t)
		var seats []string
		for _, m := range c.Members {
			seats = append(seats, m.Model.Model)
		}
		check.Is(t, name+": the seats", test.seats, strings.Join(seats, " "))
		check.Is(t, name+": the line", test.line, line)
	}
}

func TestPick_AServerOnThisMachineIsAskedForItsFirstModel(t *testing.T) {
	p := pickerWith(t, nil)
	listing := `{"data":[{"id":"qwen3"},{"id":"other"}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(listing)) }))
	defer s.Close()
	check.Is(t, "it", "qwen3", check.Get(p.firstModel(t.Context(), s.URL, "data.0.id"))(t))
	for _, listing = range []string{`{"data":[]}`, `not JSON`, `{"data":[{"id":7}]}`} {
		check.Fails(t, listing, check.Err(p.firstModel(t.Context(), s.URL, "data.0.id")), "has no model")
	}
}

// Of a program of the user's own the session opened without a word about its unknown tools and cost.
func TestPick_WhatIsUnknownOfAProgramIsSaid(t *testing.T) {
	c := &council.Charter{Members: []council.Member{
		{ID: "ada", Model: council.Model{Provider: "command", Model: "claude", Program: "/opt/claude"}},
		{ID: "bob", Model: council.Model{Provider: "openai", Model: "m"}},
	}}
	check.Is(t, "of an agent and a server", "", UnknownProgramsWarning(c))
	own := council.Model{Provider: "command", Model: "clerk", Command: []string{"./bin/clerk", "--brief"}}
	c.Members[1].Model.Fallbacks = []council.Model{own}
	words := UnknownProgramsWarning(c)
	check.Says(t, words, "answers for bob (./bin/clerk).", "which tools it uses", "what it costs", "whether it remembers")
}

// The order is that of docs/architecture.md.
func TestStages_HaveOneOrder(t *testing.T) {
	var list strings.Builder
	for _, s := range stages {
		fmt.Fprintf(&list, "   %-17s %s\n", s.name, s.does)
	}
	doc := check.Get(os.ReadFile("../../docs/architecture.md"))(t)
	if !strings.Contains(string(doc), "```text\n"+list.String()) {
		t.Errorf("docs/architecture.md does not have the stages in their order:\n%s", list.String())
	}
}

// The forms are those of Ollama's own tests of OLLAMA_HOST (envconfig/config_test.go in github.com/ollama/ollama, read
// in November 2026), as its client would connect to them.
func TestPick_OllamaHostIsReadAsOllamaReadsIt(t *testing.T) {
	for value, want := range map[string]string{
		"":                           "http://127.0.0.1:11434",
		"1.2.3.4":                    "http://1.2.3.4:11434",
		":1234":                      "http://127.0.0.1:1234",
		"1.2.3.4:1234":               "http://1.2.3.4:1234",
		"example.com":                "http://example.com:11434",
		"example.com:1234":           "http://example.com:1234",
		"0.0.0.0:4803":               "http://127.0.0.1:4803",
		"0.0.0.0":                    "http://127.0.0.1:11434",
		"127.0.0.1":                  "http://127.0.0.1:11434",
		"[::1]":                      "http://[::1]:11434",
		"[::]":                       "http://[::1]:11434",
		"::1":                        "http://[::1]:11434",
		"[::1]:1337":                 "http://[::1]:1337",
		" 1.2.3.4 ":                  "http://1.2.3.4:11434",
		"\"1.2.3.4\"":                "http://1.2.3.4:11434",
		"\" 1.2.3.4 \"":              "http://1.2.3.4:11434",
		"'1.2.3.4'":                  "http://1.2.3.4:11434",
		"http://1.2.3.4":             "http://1.2.3.4:80",
		"http://1.2.3.4:4321":        "http://1.2.3.4:4321",
		"https://1.2.3.4":            "https://1.2.3.4:443",
		"https://1.2.3.4:4321":       "https://1.2.3.4:4321",
		"https://example.com/ollama": "https://example.com:443/ollama",
		"example.com:1234/ollama/":   "http://example.com:1234/ollama",
		"ollama.com":                 "https://ollama.com:443",
	} {
		check.Is(t, value, want, check.Get(ollamaHost(value))(t))
	}
	for value, words := range map[string]string{
		":66000":           `"66000" is not a port`,
		":-1":              `"-1" is not a port`,
		"host:port":        `"port" is not a port`,
		"localhost:":       `"" is not a port`,
		"ftp://host":       "which is not an http or https address",
		"tcp://0.0.0.0:1":  "which is not an http or https address",
		"http://me:p@host": "OLLAMA_HOST names a user",
		"a:b:c":            "which is not a host",
		"two words":        "which is not a host",
		"host/%zz":         "which is not an address",
		"host/x?y=z":       "which is not an address",
	} {
		check.Fails(t, value, check.Err(ollamaHost(value)), words)
	}
}

// OLLAMA_HOST=0.0.0.0:4803 was passed over, and the council was held by the rehearsal.
func TestPick_AnOllamaServerThatListensEverywhereIsAsked(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[{"name":"small"}]}`))
	}))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, value := range []string{"0.0.0.0:" + port, ":" + port, "127.0.0.1:" + port, s.URL} {
		m, why, err := pickWith(t, value)
		if err != nil || m.Provider != "ollama" || m.Model != "small" || m.BaseURL != s.URL+"/v1" ||
			!strings.Contains(why, "answers at "+s.URL) {
			t.Errorf("%s: %+v, %s, %v", value, m, why, err)
		}
	}
}

func TestPick_AnOllamaHostOfNoKnownFormIsSaidAndNotFollowedByARehearsal(t *testing.T) {
	_, _, err := pickWith(t, "tcp://0.0.0.0:11434")
	check.Fails(t, "it", err, `OLLAMA_HOST is "tcp://0.0.0.0:11434"`)
}

// pickWith picks a model for members without one, with this OLLAMA_HOST and no keys.
func pickWith(t *testing.T, host string) (council.Model, string, error) {
	p := pickerWith(t, map[string]string{"OLLAMA_HOST": host})
	c := council.Charter{Members: []council.Member{{Model: council.Model{Provider: council.ProviderUnchosen}}},
		Storage: council.Storage{RootDir: p.root}}
	why, err := PickModels(p.World, t.Context(), &c, ModelChoice{})
	return c.Members[0].Model, why, err
}

// pickerWith returns a picker for a workspace that is not there yet, in a world with this environment.
func pickerWith(t *testing.T, env map[string]string) picker {
	w := site.NewWorld(site.World{Getenv: func(name string) string { return env[name] }, Now: time.Now,
		Random: rand.Reader})
	t.Cleanup(w.Close)
	return picker{World: w, root: filepath.Join(t.TempDir(), ".council"), policy: &policy.Policy{}}
}
