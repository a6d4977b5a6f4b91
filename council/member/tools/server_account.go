package tools

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// showing is a transport that shows a server who calls: by a bearer token, if there is one, and by headers of the
// charter's. A token that the server refuses is renewed once, where that can be done without a person.
type showing struct {
	base    http.RoundTripper
	caller  credential.Credential
	headers map[string]string
}

var _ http.RoundTripper = showing{}

func (s showing) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := s.caller.Get(r.Context())
	if err != nil {
		return nil, err
	}
	resp, err := s.base.RoundTrip(s.with(token, r, r.Body))
	if err != nil || resp.StatusCode != http.StatusUnauthorized || token == "" || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	renewed, ok, err := s.caller.Renew(r.Context(), token)
	if err != nil || !ok {
		return resp, nil // what the server said matters more
	}
	again := r.Body
	if r.GetBody != nil {
		if again, err = r.GetBody(); err != nil {
			return resp, nil
		}
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	resp.Body.Close()
	return s.base.RoundTrip(s.with(renewed, r, again))
}

// with returns the request as it is sent. The one that was given is not changed, as transports must not.
func (s showing) with(token string, r *http.Request, body io.ReadCloser) *http.Request {
	sent := r.Clone(r.Context())
	sent.Body = body
	for name, value := range s.headers {
		sent.Header.Set(name, value)
	}
	if token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	return sent
}

// address returns the transport of a server that has one. Its error is a [member.ErrNoKey], or of what is no address.
func (s *server) address() (http.RoundTripper, error) {
	u, err := url.Parse(s.settings.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the url of the server %s of tools is not an address: %s", s.settings.Name,
			member.Redact(s.settings.URL))
	}
	account := credential.Caller(s.settings)
	headers, secrets, err := member.Headers(account, s.options.Getenv)
	if err != nil {
		return nil, err
	}
	s.options.Wallet.Note(secrets...)
	caller, err := s.options.Wallet.For(account, u)
	if err != nil {
		return nil, err
	}
	over := cmp.Or(s.options.Client, gate.Client(s.options.Gate.Transport(nil)))
	return showing{bounding{over.Transport}, caller, headers}, nil
}

// mostBody is how many bytes of one response are read.
const mostBody = 16 << 20

// bounding reads no more of a response than [mostBody]: more is a [*http.MaxBytesError].
type bounding struct{ http.RoundTripper }

func (b bounding) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, mostBody)
	}
	return resp, err
}
