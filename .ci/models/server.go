package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
)

// server is llama.cpp's own server with one model on this machine.
type server struct {
	model   model
	address string // such as 127.0.0.1:40123
	process *exec.Cmd
	log     *os.File
}

// serve starts a server with a context of so many tokens in each slot, and returns when it answers.
func (b *bench) serve(ctx context.Context, m model, context int, at string) (*server, error) {
	if at == "" {
		var err error
		if at, err = freeAddress(); err != nil {
			return nil, err
		}
	}
	_, port, _ := net.SplitHostPort(at)
	log, err := os.OpenFile(filepath.Join(b.out, m.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	s := &server{model: m, address: at, log: log}
	s.process = exec.CommandContext(ctx, filepath.Join(b.cache, engineFile), "--model", filepath.Join(b.cache, m.file),
		"--alias", m.name, "--host", "127.0.0.1", "--port", port, "--ctx-size", strconv.Itoa(context*m.slots),
		"--parallel", strconv.Itoa(m.slots), "--no-kv-unified", "--flash-attn", "off", "--threads",
		strconv.Itoa(b.threads)) // on a CPU llama.cpp writes three times as fast without flash attention, at 4,000 tokens
	if m.base {
		s.process.Args = append(s.process.Args, "--no-jinja", "--chat-template", "gemma")
	}
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		log.Close()
		return nil, err
	}
	for start := time.Now(); time.Since(start) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
		res, err := http.Get("http://" + at + "/health")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	s.stop()
	return nil, fmt.Errorf("the server of %s did not begin to answer: see %s", m.name, log.Name())
}

// freeAddress returns an address on this machine at which nothing listens.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// stop kills the server.
func (s *server) stop() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.log.Close()
}

// form is how a server can be asked for a reply.
type form string

// The forms. A relay refuses what a server of the form would not take, as such servers do.
const (
	formSchema form = "schema"
	formJSON   form = "JSON mode"
	formPlain  form = "plain text"
)

var forms = []form{formSchema, formJSON, formPlain}

// relay passes requests on to a server, and counts them as a provider would.
type relay struct {
	URL   string
	calls atomic.Int64 // that reached the model
	most  atomic.Int64 // that went on at once

	close func()
	mu    sync.Mutex
	began chan struct{} // closed when the next reply begins; nil: not awaited
}

// relayTo starts a relay to a server, whose form decides what it takes.
func relayTo(address string, f form) *relay {
	r := &relay{}
	target := &url.URL{Scheme: "http", Host: address}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{DisableKeepAlives: true} // the server closes idle connections at any moment
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		if errors.Is(err, context.Canceled) {
			return
		}
		panic(http.ErrAbortHandler) // the connection breaks, as it would without a relay
	}
	var now atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			body, err := io.ReadAll(q.Body)
			if err != nil {
				return
			}
			if refusal := f.refuses(body); refusal != "" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"code":400,"type":"invalid_request_error","message":%q}}`, refusal)
				return
			}
			q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.calls.Add(1)
			n := now.Add(1)
			defer now.Add(-1)
			for most := r.most.Load(); n > most && !r.most.CompareAndSwap(most, n); most = r.most.Load() {
			}
			w = &noticing{w, r}
		}
		proxy.ServeHTTP(w, q)
	}))
	r.URL, r.close = h.URL, h.Close
	return r
}

// refuses returns the words of a server that does not take a request in this form, or "".
func (f form) refuses(body []byte) string {
	kind := gjson.GetBytes(body, "response_format.type").String()
	switch {
	case f == formJSON && kind == "json_schema":
		return "'response_format.type' must be one of 'text' and 'json_object'"
	case f == formPlain && kind != "":
		return "response_format is not supported by this model"
	}
	return ""
}

// noticing tells its relay when a reply has begun.
type noticing struct {
	http.ResponseWriter
	relay *relay
}

func (n *noticing) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"content":"`)) {
		n.relay.mu.Lock()
		if n.relay.began != nil {
			close(n.relay.began)
			n.relay.began = nil
		}
		n.relay.mu.Unlock()
	}
	return n.ResponseWriter.Write(p)
}

// Unwrap lets the reply be flushed.
func (n *noticing) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// begun returns a channel that is closed when the next reply has words.
func (r *relay) begun() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began == nil {
		r.began = make(chan struct{})
	}
	return r.began
}
