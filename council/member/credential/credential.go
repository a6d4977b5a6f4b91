// Package credential finds the credential for a member's server: a key from the environment, a stored key, the token of
// a login, or the output of a program. A secret goes only to its own server, and can be cut from words for a record.
package credential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/process"
)

// Wallet holds the credentials of all members; equal ones are shared. Its fields do not change after the first use.
type Wallet struct {
	Getenv func(string) string // reads the environment; required
	Vault  *Vault              // where credentials are stored; nil: nowhere
	Claim  func() error        // makes the folder of the vault, before a login is stored; nil: it is there
	Client *http.Client        // by which login servers are reached; nil: one of the gate
	Gate   *gate.Gate          // passed by every request and program
	Now    func() time.Time    // required
	Invite func(Invitation)    // asks a person to log in; nil: there is no person

	opening sync.Mutex
	shared  map[string]*Credential // guarded by opening

	mu      sync.Mutex
	secrets []string
	waiting []*login // for a person
}

// For returns the credential of a model at a server, or a [member.ErrNoKey]. It makes no call and runs nothing.
func (w *Wallet) For(m council.Model, server *url.URL) (*Credential, error) {
	if m.Auth == nil || m.Auth.Method == "api-key-env" {
		key, err := Key(m, w.Getenv)
		if err != nil {
			return nil, err
		}
		w.Note(key)
		return &Credential{entry: Entry{Secret: key}}, nil
	}
	open := map[string]func(council.Model, *url.URL) (*Credential, error){
		"credential-ref": w.openStored, "oauth-device-code": w.openLogin, "command": w.openProgram}[m.Auth.Method]
	if open == nil {
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
		w.shared = map[string]*Credential{}
	}
	w.shared[name] = c
	return c, nil
}

// Note adds secrets from elsewhere to those that are cut from words.
func (w *Wallet) Note(secrets ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range secrets {
		if s != "" && !slices.Contains(w.secrets, s) {
			w.secrets = append(w.secrets, s)
		}
	}
}

// Secrets returns all secrets found so far, the longest first.
func (w *Wallet) Secrets() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	secrets := slices.Clone(w.secrets)
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}

const minCutSecret = 12 // bytes; a shorter one, such as "ollama", may be an ordinary word of a model

// Cut replaces each secret in a model's words.
func (w *Wallet) Cut(words string) string {
	for _, secret := range w.Secrets() {
		if len(secret) >= minCutSecret {
			words = strings.ReplaceAll(words, secret, "[cut]")
		}
	}
	return words
}

// refusal returns the error of a call that was not sent for lack of a credential.
func (w *Wallet) refusal(kind council.FaultKind, format string, args ...any) error {
	words := member.Redact(fmt.Sprintf(format, args...), w.Secrets()...)
	return &member.CallError{Fault: council.Fault{Kind: kind, Message: words}, Retryable: kind.Passing()}
}

// Credential authenticates the caller of a model. One of its users renews it for all. It is safe for concurrent use.
type Credential struct {
	wallet *Wallet
	margin time.Duration // before its end, from when on it counts as expired
	// renewEntry returns another secret, or the old one where there is none; nil: there never is.
	renewEntry func(ctx context.Context, old Entry) (Entry, error)

	turn  chan struct{} // held while the entry is used
	entry Entry         // without a secret before the first
}

func (w *Wallet) share(fresh func(context.Context, Entry) (Entry, error)) *Credential {
	return &Credential{wallet: w, renewEntry: fresh, turn: make(chan struct{}, 1)}
}

// Unneeded reports whether a model is called without a secret.
func (s *Credential) Unneeded() bool { return s.renewEntry == nil && s.entry.Secret == "" }

func (s *Credential) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Credential) unlock() { <-s.turn }

// Get returns the secret to send, another one if it has expired, or "" where none is needed. Its error is a
// [*member.CallError], or ctx's.
func (s *Credential) Get(ctx context.Context) (string, error) { return s.renewIfNeeded(ctx, "") }

// Renew returns another secret after a refused one, or false where that takes a person. Errors are those of Get.
func (s *Credential) Renew(ctx context.Context, refused string) (string, bool, error) {
	secret, err := s.renewIfNeeded(ctx, refused)
	return secret, err == nil && secret != refused, err
}

