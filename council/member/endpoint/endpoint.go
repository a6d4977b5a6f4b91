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
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// Options are what a model needs from the process it runs in.
type Options struct {
	Getenv func(string) string // reads the environment; required
	Wallet *credential.Wallet  // nil: one that knows the environment alone; share one
	Client *http.Client        // nil: [NewClient]; share one among all members
	Quirks *Quirks             // nil: its own; share one, so that members learn from each other
	Now    func() time.Time    // the clock by which calls are timed; nil: [time.Now]
}

// Endpoint is one model on one server.
type Endpoint struct {
	Base   *url.URL // its path ends in a slash; its query, such as ?api-version=2024-10-21, goes with every call
	Model  council.Model
	Client *http.Client
	getenv func(string) string
	wallet *credential.Wallet
	caller credential.Credential
	quirks *Quirks
	now    func() time.Time

	schemas sync.Map // of contracts by contractKey, as the provider takes them
}

// New checks what the charter says about a model and returns where it is. The provider's own address is used when
// the charter names none; apis are the names by which the charter may ask for this protocol. Errors are for people;
// those about credentials are a [member.ErrNoKey].
func New(m council.Model, address string, apis []string, o Options) (*Endpoint, error) {
	if m.Model == "" {
		return nil, fmt.Errorf("the provider %s needs a model: set model.model", m.Provider)
	}
	if m.API != "" && !slices.Contains(apis, m.API) {
		return nil, fmt.Errorf("this version cannot use the api %q of %s: leave it out, or set %s", m.API, m.Provider, apis[0])
	}
	base, err := parse(m, address)
	if err != nil {
		return nil, err
	}
	if o.Wallet == nil {
		o.Wallet = &credential.Wallet{Getenv: o.Getenv}
	}
	caller, err := o.Wallet.For(m, base)
	if err != nil {
		return nil, err
	}
	_, secrets, err := member.Headers(m, o.Getenv)
	if err != nil {
		return nil, err
	}
	o.Wallet.Note(secrets...)
	e := &Endpoint{Base: base, Model: m, Client: o.Client, getenv: o.Getenv, wallet: o.Wallet, caller: caller, quirks: o.Quirks, now: o.Now}
	if e.now == nil {
		e.now = time.Now
	}
	if e.Client == nil {
		e.Client = NewClient()
	}
	if e.quirks == nil {
		e.quirks = &Quirks{}
	}
	return e, nil
}

// calls matches the end of an address that names a call and not a server.
var calls = regexp.MustCompile(`/(chat/completions|responses|messages)$`)

func parse(m council.Model, address string) (*url.URL, error) {
	if m.BaseURL != "" {
		address = m.BaseURL
	}
	if address == "" {
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
		return nil, fmt.Errorf("the baseUrl of %s must not hold a password or a fragment: use apiKeyEnv or headers", m.Provider)
	}
	u.Path = calls.ReplaceAllString(strings.TrimRight(u.Path, "/"), "") + "/"
	u.RawPath = ""
	return u, nil
}

// versioned matches a path that says which version of a protocol it is, such as /api/v1/ or /v1beta/openai/.
var versioned = regexp.MustCompile(`/v\d[0-9a-z]*/`)

// WithVersion is the base address without its query, with /v1 added when neither names a version.
func (e *Endpoint) WithVersion() string {
	u := *e.Base
	u.RawQuery = ""
	if versioned.MatchString(u.Path) || e.Base.Query().Has("api-version") {
		return u.String()
	}
	return u.JoinPath("v1/").String()
}

// WithoutVersion is the base address without its query and without a /v1 at its end.
func (e *Endpoint) WithoutVersion() string {
	u := *e.Base
	u.RawQuery = ""
	u.Path = strings.TrimSuffix(u.Path, "v1/")
	return u.String()
}

// Send sends a request of an SDK by next, with the query of the base address, and checks the response.
func (e *Endpoint) Send(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if more := e.Base.RawQuery; more != "" {
		req.URL.RawQuery = strings.Trim(req.URL.RawQuery+"&"+more, "&")
	}
	return e.Check(next(req))
}

// Headers returns the charter's own headers with their variables filled in.
func (e *Endpoint) Headers() (map[string]string, error) {
	headers, _, err := member.Headers(e.Model, e.getenv)
	if err != nil {
		return nil, &member.CallError{Fault: council.Fault{Kind: council.FaultAuth, Message: member.Redact(err.Error())}}
	}
	return headers, nil
}

// Redact cuts this endpoint's secrets, and whatever else looks like one, from words for a record.
func (e *Endpoint) Redact(words string) string {
	_, secrets, _ := member.Headers(e.Model, e.getenv)
	return member.Redact(words, append(secrets, e.wallet.Secrets()...)...)
}

// Lacks reports whether the endpoint was found not to take something for its model.
func (e *Endpoint) Lacks(f Feature) bool { return e.quirks.lacks(e.place(), f) }

// learn notes from a rejection what the endpoint does not take, of what was sent to it, and reports whether there
// was anything new: then the call is worth putting again without it.
func (e *Endpoint) learn(err error, sent ...Feature) bool {
	return e.quirks.learn(e.place(), err, sent)
}

func (e *Endpoint) place() string {
	return strings.TrimSpace(e.Base.String() + " " + e.Model.Model + " " + e.Model.API)
}

// NewClient returns an HTTP client for model servers. It has no timeout, because replies may take long: bound calls
// with [member.Timeout]. A [member.Stop] ends the wait for a connection. It follows no redirects, which would carry the key to a place nobody named.
func NewClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = untilStopped(t.DialContext)
	t.MaxIdleConnsPerHost = 32 // as many members as are asked at once keep their connections
	t.IdleConnTimeout = 90 * time.Second
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// errUnsent is the error of a call that a stop ended before there was a connection: it was not made, and costs nothing.
var errUnsent = errors.New("stopped before there was a connection")

// untilStopped is a dialer that gives up with errUnsent when a [member.Stop] is asked for.
func untilStopped(dial dialer) dialer {
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
