package credential

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
)

const expiryMargin = 30 * time.Second // before its end, from when on a token counts as expired

// ErrLoginNeeded: a login is missing, and there is no person to ask. [Wallet.For] returns it.
var ErrLoginNeeded = errors.New("nobody has logged in")

// openLogin is a token from a device login (RFC 8628), renewed for as long as the login server allows it.
type login struct {
	*Credential
	name   string // of the provider, for people
	auth   council.Auth
	server string
	vault  *Vault
}

// LoginID returns the id under which the token of a login is stored.
func LoginID(a council.Auth) string {
	return cmp.Or(a.CredentialID, a.CacheKey, "login of "+a.ClientID+" at "+a.TokenEndpoint)
}

func (w *Wallet) openLogin(m council.Model, server *url.URL) (*Credential, error) {
	l := &login{name: m.Provider, auth: *m.Auth, server: Origin(server), vault: w.Vault}
	l.Credential = w.share(l.renew)
	l.margin = expiryMargin
	if l.auth.TokenStorePath != "" {
		l.vault = OpenVaultFile(l.auth.TokenStorePath)
	}
	for _, address := range []string{l.auth.TokenEndpoint, l.auth.DeviceAuthorizationEndpoint} {
		if _, err := parseSecureURL(address); err != nil {
			return nil, fmt.Errorf("%w: the login server of %s: %w", member.ErrNoKey, m.Provider, err)
		}
	}
	e, err := w.readEntry(l.vault, LoginID(l.auth), l.server)
	if err == nil {
		err = l.checkIssuer(e)
	}
	switch {
	case err == nil:
		l.entry = e
	case errors.Is(err, ErrAbsent) && w.Invite != nil && l.vault != nil:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.waiting = append(w.waiting, l)
	case errors.Is(err, ErrAbsent):
		return nil, fmt.Errorf("%w: %w for %s yet, and a login needs a person", member.ErrNoKey, ErrLoginNeeded, m.Provider)
	default:
		return nil, fmt.Errorf("%w: the login for %s: %w", member.ErrNoKey, m.Provider, err)
	}
	return l.Credential, nil
}

func parseSecureURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && !member.Loopback(address) {
		return nil, fmt.Errorf("%s is not an https address, and secrets are sent there", member.Redact(address))
	}
	return u, nil
}

// checkIssuer refuses a token of another login server: its refresh token must not be sent to this one.
func (l *login) checkIssuer(e Entry) error {
	if e.Issuer != l.auth.TokenEndpoint || e.Client != l.auth.ClientID {
		return fmt.Errorf("%q is of the client %q at %s, not of this one: give this one another credentialId",
			LoginID(l.auth), e.Client, e.Issuer)
	}
	return nil
}

// renew gets another token from the login server, or the one that another process got.
func (l *login) renew(ctx context.Context, old Entry) (Entry, error) {
	if old.Secret == "" {
		return old, l.wallet.refusal(council.FaultAuth, "nobody has logged in for %s yet", l.name)
	}
	next, err := l.vault.Replace(LoginID(l.auth), func(kept Entry) (Entry, error) {
		l.wallet.Note(kept.Secret, kept.Refresh)
		if err := l.checkIssuer(kept); err != nil || kept.Server != l.server {
			return kept, l.wallet.refusal(council.FaultAuth, "the login for %s was replaced by another: %v", l.name, err)
		}
		if kept.Secret != old.Secret && l.current(kept) {
			return kept, nil
		}
		if kept.Refresh == "" {
			return kept, l.wallet.refusal(council.FaultAuth, "the login for %s has ended", l.name)
		}
		token, err := l.config().TokenSource(l.wallet.withClient(ctx), &oauth2.Token{RefreshToken: kept.Refresh}).Token()
		if err != nil {
			return kept, l.loginError(ctx, "cannot be renewed", err)
		}
		return l.entryOf(token), nil
	})
	var call *member.CallError
	switch {
	case next.Secret != "":
		return next, nil // if it could not be stored, it serves for this session all the same
	case err == nil, errors.As(err, &call), ctx.Err() != nil:
		return old, err
	}
	return old, l.wallet.refusal(council.FaultAuth, "the login for %s: %v", l.name, err)
}

func (l *login) entryOf(t *oauth2.Token) Entry {
	l.wallet.Note(t.AccessToken, t.RefreshToken)
	e := Entry{Secret: t.AccessToken, Server: l.server, Refresh: t.RefreshToken, Issuer: l.auth.TokenEndpoint,
		Client: l.auth.ClientID}
	if t.ExpiresIn > 0 {
		e.Expires = l.wallet.Now().Add(time.Duration(t.ExpiresIn) * time.Second).UTC().Truncate(time.Second)
	}
	return e
}

func (l *login) config() *oauth2.Config {
	return &oauth2.Config{ClientID: l.auth.ClientID, Scopes: l.auth.Scopes, Endpoint: oauth2.Endpoint{
		DeviceAuthURL: l.auth.DeviceAuthorizationEndpoint, TokenURL: l.auth.TokenEndpoint,
		AuthStyle: oauth2.AuthStyleInParams, // without it, the library asks twice to find out
	}}
}