func (s *Credential) renewIfNeeded(ctx context.Context, refused string) (secret string, err error) {
	if s.renewEntry == nil {
		return s.entry.Secret, nil
	}
	if err := s.lock(ctx); err != nil {
		return "", err
	}
	defer s.unlock()
	if s.entry.Secret == refused || !s.current(s.entry) {
		s.entry, err = s.renewEntry(ctx, s.entry)
	}
	return s.entry.Secret, err
}

func (s *Credential) current(e Entry) bool {
	return e.Expires.IsZero() || s.wallet.Now().Add(s.margin).Before(e.Expires)
}

// Key returns the API key that the charter names for a model, or "" where none is needed, or a [member.ErrNoKey]. A
// standard variable (OPENAI_API_KEY) is read only for its provider's own address.
func Key(m council.Model, getenv func(string) string) (string, error) {
	name, here := Variable(m), member.Loopback(m.BaseURL)
	switch {
	case name == "" && m.Kind().NeedsKey && m.BaseURL != "" && len(m.Headers) == 0 && !here:
		return "", fmt.Errorf("%w: %s needs an API key, and none is named: name its environment variable in apiKeyEnv",
			member.ErrNoKey, m.Provider)
	case name == "":
		return "", nil
	}
	if key := strings.TrimSpace(getenv(name)); key != "" || here {
		return key, nil
	}
	return "", fmt.Errorf(
		"%w: %s needs an API key and the environment variable %s is not set: export it, or name another in apiKeyEnv",
		member.ErrNoKey, m.Provider, name)
}

// Variable returns the environment variable with a model's key, or "" when there is none.
func Variable(m council.Model) string {
	switch {
	case m.Auth != nil && m.Auth.Method == "api-key-env":
		return m.Auth.APIKeyEnv
	case m.Auth != nil:
		return ""
	case m.APIKeyEnv != "" || m.BaseURL != "":
		return m.APIKeyEnv
	}
	return m.Kind().Key
}

// Name identifies a model's credential without containing a secret.
func Name(m council.Model) string {
	if m.Auth != nil {
		switch a := m.Auth; a.Method {
		case "credential-ref":
			return "stored " + a.CredentialID
		case "oauth-device-code":
			return "login " + LoginID(*a) + " " + a.TokenStorePath
		case "command":
			return "program " + cmp.Or(a.CacheKey, strings.Join(append(a.Command.Argv(), a.Env...), " "))
		}
	}
	return "variable " + Variable(m)
}

// Caller returns a tool server as a model, for [Wallet.For] and [member.Headers].
func Caller(s *council.ToolServer) council.Model {
	return council.Model{Provider: "the server " + s.Name + " of tools", BaseURL: s.URL, APIKeyEnv: s.APIKeyEnv,
		Auth: s.Auth, Headers: s.Headers}
}

// openStored returns a key that council login stored; renewing reads it again.
func (w *Wallet) openStored(m council.Model, server *url.URL) (*Credential, error) {
	read := func() (Entry, error) { return w.readEntry(w.Vault, m.Auth.CredentialID, Origin(server)) }
	first, err := read()
	if err != nil {
		return nil, fmt.Errorf("%w: %s needs the credential %q: %w", member.ErrNoKey, m.Provider, m.Auth.CredentialID, err)
	}
	s := w.share(func(_ context.Context, old Entry) (Entry, error) {
		if next, err := read(); err == nil { // otherwise the server's answer matters more
			return Entry{Secret: next.Secret}, nil
		}
		return old, nil
	})
	s.entry.Secret = first.Secret
	return s, nil
}

func (w *Wallet) readEntry(v *Vault, id, server string) (Entry, error) {
	if v == nil {
		return Entry{}, fmt.Errorf("%w, because nothing can be stored here", ErrAbsent)
	}
	e, err := v.Get(id)
	if err == nil && e.Server != server { // one id may have a key at each of several servers
		if own, failed := v.Get(IDAt(id, server)); failed == nil {
			e = own
		}
	}
	w.Note(e.Secret, e.Refresh)
	switch {
	case err != nil:
		return Entry{}, err
	case e.Server != server:
		// A configuration from elsewhere must not send a key to another server.
		return Entry{}, fmt.Errorf("it was stored for %s and is not sent to %s: council login stores one for that server too",
			e.Server, server)
	}
	return e, nil
}

