package seat

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

// The forms are those of Ollama's own tests of OLLAMA_HOST (envconfig/config_test.go in github.com/ollama/ollama, read
// in November 2026), as its client would connect to them.
func TestOllamaHostIsReadAsOllamaReadsIt(t *testing.T) {
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
		if got, err := ollamaHost(value); got != want || err != nil {
			t.Errorf("%q is %q, %v, not %q", value, got, err, want)
		}
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
		if got, err := ollamaHost(value); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q is %q, %v", value, got, err)
		}
	}
}

// OLLAMA_HOST=0.0.0.0:4803 was passed over, and the council was held by the rehearsal.
func TestAnOllamaServerThatListensEverywhereIsAsked(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"models":[{"name":"small"}]}`))
	}))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, value := range []string{"0.0.0.0:" + port, ":" + port, "127.0.0.1:" + port, s.URL} {
		m, why, err := pickWith(t.Context(), value)
		if err != nil || m.Provider != "ollama" || m.Model != "small" || m.BaseURL != s.URL+"/v1" ||
			!strings.Contains(why, "answers at "+s.URL) {
			t.Errorf("%s: %+v, %s, %v", value, m, why, err)
		}
	}
}

func TestAnOllamaHostOfNoKnownFormIsSaidAndNotFollowedByARehearsal(t *testing.T) {
	m, why, err := pickWith(t.Context(), "tcp://0.0.0.0:11434")
	if err == nil || !strings.Contains(err.Error(), `OLLAMA_HOST is "tcp://0.0.0.0:11434"`) {
		t.Errorf("%+v, %s, %v", m, why, err)
	}
}

// pickWith picks a model for members without one, with this OLLAMA_HOST and no keys.
func pickWith(ctx context.Context, host string) (council.Model, string, error) {
	p := Picker{Client: http.DefaultClient,
		Getenv: func(name string) string { return map[string]string{"OLLAMA_HOST": host}[name] }}
	c := council.Charter{Members: []council.Member{{Model: council.Model{Provider: council.ProviderUnchosen}}}}
	why, err := p.Pick(ctx, &c)
	return c.Members[0].Model, why, err
}
