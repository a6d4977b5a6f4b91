package credential

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
)

// stored is a key that council onboard stored.
type stored struct {
	wallet *Wallet
	id     string
	server string
	turn   turn
	key    string
}

func (w *Wallet) stored(m council.Model, server *url.URL) (*stored, error) {
	s := &stored{wallet: w, id: m.Auth.CredentialID, server: Origin(server), turn: newTurn()}
	key, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("%w: %s needs the credential %q: %w", member.ErrNoKey, m.Provider, s.id, err)
	}
	s.key = key
	return s, nil
}

// read looks the key up.
func (s *stored) read() (string, error) {
	e, err := s.wallet.open(s.wallet.Vault, s.id, s.server)
	return e.Secret, err
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

// Get returns the key.
func (s *stored) Get(ctx context.Context) (string, error) {
	if err := s.turn.take(ctx); err != nil {
		return "", err
	}
	defer s.turn.give()
	return s.key, nil
}

// Renew looks whether somebody has stored another key meanwhile.
func (s *stored) Renew(ctx context.Context, refused string) (string, bool, error) {
	if err := s.turn.take(ctx); err != nil {
		return "", false, err
	}
	defer s.turn.give()
	if key, err := s.read(); err == nil { // otherwise what the server said matters more
		s.key = key
	}
	return s.key, s.key != refused, nil
}

// Origin returns the part of an address that identifies a server: its scheme, host and port.
func Origin(server *url.URL) string {
	host := strings.ToLower(server.Host)
	scheme := strings.ToLower(server.Scheme)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}
