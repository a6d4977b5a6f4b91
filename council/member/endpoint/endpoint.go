// Package endpoint asks models that a server has, over HTTP and by any of three protocols: chat completions and
// responses, which OpenAI, Gemini, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Azure and many others speak, and
// Anthropic's messages.
package endpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// Options are what a model needs from the process it runs in.
type Options struct {
	Getenv func(string) string // reads the environment; required
	Wallet *credential.Wallet  // nil: one that knows the environment alone; share one
	Client *http.Client        // nil: [NewClient] of the gate; share one among all members
	Gate   *gate.Gate          // before what the model sends and starts
	Quirks *Quirks             // nil: its own; share one, so that members learn from each other
	Now    func() time.Time    // the clock by which calls are timed; nil: [time.Now]
}

// Model is one model on one server. It is a [member.Model], and may be used by many goroutines at once.
type Model struct {
	base     *url.URL // its path ends in a slash; its query, such as ?api-version=2024-10-21, goes with every call
	model    council.Model
	kind     council.MemberKind
	protocol protocol
	client   *http.Client
	headers  map[string]string // of the charter
	wallet   *credential.Wallet
	caller   credential.Credential
	quirks   *Quirks
	now      func() time.Time

	schemas sync.Map // of contracts by contractKey, as the provider takes them
}

// New returns the model that a charter describes, at its baseUrl, with or without /v1 at its end, or at its provider's
// own address. Errors are for people; those about credentials are a [member.ErrNoKey].
func New(c council.Model, o Options) (*Model, error) {
	if c.Model == "" {
		return nil, fmt.Errorf("the provider %s needs a model: set model.model", c.Provider)
	}
	m := &Model{model: c, kind: member.ServerKind(c), client: cmp.Or(o.Client, NewClient(o.Gate)),
		wallet: cmp.Or(o.Wallet, &credential.Wallet{Getenv: o.Getenv, Gate: o.Gate}),
		quirks: cmp.Or(o.Quirks, &Quirks{}), now: o.Now}
	family := cmp.Or(m.kind.Protocol, council.ProtocolOpenAI)
	speaks := slices.DeleteFunc(slices.Clone(protocols), func(p protocol) bool { return p.family != family })
	i := slices.IndexFunc(speaks, func(p protocol) bool { return c.API == "" || slices.Contains(p.apis, c.API) })
	if i < 0 {
		return nil, fmt.Errorf("this version cannot use the api %q of %s: leave it out, or set %s", c.API,
			c.Provider, speaks[0].apis[0])
	}
	m.protocol = speaks[i]
	var err error
	if m.base, err = parse(c, m.kind.Address); err != nil {
		return nil, err
	}
	if m.base.Path == "/" && m.kind.Path != "" {
		m.base = m.base.JoinPath(m.kind.Path, "/")
	}
	if m.caller, err = m.wallet.For(c, m.base); err != nil {
		return nil, err
	}
	headers, secrets, err := member.Headers(c, o.Getenv)
	if err != nil {
		return nil, err
	}
	m.headers = headers
	m.wallet.Note(secrets...)
	if m.now == nil {
		m.now = time.Now
	}
	return m, nil
}

// calls matches the end of an address that names a call and not a server.
var calls = regexp.MustCompile(`/(chat/completions|responses|messages)$`)

func parse(m council.Model, address string) (*url.URL, error) {
	if address = cmp.Or(m.BaseURL, address); address == "" {
		return nil, fmt.Errorf("the provider %s needs a baseUrl, such as %s", m.Provider, m.Kind().Example)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the baseUrl of %s is not an http or https address: %s", m.Provider, member.Redact(address))
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "1"), 10, 16); err != nil {
		return nil, fmt.Errorf("the baseUrl of %s names the port %s, and ports end at 65535", m.Provider, u.Port())
	}
	if u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("the baseUrl of %s must not hold a password or a fragment: use apiKeyEnv or headers",
			m.Provider)
	}
	u.Path = calls.ReplaceAllString(strings.TrimRight(u.Path, "/"), "") + "/"
	u.RawPath = ""
	return u, nil
}

// versioned matches a path with the version of a protocol, such as /api/v1/ or /v1beta/openai/.
var versioned = regexp.MustCompile(`/v\d[0-9a-z]*/`)

// address returns where calls go. Where no version of a protocol is named it is 1.
func (m *Model) address() string {
	u := *m.base
	if m.kind.Protocol == council.ProtocolAnthropic {
		u.Path = strings.TrimSuffix(u.Path, "v1/")
	} else if !versioned.MatchString(u.Path) && !u.Query().Has("api-version") {
		u.Path += "v1/"
	}
	return u.JoinPath(m.protocol.path).String()
}

// lacks reports whether the server was found not to take something for its model.
func (m *Model) lacks(f feature) bool { return m.quirks.lacks(m.place(), f) }

func (m *Model) place() string {
	return strings.TrimSpace(m.base.String() + " " + m.model.Model + " " + m.model.API)
}

// NewClient returns an HTTP client for model servers, whose requests pass the gate. It has no timeout, because replies
// may take long: bound calls with [member.Timeout]. A [member.Stop] ends the wait for a connection. It follows no
// redirects, which would carry the key to another server.
func NewClient(g *gate.Gate) *http.Client { return gate.Client(g.Transport(untilStopped)) }

// errUnsent is the error of a call that a stop ended before there was a connection: it was not made, and costs nothing.
var errUnsent = errors.New("stopped before there was a connection")

// untilStopped returns a dialer that gives up with errUnsent when a [member.Stop] is asked for.
func untilStopped(dial gate.Dial) gate.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		idle, release := member.Idle(ctx)
		defer release()
		conn, err := dial(idle, network, address)
		if err != nil && idle.Err() != nil && ctx.Err() == nil {
			err = errUnsent
		}
		return conn, err
	}
}
