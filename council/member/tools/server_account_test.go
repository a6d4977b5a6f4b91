package tools

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
)

// guarded is a server that accepts one token, and counts the headers that it is sent.
type guarded struct {
	url   string
	right string

	mu    sync.Mutex
	shown map[string]int // by the Authorization header
	teams map[string]int // by the header X-Team
}

func guard(t *testing.T, right string) *guarded {
	g := &guarded{right: right, shown: map[string]int{}, teams: map[string]int{}}
	inside := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return hostileServer(new(int)) }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.shown[r.Header.Get("Authorization")]++
		g.teams[r.Header.Get("X-Team")]++
		g.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+g.right {
			http.Error(w, "I do not know "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		inside.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

func echo(t *testing.T, settings council.ToolServer, w *credential.Wallet) string {
	t.Helper()
	settings.Name, settings.Allow = "srv", allowed
	s := check.Get(newServer(&settings, false, Options{Getenv: w.Getenv, Wallet: w}))(t)
	defer s.close()
	return s.call(t.Context(), "srv.echo", []byte(`{"q":"x"}`), most).Result
}

func TestServerAccount_AnAddressIsShownWhoCalls(t *testing.T) {
	env := map[string]string{"TICKETS": "right-token-of-the-house", "TEAM": "blue", "WRONG": "wrong-token-of-the-house"}
	getenv := func(name string) string { return env[name] }
	t.Run("a variable, and a header", func(t *testing.T) {
		g := guard(t, "right-token-of-the-house")
		w := &credential.Wallet{Getenv: getenv}
		headers := map[string]string{"X-Team": "${TEAM}"}
		got := echo(t, council.ToolServer{URL: g.url, APIKeyEnv: "TICKETS", Headers: headers}, w)
		if got != "heard\n" || len(g.shown) != 1 || len(g.teams) != 1 || g.teams["blue"] == 0 {
			t.Errorf("%q, shown %v, %v", got, g.shown, g.teams)
		}
		check.Equal(t, "what is cut from words", []string{"right-token-of-the-house", "blue"}, w.Secrets())
	})
	t.Run("a wrong one is not shown for ever", func(t *testing.T) {
		g := guard(t, "right-token-of-the-house")
		got := echo(t, council.ToolServer{URL: g.url, APIKeyEnv: "WRONG"}, &credential.Wallet{Getenv: getenv})
		if !strings.Contains(got, "cannot be reached") || g.shown["Bearer wrong-token-of-the-house"] > 3 {
			t.Errorf("%q, shown %v", got, g.shown)
		}
	})
	t.Run("what a program prints, and prints anew", func(t *testing.T) {
		g, ran := guard(t, "token-number-2"), filepath.Join(t.TempDir(), "ran")
		script := "if test -e " + ran + "; then echo token-number-2; else touch " + ran + "; echo token-number-1; fi"
		auth := &council.Auth{Method: "command", Command: council.Printer{Args: []string{"sh", "-c", script}},
			CacheTTLSeconds: 60}
		got := echo(t, council.ToolServer{URL: g.url, Auth: auth}, &credential.Wallet{Getenv: getenv})
		if got != "heard\n" || g.shown["Bearer token-number-1"] != 1 {
			t.Errorf("%q, shown %v", got, g.shown)
		}
	})
	const at = "https://tickets.example/mcp"
	for name, s := range map[string]council.ToolServer{
		"NOBODY_SET_THIS": {URL: at, APIKeyEnv: "NOBODY_SET_THIS"},
		"NOR_THIS":        {URL: at, Headers: map[string]string{"X": "${NOR_THIS}"}},
		`"nothing-of-the-sort"`: {URL: at,
			Auth: &council.Auth{Method: "credential-ref", CredentialID: "nothing-of-the-sort"}},
	} {
		s.Name, s.Allow = "srv", allowed
		_, err := newServer(&s, false, Options{Wallet: &credential.Wallet{Getenv: getenv}, Getenv: getenv})
		check.ErrorIs(t, name, member.ErrNoKey, err)
		check.Fails(t, name, err, name)
	}
}

// A server's token is not sent to the address that it redirects to.
func TestServerAccount_ATokenFollowsNoRedirect(t *testing.T) {
	elsewhere := guard(t, "right")
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.url, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	w := &credential.Wallet{Getenv: func(string) string { return "a-token-of-the-house" }}
	got := echo(t, council.ToolServer{URL: moved.URL, APIKeyEnv: "TOKEN"}, w)
	if !strings.Contains(got, "cannot be reached") || len(elsewhere.shown) > 0 {
		t.Errorf("%q, and the other was shown %v", got, elsewhere.shown)
	}
}
