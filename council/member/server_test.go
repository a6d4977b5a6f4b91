package member_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

// script is a server's answer to one call, independent of the protocol.
type script struct {
	text    string
	stop    prompt.Stop // "" means end
	usage   council.Usage
	status  int // with kind and words: an error instead of a reply
	kind    string
	words   string
	header  map[string]string
	body    string // verbatim, with status: an error in no known form
	hang    bool   // the stream goes idle after the text
	whole   bool   // one JSON document instead of a stream
	noUsage bool
	keep    bool // comments and empty events in between, as gateways send them
}

// dialect is one protocol as its server speaks it.
type dialect struct {
	name  string
	model council.Model // as the charter asks for it
	path  string
	id    string                  // of a reply, where the server gives it no other
	bound int                     // of a reply that the charter does not bound
	begin func(s script) []object // the events before the text
	piece func(text string) object
	alive string // an event that is only a sign of life
	end   func(s script) []object
	done  string // after the last event
	whole func(s script) any
	fault func(s script) any
	key   func(h http.Header) string
}

// stream plays a script as a stream of events, each written at once.
func (d dialect) stream(w io.Writer, s script) {
	send := func(events ...object) {
		for _, e := range events {
			name := ""
			if e["type"] != nil {
				name = fmt.Sprintf("event: %s\n", e["type"])
			}
			doc, _ := json.Marshal(e)
			fmt.Fprintf(w, "%sdata: %s\n\n", name, doc)
		}
	}
	send(d.begin(s)...)
	for _, word := range strings.SplitAfter(s.text, " ") {
		send(d.piece(word))
		if s.keep {
			io.WriteString(w, d.alive+": still working\n\n\n\n")
		}
	}
	if s.hang {
		return
	}
	send(d.end(s)...)
	if d.done != "" {
		io.WriteString(w, d.done)
	}
}

func (dialect) open(m council.Model, o endpoint.Options) (member.Model, error) {
	return endpoint.New(m, o)
}

// asked is a request to a server, independent of the protocol.
type asked struct {
	System      string
	Messages    []prompt.Message
	Schema      string
	Temperature *float64
	MaxTokens   int
	StreamUsage bool
}

// asked reads a request.
func (d dialect) asked(body []byte) asked {
	doc := gjson.ParseBytes(body)
	if doc.Get("input").Exists() && (!doc.Get("stream").Bool() || doc.Get("store").Type != gjson.False) {
		panic("a reply is stored, or not streamed")
	}
	a := asked{StreamUsage: !strings.HasSuffix(d.path, "/completions") || doc.Get("stream_options.include_usage").Bool()}
	for _, field := range []string{
		"response_format.json_schema.schema", "text.format.schema", "output_config.format.schema",
	} {
		a.Schema += doc.Get(field).Raw
	}
	for _, field := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		a.MaxTokens += int(doc.Get(field).Int())
	}
	if warm := doc.Get("temperature"); warm.Exists() {
		a.Temperature = new(warm.Float())
	}
	var system []string
	for _, block := range doc.Get("system").Array() {
		system = append(system, block.Get("text").String())
	}
	for _, m := range append(doc.Get("messages").Array(), doc.Get("input").Array()...) {
		text := cmp.Or(m.Get("content.0.text").String(), m.Get("content").String())
		if m.Get("role").String() == "system" {
			system = append(system, text)
		} else {
			a.Messages = append(a.Messages, prompt.Message{Role: prompt.Role(m.Get("role").String()), Content: text})
		}
	}
	a.System = strings.Join(system, "\n\n")
	return a
}

// server plays its scripts in turn, the last one for ever, and records its requests.
type server struct {
	*httptest.Server
	dialect dialect
	scripts []script

	mu      sync.Mutex
	calls   int
	paths   []string
	keys    []string
	headers []http.Header
	bodies  [][]byte
	arrived chan struct{}
}

func serve(t testing.TB, d dialect, scripts ...script) *server {
	t.Helper()
	s := &server{dialect: d, scripts: scripts, arrived: make(chan struct{}, 1)}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	play := s.scripts[min(s.calls, len(s.scripts)-1)]
	s.calls++
	s.paths = append(s.paths, r.RequestURI)
	s.keys = append(s.keys, s.dialect.key(r.Header))
	s.headers = append(s.headers, r.Header.Clone())
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default: // no test waits for it
	}
	s.play(w, r, play)
}

func (s *server) play(w http.ResponseWriter, r *http.Request, p script) {
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	switch {
	case p.status > 0 && p.body != "":
		w.WriteHeader(p.status)
		io.WriteString(w, p.body)
		return
	case p.status > 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(p.status)
		json.NewEncoder(w).Encode(s.dialect.fault(p))
		return
	case p.whole:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.dialect.whole(p))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s.dialect.stream(w, p)
	w.(http.Flusher).Flush()
	if p.hang {
		<-r.Context().Done()
	}
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *server) asked(call int) asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialect.asked(s.bodies[call])
}

// model opens a model at the server, as the charter would, with changes to that.
func (s *server) model(t testing.TB, changes ...func(*council.Model)) member.Model {
	t.Helper()
	seat := s.dialect.at(s.URL)
	seat.APIKeyEnv = "TEST_KEY"
	for _, change := range changes {
		change(&seat)
	}
	return check.Get(s.dialect.open(seat, endpoint.Options{Getenv: environment}))(t)
}

// at returns a model of the dialect at an address.
func (d dialect) at(url string) council.Model {
	m := d.model
	m.Model, m.BaseURL = "m-1", url
	return m
}

const secret = "verysecretvalue"

func environment(name string) string {
	return map[string]string{"TEST_KEY": "key-" + secret, "TEST_HEADER": "header-" + secret}[name]
}

func question() *prompt.Prompt {
	return &prompt.Prompt{
		Try:    1,
		System: prompt.System{Shared: "The charter.", Persona: "You are Ada."},
		Messages: []prompt.Message{{Role: prompt.User, Content: "one"}, {Role: prompt.Assistant, Content: "two"},
			{Role: prompt.User, Content: "three"}},
	}
}

func structured() *prompt.Prompt {
	p := question()
	p.Try = 2 // with the first try not every dialect sends the schema
	p.Contract = &prompt.Contract{Name: "reply.turn",
		Forms: []form.Form{{{Name: "rationale", Type: form.Text, Words: 20}, {Name: "note", Type: form.Text, Optional: true},
			{Name: "ballot", Type: form.Text, May: []string{"YES", "NO"}}}}}
	return p
}

func ask(m member.Model, p *prompt.Prompt) (prompt.Completion, error) {
	return m.Complete(context.Background(), p)
}

// faultOf returns the kind of an error's fault, or "" of one that is none.
func faultOf(err error) council.FaultKind {
	if call, ok := errors.AsType[*member.CallError](err); ok {
		return call.Fault.Kind
	}
	return ""
}
