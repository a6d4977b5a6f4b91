package credential

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// loginServer is a login server without a network. It answers each kind of call with its scripts in turn, the last one
// for ever, and records its requests and their times.
type loginServer struct {
	device, polls, refreshes []string // JSON, after the status where that is not 200

	mu    sync.Mutex
	asked map[string][]url.Values
	times []time.Time // of the polls
}

func (s *loginServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	kind, scripts := "device", s.device
	switch r.PostForm.Get("grant_type") {
	case "refresh_token":
		kind, scripts = "refresh", s.refreshes
	case "urn:ietf:params:oauth:grant-type:device_code":
		kind, scripts = "poll", s.polls
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string][]url.Values{}
	}
	s.asked[kind] = append(s.asked[kind], r.PostForm)
	if kind == "poll" {
		s.times = append(s.times, time.Now())
	}
	script := scripts[min(len(s.asked[kind]), len(scripts))-1]
	if script == "broken" {
		return nil, errors.New("connection reset")
	}
	status, body := http.StatusOK, script
	if !strings.HasPrefix(script, "{") {
		if _, err := fmt.Sscanf(script, "%d", &status); err != nil {
			return nil, err
		}
		body = strings.TrimLeft(script, "0123456789 ")
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "https://elsewhere.example/")
	w.WriteHeader(status)
	w.WriteString(body)
	res := w.Result()
	res.Request = r
	return res, nil
}

const (
	invites = `{"device_code": "planted-device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://login.example/device", "expires_in": 600, "interval": 5}`
	pending = `400 {"error": "authorization_pending"}`
	slower  = `400 {"error": "slow_down"}`
	grants  = `{"access_token": "planted-access-1", "refresh_token": "planted-refresh-1", "token_type": "Bearer", "expires_in": 3600}`
	renews  = `{"access_token": "planted-access-2", "refresh_token": "planted-refresh-2", "token_type": "Bearer", "expires_in": 3600}`
)

func loginModel() council.Model {
	return council.Model{Provider: "corp", Auth: &council.Auth{
		Method: "oauth-device-code", ClientID: "council-cli", Scopes: []string{"models", "offline_access"},
		Audience:                    "https://models.example",
		DeviceAuthorizationEndpoint: "https://login.example/device_authorization",
		TokenEndpoint:               "https://login.example/token",
	}}
}

// person returns a wallet with somebody before the screen.
func (s *loginServer) person(v *Vault, invited *[]Invitation) *Wallet {
	return &Wallet{
		Now: time.Now, Getenv: noEnv, Vault: v, Client: &http.Client{Transport: s},
		Invite: func(i Invitation) { *invited = append(*invited, i) },
	}
}

const models = "https://models.example/v1"

func TestLogin_ALoginWithABrowserElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &loginServer{device: []string{invites}, polls: []string{pending, slower, "broken", "503", pending, grants},
			refreshes: []string{renews}}
		folder := t.TempDir()
		var invited []Invitation
		w := s.person(OpenVault(folder, nil), &invited)
		c := open(t, w, loginModel(), models)
		check.Is(t, "two members do share a login", c, open(t, w, loginModel(), models))
		var call *member.CallError
		if _, err := c.Get(t.Context()); !errors.As(err, &call) || call.Fault.Kind != council.FaultAuth {
			t.Errorf("before the login: %v", err)
		}
		began := time.Now()
		check.OK(t, w.SignIn(t.Context()))
		check.Equal(t, "it", []Invitation{{For: "corp", Address: "https://login.example/device", Code: "WDJB-MJHT",
			Within: 10 * time.Minute}}, invited)
		var waits []time.Duration
		for _, at := range s.times {
			waits = append(waits, at.Sub(began))
			began = at
		}
		sec := time.Second
		// As asked; then five more for slow_down, within one go; five more after each that broke.
		check.Equal(t, "it", []time.Duration{5 * sec, 5 * sec, 10 * sec, 10 * sec, 15 * sec, 15 * sec}, waits)
		check.Equal(t, "it", url.Values{"client_id": {"council-cli"}, "scope": {"models offline_access"},
			"audience": {"https://models.example"}}, s.asked["device"][0])
		check.Is(t, "it polled with", "planted-device-code", s.asked["poll"][0].Get("device_code"))

		// The token is there for the next process, which asks no server.
		next := &Wallet{Now: time.Now, Getenv: noEnv, Vault: OpenVault(folder, nil), Client: &http.Client{Transport: s}}
		c = open(t, next, loginModel(), models)
		check.Is(t, "it", "planted-access-1", get(t, c))
		<-time.After(time.Hour - expiryMargin - 2*time.Minute)
		if token := get(t, c); token != "planted-access-1" || len(s.asked["refresh"]) != 0 {
			t.Errorf("%q before it expires", token)
		}
		<-time.After(2 * time.Minute)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { check.Is(t, "once it has expired", "planted-access-2", check.Get(c.Get(t.Context()))(t)) })
		}
		all.Wait()
		want := url.Values{"client_id": {"council-cli"}, "grant_type": {"refresh_token"},
			"refresh_token": {"planted-refresh-1"}}
		check.Equal(t, "it", []url.Values{want}, s.asked["refresh"])
		e, err := OpenVault(folder, nil).Get(LoginID(*loginModel().Auth))
		if e.Refresh != "planted-refresh-2" || e.Server != "https://models.example" || err != nil {
			t.Errorf("what is stored then: %+v, %v", e, err)
		}
		check.Equal(t, "it", "[cut] [cut] [cut] [cut]",
			next.Cut("planted-access-1 planted-refresh-1 planted-access-2 planted-refresh-2"))
	})
}

