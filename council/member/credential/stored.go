package credential

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// stored returns a key that council onboard stored, or another that somebody stored since.
func (w *Wallet) stored(m council.Model, server *url.URL) (*shared, error) {
	read := func() (Entry, error) { return w.open(w.Vault, m.Auth.CredentialID, Origin(server)) }
	first, err := read()
	if err != nil {
		return nil, fmt.Errorf("%w: %s needs the credential %q: %w", member.ErrNoKey, m.Provider, m.Auth.CredentialID, err)
	}
	s := w.share(func(_ context.Context, old Entry) (Entry, error) {
		if next, err := read(); err == nil { // otherwise what the server said matters more
			return Entry{Secret: next.Secret}, nil
		}
		return old, nil
	})
	s.entry.Secret = first.Secret
	return s, nil
}

// open reads what is stored for a server.
func (w *Wallet) open(v *Vault, id, server string) (Entry, error) {
	if v == nil {
		return Entry{}, fmt.Errorf("%w, because nothing can be stored here", ErrAbsent)
	}
	e, err := v.Get(id)
	if err == nil && e.Server != server { // one name may stand for a key at each of several servers
		if own, failed := v.Get(IDAt(id, server)); failed == nil {
			e = own
		}
	}
	w.Note(e.Secret, e.Refresh)
	switch {
	case err != nil:
		return Entry{}, err
	case e.Server != server:
		// A configuration from elsewhere must not send a key where its owner never meant it to go.
		return Entry{}, fmt.Errorf(
			"it was stored for %s and is not sent to %s: council onboard stores one for that server too",
			e.Server, server)
	}
	return e, nil
}

// IDAt returns the name under which a second key is stored that a configuration calls id: the one for this server.
func IDAt(id, server string) string { return id + " at " + server }

// Origin returns the part of an address that identifies a server: its scheme, host and port.
func Origin(server *url.URL) string {
	host := strings.ToLower(server.Host)
	scheme := strings.ToLower(server.Scheme)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}
