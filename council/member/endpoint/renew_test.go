package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// porter is a server that accepts one key, and records the keys that it is sent.
type porter struct {
	*httptest.Server
	right string

	mu    sync.Mutex
	shown []string
}

func newPorter(t *testing.T, right string) *porter {
	p := &porter{right: right}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		p.mu.Lock()
		p.shown = append(p.shown, shown)
		p.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if shown != p.right {
			w.WriteHeader(http.StatusUnauthorized)
			w.Write([]byte(`{"error": {"message": "what is ` + shown + `?"}}`))
			return
		}
		w.Write(
			[]byte(
				`{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}`))
	}))
	t.Cleanup(p.Close)
	return p
}

// reference returns a model whose key is stored, and may be stored anew.
func reference(t *testing.T, p *porter, provider, key string) (council.Model, endpoint.Options, *credential.Vault) {
	v := credential.OpenVault(t.TempDir(), nil)
	store(t, v, p, key)
	getenv := func(string) string { return "" }
	m := council.Model{Provider: provider, Model: "m", BaseURL: p.URL,
		Auth: &council.Auth{Method: "credential-ref", CredentialID: "mine"}}
	return m, endpoint.Options{Getenv: getenv, Wallet: &credential.Wallet{Now: time.Now, Getenv: getenv, Vault: v}}, v
}

func store(t *testing.T, v *credential.Vault, p *porter, key string) {
	t.Helper()
	check.Get(v.Put("mine", credential.Entry{Secret: key, Server: p.URL}))(t)
}

func TestRenew_ARefusedKeyIsRenewedOnceAndBothCallsCount(t *testing.T) {
	p := newPorter(t, "Bearer planted-key-2")
	seat, options, v := reference(t, p, "openai-compatible", "planted-key-1")
	m := check.Get(endpoint.New(seat, options))(t)
	store(t, v, p, "planted-key-2")
	c, err := m.Complete(t.Context(), &prompt.Prompt{})
	if c.Text != "Yes." || c.Usage.Calls != 2 || err != nil {
		t.Errorf("%q, %d calls, %v", c.Text, c.Usage.Calls, err)
	}
	check.Equal(t, "it", []string{"Bearer planted-key-1", "Bearer planted-key-2"}, p.shown)
}

func TestRenew_AKeyThatIsRefusedAgainIsAFault(t *testing.T) {
	p := newPorter(t, "Bearer another")
	seat, options, v := reference(t, p, "openai-compatible", "planted-key-1")
	m, err := endpoint.New(seat, options)
	check.OK(t, err)
	for _, test := range []struct {
		key   string
		calls int
	}{{"planted-key-1", 1}, {"planted-key-2", 2}} { // the same key again is not tried again
		store(t, v, p, test.key)
		_, err = m.Complete(t.Context(), &prompt.Prompt{})
		if call := check.As[*member.CallError](t, err); call.Fault.Kind != council.FaultAuth || call.Retryable ||
			call.Usage.Calls != test.calls {
			t.Errorf("%s: %+v", test.key, err)
		}
		if err != nil && strings.Contains(err.Error(), "planted") {
			t.Errorf("the key is told: %v", err)
		}
	}
}

func TestRenew_ATokenOfALoginIsBorne(t *testing.T) {
	p := newPorter(t, "Bearer planted-token")
	auth := &council.Auth{Method: "oauth-device-code", ClientID: "c", DeviceAuthorizationEndpoint: p.URL,
		TokenEndpoint:  p.URL,
		TokenStorePath: filepath.Join(t.TempDir(), "token.json")}
	check.Get(credential.OpenVaultFile(auth.TokenStorePath).Put(credential.LoginID(*auth),
		credential.Entry{Secret: "planted-token", Server: p.URL, Issuer: p.URL, Client: "c"}))(t)
	getenv := func(string) string { return "" }
	m := check.Get(endpoint.New(council.Model{Provider: "anthropic", Model: "m", BaseURL: p.URL, Auth: auth},
		endpoint.Options{Getenv: getenv}))(t)
	m.Complete(t.Context(), &prompt.Prompt{}) // its answer is in another protocol
	check.Equal(t, "it", []string{"Bearer planted-token"}, p.shown)
	if text, err := os.ReadFile(auth.TokenStorePath); err != nil || !strings.Contains(string(text), "planted-token") {
		t.Errorf("%v", err)
	}
}