// IDAt returns the id of a second key with the same name: the one for this server.
func IDAt(id, server string) string { return id + " at " + server }

// Origin returns the scheme, host and port of an address.
func Origin(server *url.URL) string {
	host := strings.ToLower(server.Host)
	scheme := strings.ToLower(server.Scheme)
	if port := map[string]string{"http": ":80", "https": ":443"}[scheme]; port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host
}

const (
	programTime = 30 * time.Second // of one run
	maxToken    = 64 << 10         // bytes of its output
)

// openProgram returns the token on the first line of a program's output, cached as configured.
func (w *Wallet) openProgram(m council.Model, server *url.URL) (*Credential, error) {
	words := m.Auth.Command.Argv()
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("%w: %s gets its credential from the program %s, which cannot be run: is it installed?",
			member.ErrNoKey, m.Provider, member.Redact(words[0]))
	}
	env, unset := process.Environment(w.Getenv, m.Auth.Env)
	if unset != "" {
		return nil,
			member.MissingVariable("the program "+member.Redact(words[0])+", which prints the credential of "+m.Provider+",",
				unset, "remove it from auth.env")
	}
	for _, name := range m.Auth.Env {
		w.Note(w.Getenv(name))
	}
	keep := time.Duration(min(m.Auth.CacheTTLSeconds, 1e9) * float64(time.Second))
	id, origin := Name(m), Origin(server)
	var store *Vault // where the token is kept for other processes; nil: nowhere
	s := w.share(func(ctx context.Context, _ Entry) (Entry, error) {
		token, err := w.run(ctx, words, env)
		if err != nil {
			return Entry{}, err
		}
		until := w.Now().Add(keep)
		if store != nil && keep > 0 {
			// On failure it still serves this process.
			_, _ = store.Put(id, Entry{Secret: token, Server: origin, Expires: until.UTC().Truncate(time.Second)})
		}
		return Entry{Secret: token, Expires: until}, nil
	})
	if m.Auth.TokenStorePath == "" {
		return s, nil
	}
	store = OpenVaultFile(m.Auth.TokenStorePath)
	e, err := store.Get(id)
	switch {
	case err == nil && e.Server == origin: // of another server is replaced, and never sent
		w.Note(e.Secret)
		s.entry = e
	case err != nil && !errors.Is(err, ErrAbsent):
		return nil, fmt.Errorf("%w: the token of %s: %w", member.ErrNoKey, m.Provider, err)
	}
	return s, nil
}

// run returns the first line of a program's output.
func (w *Wallet) run(parent context.Context, words, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(parent, programTime)
	defer cancel()
	leave, err := w.Gate.Program(ctx, words...)
	if err != nil {
		return "", err
	}
	out, err := process.Run{Program: words[0], Args: words[1:], Env: env, Most: maxToken, Permit: leave}.Do(ctx)
	line, _, _ := strings.Cut(strings.TrimLeft(string(out.Output), "\r\n"), "\n")
	token := strings.TrimSpace(line)
	w.Note(token)
	if parent.Err() != nil {
		return "", parent.Err()
	}
	complaint := ""
	if said := strings.TrimSpace(out.Errors); said != "" {
		complaint = ": " + member.RedactEnd(said, w.Secrets()...)
	}
	refuse := func(why string) (string, error) {
		return "", w.refusal(council.FaultAuth, "the program %s, which is to print the credential, %s%s", words[0], why,
			complaint)
	}
	switch {
	case ctx.Err() != nil:
		return refuse(fmt.Sprintf("was not done after %s and was ended", programTime))
	case err != nil:
		return refuse("cannot be run")
	case out.Flooded:
		return refuse(fmt.Sprintf("printed more than %d bytes and was ended", maxToken))
	case out.Code != 0 && !out.Stayed:
		return refuse("ended with " + out.State)
	case token == "":
		return refuse("printed nothing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return refuse("printed something that is not a credential")
	}
	return token, nil
}