// loginError returns a login server's error as that of a call. Its body, which may contain a token, is never quoted.
func (l *login) loginError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var said *oauth2.RetrieveError
	if !errors.As(err, &said) {
		return l.wallet.refusal(council.FaultTransport, "the login for %s %s: %v", l.name, what, err)
	}
	kind, words := council.FaultAuth, cmp.Or(said.ErrorCode, said.Response.Status)
	if said.Response.StatusCode >= 500 {
		kind = council.FaultFailed
	}
	if said.ErrorDescription != "" {
		words += ": " + said.ErrorDescription
	}
	return l.wallet.refusal(kind, "the login for %s %s: the login server says %s", l.name, what, words)
}

// withClient gives the OAuth library its client, which follows no redirect.
func (w *Wallet) withClient(ctx context.Context) context.Context {
	client := cmp.Or(w.Client, gate.Client(w.Gate.Transport()))
	return context.WithValue(ctx, oauth2.HTTPClient, gate.Client(courier{ctx, client.Transport}))
}

// courier reads whole answers within a time limit: the library bounds no call by its context, and leaves bodies open.
type courier struct {
	ctx  context.Context
	base http.RoundTripper
}

func (c courier) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(gate.WithContact(r.Context()), 30*time.Second)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	res, err := c.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// Invitation asks a person to log in with a browser. Its words are the login server's, each on one line.
type Invitation struct {
	For     string        // the provider
	Address string        // to be opened, on whatever device
	Code    string        // to be entered there
	Within  time.Duration // how long the code is valid
}

const (
	longestLogin = 30 * time.Minute // whatever the login server says
	usualLogin   = 15 * time.Minute // if the login server names no time
	slowestPoll  = 60               // seconds
	longestCode  = 64               // bytes; a person is to type it
	usualPoll    = 5                // seconds, by RFC 8628; also how much slower polls become after one failed
	brokenInARow = 5                // polls that may fail before the login is given up
)

// NeedsLogin reports whether a credential needs a login first.
func (w *Wallet) NeedsLogin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}

// SignIn runs the pending logins one after the other. Its error is a [member.ErrNoKey], ctx's, or that of Claim.
func (w *Wallet) SignIn(ctx context.Context) error {
	w.mu.Lock()
	waiting := w.waiting
	w.waiting = nil
	w.mu.Unlock()
	if len(waiting) > 0 && w.Claim != nil {
		if err := w.Claim(); err != nil {
			return err
		}
	}
	for _, l := range waiting {
		if err := l.signIn(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: %s", member.ErrNoKey, member.Redact(err.Error(), w.Secrets()...))
		}
	}
	return nil
}

// signIn gets a code, shows it, and polls until it was entered.
func (l *login) signIn(ctx context.Context) error {
	if err := l.lock(ctx); err != nil {
		return err
	}
	defer l.unlock()
	carried := l.wallet.withClient(ctx)
	var options []oauth2.AuthCodeOption
	if l.auth.Audience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", l.auth.Audience))
	}
	code, err := l.config().DeviceAuth(carried, options...)
	if err != nil {
		return l.loginError(ctx, "could not begin", err)
	}
	l.wallet.Note(code.DeviceCode)
	address, err := parseSecureURL(code.VerificationURI)
	if err != nil || code.UserCode == "" || len(code.UserCode) > longestCode || code.DeviceCode == "" {
		return fmt.Errorf("the login for %s could not begin: the login server named no https address to open, or no code to "+
			"enter there", l.name)
	}
	within := usualLogin
	if !code.Expiry.IsZero() {
		within = min(time.Until(code.Expiry), longestLogin)
	}
	code.Expiry = time.Now().Add(within)
	code.Interval = min(cmp.Or(max(code.Interval, 0), usualPoll), slowestPoll) // a ticker of no time would panic
	l.wallet.Invite(Invitation{For: l.name, Address: hostile.Line(address.String()), Code: hostile.Line(code.UserCode),
		Within: within})
	token, err := l.poll(carried, code)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return fmt.Errorf("the login for %s was not finished before the code expired: try again", l.name)
	case err != nil:
		return l.loginError(ctx, "could not be finished", err)
	}
	l.entry = l.entryOf(token)
	if _, err := l.vault.Put(LoginID(l.auth), l.entry); err != nil {
		return fmt.Errorf("the login for %s cannot be stored: %w", l.name, err)
	}
	return nil
}

// poll asks for the token until it is granted. Failed requests are repeated, more slowly.
func (l *login) poll(ctx context.Context, code *oauth2.DeviceAuthResponse) (*oauth2.Token, error) {
	for broken := 1; ; broken++ {
		token, err := l.config().DeviceAccessToken(ctx, code)
		var said *oauth2.RetrieveError
		answered := errors.As(err, &said) &&
			(said.ErrorCode != "" || said.Response.StatusCode < http.StatusInternalServerError)
		if err == nil || answered || errors.Is(err, context.DeadlineExceeded) && !time.Now().Before(code.Expiry) ||
			ctx.Err() != nil || broken == brokenInARow {
			return token, err
		}
		code.Interval += usualPoll
	}
}
