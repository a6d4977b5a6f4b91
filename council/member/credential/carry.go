package credential

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"golang.org/x/oauth2"
)

const (
	loginTimeout = 30 * time.Second // of one call to a login server
	maxLogin     = 1 << 20          // bytes of what it answers
)

// carry gives the library of logins its client: one that follows no redirect, which would carry a secret elsewhere.
func (w *Wallet) carry(ctx context.Context) context.Context {
	base := http.DefaultTransport
	if w.Client != nil && w.Client.Transport != nil {
		base = w.Client.Transport
	}
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport:     courier{ctx, base},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// courier brings whole answers, in time: the library ends no call with its context, and leaves bodies open.
type courier struct {
	ctx  context.Context
	base http.RoundTripper
}

func (c courier) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), loginTimeout)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	res, err := c.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxLogin))
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}
