// Package mcp calls the tools of servers that speak the Model Context Protocol, by the official SDK: programs that are
// started and spoken to over their streams, and addresses that take streamable HTTP.
//
// A server is hostile until it is known better. Nothing that it says reaches anybody but as the result of a call; what it
// offers beyond tools is not taken, and what it asks for in turn (sampling, roots, input) is not given.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/tool"
)

// Options are what a server is given besides the charter.
type Options struct {
	Getenv      func(string) string
	Client      *http.Client
	AllowWrites bool // whether tools may be called that do not say that they only read
}

// Server is one server, for one member. It is reached when a tool is first called, and again when it was lost.
type Server struct {
	settings *tool.Server
	options  Options
	connect  func() mcp.Transport

	mu      sync.Mutex // held during a call: what one member asks comes one by one
	session *mcp.ClientSession
	known   map[string]*mcp.Tool // those that may be called, as the server described them when it was reached
	twice   map[string]bool      // names that more than one of them has
}

// passedOn are the variables that programs need to run at all.
var passedOn = []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "SYSTEMROOT"}

// New makes a server of what the charter says, and lists the values of the variables that it is given: they are secrets.
// The error is a [member.ErrNoKey] when one of them is not set.
func New(s *tool.Server, o Options) (*Server, []string, error) {
	var secrets, env []string
	for _, name := range s.Env {
		value := o.Getenv(name)
		if value == "" {
			return nil, nil, fmt.Errorf("%w: the server %s of tools needs the environment variable %s, which is not set: export it, or remove it from env",
				member.ErrNoKey, s.Name, name)
		}
		env, secrets = append(env, name+"="+value), append(secrets, value)
	}
	for _, name := range passedOn {
		if value := o.Getenv(name); value != "" && !slices.Contains(s.Env, name) {
			env = append(env, name+"="+value)
		}
	}
	server := &Server{settings: s, options: o}
	server.connect = func() mcp.Transport {
		if s.URL != "" {
			return &mcp.StreamableClientTransport{
				Endpoint: s.URL, HTTPClient: bounded(o.Client), MaxRetries: -1, DisableStandaloneSSE: true,
			}
		}
		cmd := exec.Command(s.Command[0], s.Command[1:]...)
		cmd.Env = env
		return &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}
	}
	return server, secrets, nil
}

const (
	// patience is how long a program may take to end by itself, and again when it is told to.
	patience = time.Second
	// mostTools is how many tools of a server are looked at.
	mostTools = 2_000
)

// Close ends the connection, and the program if there is one.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	return nil // how a server that nobody needs any more goes down is its own affair
}

func (s *Server) drop() {
	if s.session != nil {
		_ = s.session.Close()
	}
	s.session, s.known, s.twice = nil, nil, nil
}

// reach connects, unless that was done, and notes which of the allowed tools there are.
func (s *Server) reach(ctx context.Context) error {
	if s.session != nil {
		return nil
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "council", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := client.Connect(ctx, s.connect(), nil)
	if err != nil {
		return fmt.Errorf("the server %s cannot be reached: %w", s.settings.Name, err)
	}
	s.session, s.known, s.twice = session, map[string]*mcp.Tool{}, map[string]bool{}
	looked := 0
	for t, err := range session.Tools(ctx, nil) {
		if looked++; err == nil && looked > mostTools {
			err = errors.New("it lists tools without end")
		}
		if err != nil {
			s.drop()
			return fmt.Errorf("the server %s does not say which tools it has: %w", s.settings.Name, err)
		}
		if slices.Contains(s.settings.Allow, t.Name) {
			s.twice[t.Name] = s.known[t.Name] != nil
			s.known[t.Name] = t
		}
	}
	return nil
}

// find is the tool of this name, or says why it is not called.
func (s *Server) find(name string) (*mcp.Tool, error) {
	t := s.known[name]
	switch {
	case t == nil:
		return nil, fmt.Errorf("the server %s has no tool %q", s.settings.Name, name)
	case s.twice[name]:
		return nil, fmt.Errorf("the server %s has several tools %q, and nobody knows which is meant", s.settings.Name, name)
	case !s.options.AllowWrites && (t.Annotations == nil || !t.Annotations.ReadOnlyHint):
		return nil, fmt.Errorf("the tool %q does not say that it only reads, and this council allows no others", name)
	}
	return t, nil
}

// own is the name that the server has for a tool, of the one by which members call it.
func (s *Server) own(name string) string { return strings.TrimPrefix(name, s.settings.Name+".") }
