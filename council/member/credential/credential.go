// Package credential finds what a member's server wants to know its caller by: a key from the environment, one that was
// stored, a token of a device login, or what a program prints. A secret goes to the server that it was meant for and to
// no other, and every secret that was found can be cut from words for a record.
package credential

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
)

// Credential is how the caller of a model shows who it is. It is safe for concurrent use.
type Credential interface {
	// Get returns the secret to send, or "" where none is needed. Its error is a [*member.CallError], or ctx's.
	Get(ctx context.Context) (string, error)
	// Renew is asked after the server refused a secret. It returns another one, or false where there is none to be had
	// without a person. Its error is like that of Get.
	Renew(ctx context.Context, refused string) (string, bool, error)
}

// Wallet holds the credentials of all members. Members with the same credential share it, so that a token is fetched once
// for all of them. Its fields are not changed after the first use.
type Wallet struct {
	Getenv func(string) string // reads the environment; required

	mu      sync.Mutex
	secrets []string
}

// For returns the credential of a model at a server. Its error is a [member.ErrNoKey] and is for people: it says what is
// missing and what to do. It makes no call and runs nothing.
func (w *Wallet) For(m council.Model, server *url.URL) (Credential, error) {
	key, err := Key(m, w.Getenv)
	if err != nil {
		return nil, err
	}
	w.found(key)
	return fixed(key), nil
}

// Secrets are all that was found so far, to be cut from words for a record.
func (w *Wallet) Secrets() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.secrets)
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

func (w *Wallet) found(secrets ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range secrets {
		if s != "" && !slices.Contains(w.secrets, s) {
			w.secrets = append(w.secrets, s)
		}
	}
}

// None is the credential of a model that needs none.
const None = fixed("")

// fixed is a secret that stays what it is as long as the process lives.
type fixed string

func (f fixed) Get(context.Context) (string, error) { return string(f), nil }

func (f fixed) Renew(context.Context, string) (string, bool, error) { return "", false, nil }
