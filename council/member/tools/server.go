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

// server is one MCP server for one member: a program that is started, or an address (streamable HTTP).
//
// It is not trusted. Its words reach members only as the result of a call; its offers beyond tools are ignored, and
// its requests (sampling, roots, input) are refused.
//
// It is connected on the first call, and again after a failure.
type server struct {
	settings *council.ToolServer
	options  Options
	writes   bool     // whether tools may be called that are not marked as read-only
	secrets  []string // that the program is given
	connect  func() mcp.Transport

	mu      sync.Mutex // held during a call
	session *mcp.ClientSession
	program *program               // nil for an address, and before it is reached
	known   map[string][]*mcp.Tool // those that may be called, as the server described them when it was reached
}

// newServer makes a server from its settings, or returns a [member.ErrNoKey]. It starts and calls nothing.
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
		return nil, member.MissingVariable("the server "+settings.Name+" of tools", unset, "remove it from env")
	}
	s.secrets = council.Map(settings.Env, o.Getenv)
	s.connect = func() mcp.Transport {
		s.program = &program{command: settings.Command, env: env, gate: o.Gate}
		return s.program
	}
	return s, nil
}

// close ends the connection, and the program if there is one.
func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disconnect()
}

func (s *server) disconnect() {
	if s.session != nil {
		_ = s.session.Close()
	}
	if s.program != nil && s.program.end != nil {
		s.program.end() // also where no session came about
	}
	s.session, s.known = nil, nil
}

// connectOnce connects once, and notes the allowed tools that exist.
func (s *server) connectOnce(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	// Its sessions begin with "initialize", which every server answers. Later versions begin with "server/discover", which
	// some servers ignore while the SDK waits.
	session, err := s.startSession(ctx, "2025-11-25")
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		s.disconnect()
		if newer, failed := s.startSession(ctx, ""); failed == nil {
			session, err = newer, nil
		}
	}
	if err != nil {
		s.disconnect()
		return fmt.Errorf("the server %s cannot be reached: %s%s", s.settings.Name, describeError(err), s.complaint())
	}
	s.session, s.known = session, map[string][]*mcp.Tool{}
	looked := 0
	for t, err := range session.Tools(ctx, nil) {
		if looked++; err == nil && looked > 2_000 {
			err = errors.New("it lists tools without end")
		}
		if err != nil {
			s.disconnect()
			return fmt.Errorf("the server %s does not say which tools it has: %s%s", s.settings.Name, describeError(err),
				s.complaint())
		}
		if slices.Contains(s.settings.Allow, t.Name) {
			s.known[t.Name] = append(s.known[t.Name], t)
		}
	}
	return nil
}

// startSession begins a session in a version of the protocol; empty is the latest.
func (s *server) startSession(ctx context.Context, version string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "council", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	return client.Connect(ctx, s.connect(), &mcp.ClientSessionOptions{ProtocolVersion: version})
}

// complaint returns the last stray output and errors of a program, to follow a sentence.
func (s *server) complaint() string {
	if s.program == nil {
		return ""
	}
	secrets := append(s.options.Wallet.Secrets(), s.secrets...)
	said := ""
	if words := strings.TrimSpace(member.Redact(strayLine(s.program.output.Kept()), secrets...)); words != "" {
		said = fmt.Sprintf("; it wrote %q to its standard output, which is for messages of the protocol alone: what it says "+
			"to people belongs to its errors", words)
	}
	if words := strings.TrimSpace(member.RedactEnd(string(s.program.errors.Kept()), secrets...)); words != "" {
		said += "; the last that it wrote to its errors: " + strings.TrimSuffix(words, ".")
	}
	return said
}

// checkTools connects to the server, and notes why each allowed tool could not be called, or with -1 why no tool could.
func (s *server) checkTools(ctx context.Context, note func(tool int, err error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.connectOnce(ctx); err != nil {
		note(-1, err)
		return
	}
	for i, name := range s.settings.Allow {
		if t, err := s.find(name); err != nil {
			note(i, err)
		} else if _, err = checkArguments(t, []byte("{}")); err != nil {
			note(i, fmt.Errorf("the tool %q cannot be called: %w", name, err))
		}
	}
}

// find returns a tool by its name. Its error is why it is not called.
func (s *server) find(name string) (*mcp.Tool, error) {
	switch tools := s.known[name]; {
	case len(tools) == 0:
		return nil, fmt.Errorf("the server %s has no tool %q", s.settings.Name, name)
	case len(tools) > 1:
		return nil, fmt.Errorf("the server %s has several tools %q, and it is not known which is meant",
			s.settings.Name, name)
	case !s.writes && (tools[0].Annotations == nil || !tools[0].Annotations.ReadOnlyHint):
		return nil, fmt.Errorf("the tool %q does not say that it only reads, and this council allows no others", name)
	default:
		return tools[0], nil
	}
}

// credentialTransport adds a bearer token, which it renews once if it is refused, and the charter's headers.
type credentialTransport struct {
	base    http.RoundTripper
	caller  *credential.Credential
	headers map[string]string
}

func (s credentialTransport) RoundTrip(r *http.Request) (*http.Response, error) {
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
		return resp, nil // the server's answer matters more
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

func (s credentialTransport) with(token string, r *http.Request, body io.ReadCloser) *http.Request {
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

// address returns the transport to a server's address. Its error is a [member.ErrNoKey], or about the address.
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
	over := cmp.Or(s.options.Client, gate.Client(s.options.Gate.Transport()))
	return credentialTransport{boundedTransport{over.Transport}, caller, headers}, nil
}

const mostBody = 16 << 20 // bytes of one response

// boundedTransport fails reading a response beyond [mostBody] with a [*http.MaxBytesError].
type boundedTransport struct{ http.RoundTripper }

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, mostBody)
	}
	return resp, err
}