func TestLogin_ARefusedLoginTokenIsRenewedOnce(t *testing.T) {
	s := &loginServer{refreshes: []string{renews, grants}}
	folder := t.TempDir()
	signedIn(t, OpenVault(folder, nil))
	w := &Wallet{Now: time.Now, Getenv: noEnv, Vault: OpenVault(folder, nil), Client: &http.Client{Transport: s}}
	rival := &Wallet{Now: time.Now, Getenv: noEnv, Vault: OpenVault(folder, nil), Client: &http.Client{Transport: s}}
	c, other := open(t, w, loginModel(), models), open(t, rival, loginModel(), models)
	for range 3 {
		renewed(t, c, "planted-access-1", "planted-access-2")
	}
	renewed(t, other, "planted-access-1", "planted-access-2") // another process finds this one's token
	check.Is(t, "the login server was asked times, once", 1, len(s.asked["refresh"]))
}

// signedIn stores a finished login.
func signedIn(t *testing.T, v *Vault, changes ...func(*Entry)) {
	t.Helper()
	e := Entry{Secret: "planted-access-1", Refresh: "planted-refresh-1", Server: "https://models.example",
		Issuer: "https://login.example/token", Client: "council-cli"}
	for _, change := range changes {
		change(&e)
	}
	check.Get(v.Put(LoginID(*loginModel().Auth), e))(t)
}

func TestLogin_ALoginThatCannotBeRenewed(t *testing.T) {
	for name, test := range map[string]struct {
		script    string
		kind      council.FaultKind
		retryable bool
		words     string
	}{
		"ended": {`400 {"error": "invalid_grant", "error_description": "planted-refresh-1 is revoked"}`,
			council.FaultAuth, false, "says invalid_grant: [cut] is revoked"},
		"down":       {`503 {"error": "temporarily_unavailable"}`, council.FaultFailed, true, "temporarily_unavailable"},
		"a page":     {`502 <html>planted-refresh-1</html>`, council.FaultFailed, true, "502"},
		"no network": {`broken`, council.FaultTransport, true, "connection reset"},
		"redirect":   {`307 {}`, council.FaultAuth, false, "307"},
		"no token":   {`{}`, council.FaultTransport, true, "access_token"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &loginServer{refreshes: []string{test.script}}
			v := OpenVault(t.TempDir(), nil)
			signedIn(t, v)
			w := &Wallet{Now: time.Now, Getenv: noEnv, Vault: v, Client: &http.Client{Transport: s}}
			c := open(t, w, loginModel(), models)
			_, ok, err := c.Renew(t.Context(), "planted-access-1")
			var call *member.CallError
			if ok || !errors.As(err, &call) || call.Fault.Kind != test.kind || call.Retryable != test.retryable ||
				!strings.Contains(err.Error(), test.words) {
				t.Errorf("%t, %v", ok, err)
			}
			check.NeverSays(t, fmt.Sprint(err), "planted")
			check.Is(t, "the login server was asked times", 1, len(s.asked["refresh"]))
		})
	}
	v := OpenVault(t.TempDir(), nil)
	signedIn(t, v, func(e *Entry) { e.Refresh = ""; e.Expires = time.Unix(1, 0) })
	c := open(t, &Wallet{Now: time.Now, Getenv: noEnv, Vault: v}, loginModel(), models)
	check.Fails(t, "nothing to renew it with", check.Err(c.Get(t.Context())), "has ended")
}

