// Package credential finds what a member's server wants to know its caller by: a key from the environment, one that was
// stored, a token of a login, or what a program prints. A secret goes to the server that it was meant for and to no
// other, and every secret that was found can be cut from words for a record.
package credential

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
)

// Credential is how the caller of a model shows who it is. It is safe for concurrent use.
type Credential interface {
	// Get returns the secret to send, or "" where none is needed. Its error is a [*member.CallError], or ctx's.
	Get(ctx context.Context) (string, error)
	// Renew is asked after the server refused a secret. It returns another one, or false where there is none to be had
	// without a person. Its error is like that of Get.
	Renew(ctx context.Context, refused string) (string, bool, error)
}

// Wallet holds the credentials of all members. Members with the same credential share it, so that a token is fetched
// once for all of them. Its fields are not changed after the first use.
type Wallet struct {
	Getenv func(string) string // reads the environment; required
	Vault  *Vault              // where credentials are stored; nil: nowhere
	Claim  func() error        // makes the folder of the vault, before a login is stored; nil: it is there
	Client *http.Client        // by which login servers are reached; nil: one of the gate
	Gate   *gate.Gate          // before what is sent and started
	Now    func() time.Time    // nil: [time.Now]
	Invite func(Invitation)    // asks a person to log in; nil: there is no person

	opening sync.Mutex
	shared  map[string]*shared // guarded by opening

	mu      sync.Mutex
	secrets []string
	waiting []*login // for a person
}

// For returns the credential of a model at a server. Its error is a [member.ErrNoKey] and is for people: it names what
// is missing and what to do. It makes no call and runs nothing.
func (w *Wallet) For(m council.Model, server *url.URL) (Credential, error) {
	if m.Auth == nil {
		return w.variable(m)
	}
	open := map[string]func(council.Model, *url.URL) (*shared, error){
		"credential-ref": w.stored, "oauth-device-code": w.login, "command": w.program}[m.Auth.Method]
	switch {
	case m.Auth.Method == "" || m.Auth.Method == "api-key-env":
		return w.variable(m)
	case open == nil:
		return nil, fmt.Errorf("%w: there is no auth method %q: use apiKeyEnv instead", member.ErrNoKey, m.Auth.Method)
	}
	w.opening.Lock() // so that a person is asked to log in once
	defer w.opening.Unlock()
	name := Name(m) + " " + Origin(server)
	if known := w.shared[name]; known != nil {
		return known, nil
	}
	c, err := open(m, server)
	if err != nil {
		return nil, err
	}
	if w.shared == nil {
		w.shared = map[string]*shared{}
	}
	w.shared[name] = c
	return c, nil
}

func (w *Wallet) variable(m council.Model) (Credential, error) {
	key, err := Key(m, w.Getenv)
	if err != nil {
		return nil, err
	}
	w.Note(key)
	return fixed(key), nil
}

func (w *Wallet) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

// Note adds secrets that were found elsewhere to those that are cut from words.
func (w *Wallet) Note(secrets ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range secrets {
		if s != "" && !slices.Contains(w.secrets, s) {
			w.secrets = append(w.secrets, s)
		}
	}
}

// Secrets returns all that were found so far, the longest first, to be cut from words for a record.
func (w *Wallet) Secrets() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	secrets := slices.Clone(w.secrets)
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}

// tellable is how long a secret must be for it to be cut from what a model wrote, in bytes: a shorter one may be a word
// like any other, such as the key "ollama" of a server that wants some key.
const tellable = 12

// Cut replaces each secret in a model's own words, whose form stays.
func (w *Wallet) Cut(words string) string {
	for _, secret := range w.Secrets() {
		if len(secret) >= tellable {
			words = strings.ReplaceAll(words, secret, "[cut]")
		}
	}
	return words
}

// refusal is the error of a call that was not put, because there is nothing to show the server.
func (w *Wallet) refusal(kind council.FaultKind, format string, args ...any) error {
	words := member.Redact(fmt.Sprintf(format, args...), w.Secrets()...)
	return &member.CallError{Fault: council.Fault{Kind: kind, Message: words}, Retryable: kind.Passing()}
}

// None is the credential of a model that needs none.
const None = fixed("")

// fixed is a secret that stays what it is as long as the process lives.
type fixed string

func (f fixed) Get(context.Context) (string, error) { return string(f), nil }

func (f fixed) Renew(context.Context, string) (string, bool, error) { return "", false, nil }

// shared is a secret that is got anew when it has expired or was refused, by one of its users for all.
type shared struct {
	wallet *Wallet
	early  time.Duration // before its end, from when on it counts as expired
	// fresh returns another secret, or the old one where there is none to be had.
	fresh func(ctx context.Context, old Entry) (Entry, error)

	turn  chan struct{} // taken by who uses the entry
	entry Entry         // without a secret before the first
}

func (w *Wallet) share(fresh func(context.Context, Entry) (Entry, error)) *shared {
	return &shared{wallet: w, fresh: fresh, turn: make(chan struct{}, 1)}
}

// take waits for the turn, which give ends, or for the end of ctx.
func (s *shared) take(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shared) give() { <-s.turn }

// Get returns the secret, or another one if it has expired.
func (s *shared) Get(ctx context.Context) (string, error) { return s.other(ctx, "") }

// Renew returns another secret, unless that was got for another user already.
func (s *shared) Renew(ctx context.Context, refused string) (string, bool, error) {
	secret, err := s.other(ctx, refused)
	return secret, err == nil && secret != refused, err
}

func (s *shared) other(ctx context.Context, refused string) (secret string, err error) {
	if err := s.take(ctx); err != nil {
		return "", err
	}
	defer s.give()
	if s.entry.Secret == refused || !s.current(s.entry) {
		s.entry, err = s.fresh(ctx, s.entry)
	}
	return s.entry.Secret, err
}

func (s *shared) current(e Entry) bool {
	return e.Expires.IsZero() || s.wallet.now().Add(s.early).Before(e.Expires)
}
