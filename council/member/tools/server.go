package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/process"
)

// server is one server that speaks the Model Context Protocol, for one member: a program that is started and spoken to
// over its streams, or an address that takes streamable HTTP.
//
// It is not trusted. Its words reach members only as the result of a call; what it offers
// beyond tools is not taken, and what it asks for in turn (sampling, roots, input) is not given.
//
// It is reached when a tool is first called, and again when it was lost.
type server struct {
	settings *council.ToolServer
	options  Options
	writes   bool     // whether tools may be called that do not say that they only read
	secrets  []string // that the program is given
	connect  func() mcp.Transport

	mu      sync.Mutex // held during a call: what one member asks comes one by one
	session *mcp.ClientSession
	program *program             // nil for an address, and before it is reached
	known   map[string]*mcp.Tool // those that may be called, as the server described them when it was reached
	twice   map[string]bool      // names that more than one of them has
}

// newServer makes a server as the charter has it. It starts and calls nothing. The error is a [member.ErrNoKey] when a
// variable is not set, or when a credential is missing.
func newServer(settings *council.ToolServer, writes bool, o Options) (s *server, err error) {
	s = &server{settings: settings, options: o, writes: writes}
	if settings.URL != "" {
		over, err := s.address()
		client := gate.Client(over)
		s.connect = func() mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: settings.URL, HTTPClient: client, MaxRetries: -1,
				DisableStandaloneSSE: true}
		}
		return s, err
	}
	env, unset := process.Environment(o.Getenv, settings.Env)
	if unset != "" {
		return nil, member.Unset("the server "+settings.Name+" of tools", unset, "remove it from env")
	}
	for _, name := range settings.Env {
		s.secrets = append(s.secrets, o.Getenv(name))
	}
	s.connect = func() mcp.Transport {
		s.program = &program{command: settings.Command, env: env, gate: o.Gate}
		return s.program
	}
	return s, nil
}

// mostTools is how many tools of a server are looked at.
const mostTools = 2_000

// close ends the connection, and the program if there is one. How a server that is not needed any more ends is its own
// affair.
func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

func (s *server) drop() {
	if s.session != nil {
		_ = s.session.Close()
	}
	if s.program != nil {
		s.program.end() // also where no session came about
	}
	s.session, s.known, s.twice = nil, nil, nil
}

// reach connects, unless that was done, and notes which of the allowed tools there are.
func (s *server) reach(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	session, err := s.greet(ctx, handshake)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		s.drop()
		if newer, failed := s.greet(ctx, ""); failed == nil {
			session, err = newer, nil
		}
	}
	if err != nil {
		s.drop()
		return fmt.Errorf("the server %s cannot be reached: %s%s", s.settings.Name, trouble(err), s.complaint())
	}
	s.session, s.known, s.twice = session, map[string]*mcp.Tool{}, map[string]bool{}
	looked := 0
	for t, err := range session.Tools(ctx, nil) {
		if looked++; err == nil && looked > mostTools {
			err = errors.New("it lists tools without end")
		}
		if err != nil {
			s.drop()
			return fmt.Errorf("the server %s does not say which tools it has: %s%s", s.settings.Name, trouble(err),
				s.complaint())
		}
		if slices.Contains(s.settings.Allow, t.Name) {
			s.twice[t.Name] = s.known[t.Name] != nil
			s.known[t.Name] = t
		}
	}
	return nil
}

// handshake is the version of the protocol whose sessions begin with "initialize", which every server answers. The
// versions after it begin with "server/discover": the SDK asks for that first and waits for the answer, and a server
// that ignores what it does not know gives none.
const handshake = "2025-11-25"

// greet begins a session in a version of the protocol; empty is the latest.
func (s *server) greet(ctx context.Context, version string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "council", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	return client.Connect(ctx, s.connect(), &mcp.ClientSessionOptions{ProtocolVersion: version})
}

// complaint returns what a program wrote that is gone or was ended, to follow a sentence of ours: to its output, where
// it does not belong, and last to its errors.
func (s *server) complaint() string {
	if s.program == nil {
		return ""
	}
	secrets := append(s.options.Wallet.Secrets(), s.secrets...)
	said := ""
	if words := strings.TrimSpace(member.Redact(stray(s.program.output.Kept()), secrets...)); words != "" {
		said = fmt.Sprintf("; it wrote %q to its standard output, which is for messages of the protocol alone: what it says "+
			"to people belongs to its errors", words)
	}
	if words := strings.TrimSpace(member.RedactEnd(string(s.program.errors.Kept()), secrets...)); words != "" {
		said += "; the last that it wrote to its errors: " + strings.TrimSuffix(words, ".")
	}
	return said
}

// look reaches the server, calls nothing, and says why each of the tools that the charter allows could not be called,
// by the server's own names: nothing of those that could. The error says that the server cannot be reached.
func (s *server) look(ctx context.Context) (map[string]error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reach(ctx); err != nil {
		return nil, err
	}
	wrong := map[string]error{}
	for _, name := range s.settings.Allow {
		t, err := s.find(name)
		if err == nil {
			if _, err = held(t, []byte("{}")); err != nil {
				err = fmt.Errorf("the tool %q cannot be called: %w", name, err)
			}
		}
		if err != nil {
			wrong[name] = err
		}
	}
	return wrong, nil
}

// find returns the tool of this name. Its error is why it is not called.
func (s *server) find(name string) (*mcp.Tool, error) {
	t := s.known[name]
	switch {
	case t == nil:
		return nil, fmt.Errorf("the server %s has no tool %q", s.settings.Name, name)
	case s.twice[name]:
		return nil, fmt.Errorf("the server %s has several tools %q, and it is not known which is meant",
			s.settings.Name, name)
	case !s.writes && (t.Annotations == nil || !t.Annotations.ReadOnlyHint):
		return nil, fmt.Errorf("the tool %q does not say that it only reads, and this council allows no others", name)
	}
	return t, nil
}

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
