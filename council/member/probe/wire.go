package probe

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/gate"
)

// wire is the transport of one probe. It reads the server's list before the first call, and watches every call.
type wire struct {
	prober *Prober
	base   http.RoundTripper

	mu     sync.Mutex
	found  Report
	called time.Time // when the last call was sent
	sent   bool      // a schema was sent with some call

	looks bool          // no call is let through
	last  *http.Request // the last call, and the model that it was for
	model string
}

// RoundTrip lets a call through once its server was found to be reachable.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := whole(req)
	if err != nil {
		return nil, err
	}
	if err := w.reach(req); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.last, w.model = req, gjson.GetBytes(body, "model").String()
	w.mu.Unlock()
	if w.looks {
		return nil, &unreachable{"the server was only looked at"}
	}
	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	w.begin(bytes.Contains(body, []byte(`"json_schema"`)))
	start := w.prober.now()
	res, err := w.base.RoundTrip(out)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.found.Trouble, w.found.Words = diagnose(err, req.URL, w.found.Proxy); req.Context().Err() != nil {
			w.found.Trouble = "" // it was reached, and took its time
		}
		return nil, err
	}
	w.mu.Lock()
	w.found.Streams = strings.Contains(res.Header.Get("Content-Type"), "text/event-stream")
	w.mu.Unlock()
	res.Body = &watched{ReadCloser: res.Body, first: func() {
		w.mu.Lock()
		w.found.FirstByte = w.prober.now().Sub(start)
		w.mu.Unlock()
	}}
	return res, nil
}

// reach reads the server's list; its error is why no call can go through. A call of an unknown form goes through as it
// is.
func (w *wire) reach(req *http.Request) error {
	at := listAddress(req.URL)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found.Address = req.URL.Scheme + "://" + req.URL.Host
	if at == nil || w.found.Lists > 0 || w.found.Calls > 0 {
		return nil
	}
	caller := at.String() + "\n" + req.Header.Get("Authorization") + "\n" + req.Header.Get("X-Api-Key") + "\n" +
		req.Header.Get("Api-Key")
	l := w.prober.lists.of(caller, func() listing {
		w.found.Lists++
		return w.list(req, at)
	})
	w.found.Listed, w.found.Proxy, w.found.Skew, w.found.Dated = l.models, l.proxy, l.skew, l.dated
	w.found.Trouble, w.found.Words = l.trouble, l.words
	if l.trouble != "" && l.err == nil {
		return &unreachable{l.words}
	}
	return l.err
}

// unreachable stops a call that could only fail.
type unreachable struct{ words string }

func (u *unreachable) Error() string { return u.words }

func (w *wire) begin(schema bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found.Calls++
	w.found.FirstByte = 0
	w.called = w.prober.now()
	w.sent = w.sent || schema
	switch {
	case schema:
		w.found.Schema = SchemaTaken
	case w.sent:
		w.found.Schema = SchemaLeftOut
	default:
		w.found.Schema = SchemaUnsent
	}
}

func (w *wire) report() Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.found
}

// proxy returns the host of the proxy that a call passes, or "".
func (w *wire) proxy(req *http.Request) string {
	t, ok := w.base.(*http.Transport)
	if passed, gated := w.base.(*gate.Transport); gated {
		t, ok = passed.Transport, true
	}
	if !ok || t.Proxy == nil {
		return ""
	}
	u, err := t.Proxy(req)
	if err != nil || u == nil {
		return ""
	}
	return u.Host
}

// whole reads the body of a request, which a probe's is short enough for.
func whole(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}

// watched tells when the first byte of a body is read.
type watched struct {
	io.ReadCloser
	first func()
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 && b.first != nil {
		b.first()
		b.first = nil
	}
	return n, err
}