func TestLogin_ALoginThatComesToNothing(t *testing.T) {
	for name, test := range map[string]struct{ device, poll, words string }{
		"denied":     {invites, `400 {"error": "access_denied"}`, "says access_denied"},
		"expired":    {invites, `400 {"error": "expired_token"}`, "says expired_token"},
		"nobody":     {invites, pending, "before the code expired"},
		"unknown":    {invites, `400 {"error": "invalid_client", "error_description": "who?"}`, "invalid_client: who?"},
		"broken":     {invites, "broken", "connection reset"},
		"no device":  {`404 <html>`, pending, "404"},
		"plain http": {strings.Replace(invites, "https:", "http:", 1), pending, "no https address"},
		"no code":    {`{"device_code": "d", "verification_uri": "https://a.example"}`, pending, "no code to enter"},
		"hurried":    {strings.Replace(invites, `"interval": 5`, `"interval": -1`, 1), pending, "before the code expired"},
		"for ever":   {strings.Replace(invites, `600`, `99999999`, 1), pending, "before the code expired"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &loginServer{device: []string{test.device}, polls: []string{test.poll}}
				var invited []Invitation
				folder := t.TempDir()
				w := s.person(OpenVault(folder, nil), &invited)
				open(t, w, loginModel(), models)
				began := time.Now()
				err := w.SignIn(t.Context())
				check.ErrorIs(t, name, member.ErrNoKey, err)
				check.Fails(t, name, err, test.words)
				check.NeverSays(t, fmt.Sprint(err), "planted")
				if took := time.Since(began); took > longestLogin {
					t.Errorf("it took %s", took)
				}
				check.ErrorIs(t, "something was stored", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(folder, VaultFile))))
			})
		})
	}
}

func TestLogin_ALoginIsGivenUpWithTheCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &loginServer{device: []string{invites}, polls: []string{pending}}
		var invited []Invitation
		w := s.person(OpenVault(t.TempDir(), nil), &invited)
		open(t, w, loginModel(), models)
		ctx, cancel := context.WithTimeout(t.Context(), 12*time.Second)
		defer cancel()
		if err := w.SignIn(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, member.ErrNoKey) {
			t.Errorf("%v", err)
		}
	})
}

func TestLogin_RefusesUnfitSettings(t *testing.T) {
	for name, test := range map[string]struct {
		model func(*council.Auth)
		entry func(*Entry)
		words string
	}{
		"nobody there": {nil, nil, "a login needs a person"},
		"plain http": {func(a *council.Auth) { a.TokenEndpoint = "http://login.example/token" }, nil,
			"http://login.example/token is not an https address"},
		"device over http": {func(a *council.Auth) { a.DeviceAuthorizationEndpoint = "http://login.example/d" }, nil,
			"not an https address"},
		"another server": {nil, func(e *Entry) { e.Server = "https://other.example" },
			"is not sent to https://models.example"},
		"another issuer": {func(a *council.Auth) {
			a.CredentialID = LoginID(*loginModel().Auth)
			a.TokenEndpoint = "https://evil.example/token"
		}, func(*Entry) {}, "not of this one"},
		"another client": {func(a *council.Auth) { a.CredentialID = LoginID(*loginModel().Auth); a.ClientID = "other" },
			func(*Entry) {}, "not of this one"},
		"a file of others'": {func(a *council.Auth) { a.TokenStorePath = os.DevNull }, nil, "the login for corp"},
	} {
		v := OpenVault(t.TempDir(), nil)
		if test.entry != nil {
			signedIn(t, v, test.entry)
		}
		m := loginModel()
		if test.model != nil {
			test.model(m.Auth)
		}
		t.Run(name, func(t *testing.T) { noKey(t, &Wallet{Now: time.Now, Getenv: noEnv, Vault: v}, m, models, test.words) })
	}
}

func TestLogin_ALoginInAFileOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corp.json")
	signedIn(t, OpenVaultFile(path))
	m := loginModel()
	m.Auth.TokenStorePath = path
	check.Is(t, "it", "planted-access-1", get(t, open(t, &Wallet{Now: time.Now, Getenv: noEnv}, m, models)))
}
