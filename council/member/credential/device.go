package credential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/oauth2"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/hostile"
)

// Invitation asks a person to log in with a browser. Its words are the login server's, on one line each.
type Invitation struct {
	For     string        // the provider
	Address string        // to be opened, on whatever device
	Code    string        // to be entered there
	Within  time.Duration // how long the code is valid
}

const (
	longestLogin  = 30 * time.Minute // however long the login server would wait
	usualLogin    = 15 * time.Minute // when it does not say
	slowestPoll   = 60               // seconds; a server that asks for more would not be asked in time
	longestCode   = 64               // bytes; a person is to type it
	usualPoll     = 5                // seconds, by RFC 8628
	brokenInARow  = 5                // polls that may fail on their way before the login is given up
	backoffOnFail = 5                // seconds more between polls after one did
)

// Waits reports whether there is a credential for which a person has to log in first.
func (w *Wallet) Waits() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) > 0
}

// SignIn lets a person log in, for each credential that waits for that, one after the other. Its error is a
// [member.ErrNoKey], ctx's, or that of Claim.
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

// signIn gets a code, shows it, and asks until somebody has entered it.
func (l *login) signIn(ctx context.Context) error {
	if err := l.take(ctx); err != nil {
		return err
	}
	defer l.give()
	carried := l.wallet.carry(ctx)
	var options []oauth2.AuthCodeOption
	if l.auth.Audience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", l.auth.Audience))
	}
	code, err := l.config().DeviceAuth(carried, options...)
	if err != nil {
		return l.failed(ctx, "could not begin", err)
	}
	l.wallet.Note(code.DeviceCode)
	address, err := showable(code)
	if err != nil {
		return fmt.Errorf("the login for %s could not begin: %w", l.name, err)
	}
	within := usualLogin
	if !code.Expiry.IsZero() {
		within = min(time.Until(code.Expiry), longestLogin)
	}
	code.Expiry = time.Now().Add(within)
	if code.Interval <= 0 { // a ticker of no time would panic
		code.Interval = usualPoll
	}
	code.Interval = min(code.Interval, slowestPoll)
	l.wallet.Invite(Invitation{For: l.name, Address: address, Code: hostile.Line(code.UserCode), Within: within})
	token, err := l.poll(carried, code)
	if err != nil {
		return l.unfinished(ctx, err)
	}
	l.entry = l.kept(token)
	if _, err := l.vault.Put(LoginID(l.auth), l.entry); err != nil {
		return fmt.Errorf("the login for %s cannot be stored: %w", l.name, err)
	}
	return nil
}

// poll asks for the token until it is there. What fails on its way is asked again, more slowly.
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
		code.Interval += backoffOnFail
	}
}

// unfinished is the error of a login that was not finished.
func (l *login) unfinished(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var said *oauth2.RetrieveError
	errors.As(err, &said)
	switch {
	case said != nil && said.ErrorCode == "access_denied":
		return fmt.Errorf("the login for %s was refused by whoever saw it: try again, and allow it", l.name)
	case said != nil && said.ErrorCode == "expired_token", said == nil && errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("nobody logged in for %s before the code expired: try again", l.name)
	}
	return l.failed(ctx, "could not be finished", err)
}

// showable returns the address that a person is to open.
func showable(code *oauth2.DeviceAuthResponse) (string, error) {
	u, err := confidential(code.VerificationURI)
	if err != nil || code.UserCode == "" || len(code.UserCode) > longestCode || code.DeviceCode == "" {
		return "", errors.New("the login server named no https address to open, or no code to enter there")
	}
	return hostile.Line(u.String()), nil
}
