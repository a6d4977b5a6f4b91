package gate

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/policy"
)

// Dial opens a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Transport carries requests that the gate lets pass.
type Transport struct {
	*http.Transport
	gate *Gate
}

// Transport returns a transport for many members that are asked at once. through wraps how it connects; nil: nothing
// does.
func (g *Gate) Transport(through func(Dial) Dial) *Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 1024 // as many members as are asked at once keep their connections
	t.IdleConnTimeout = 90 * time.Second
	if through != nil {
		t.DialContext = through(t.DialContext)
	}
	return &Transport{t, g}
}

// Nearby returns a transport for servers on this machine: it passes no proxy and keeps no connection.
func (g *Gate) Nearby() *Transport {
	t := g.Transport(nil)
	t.Proxy, t.DisableKeepAlives = nil, true
	return t
}

// RoundTrip sends a request once it is in the ledger: as a call when its context is one of [Calling], else as a
// contact. The error is a [*policy.RefusedError], a [*SpentError], an [ErrLedger], or that of the connection.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.gate.pass(r); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return t.Transport.RoundTrip(r)
}

func (g *Gate) pass(r *http.Request) error {
	if g == nil {
		return nil
	}
	p := purposeOf(r.Context())
	kind := audit.TypeContact
	if isCall(r.Context()) {
		kind = audit.TypeCall
	}
	e := p.entry(kind)
	e.What = address(r)
	err := g.check(&e, policy.BaseURLs, r.URL.String())
	switch {
	case err != nil:
	case kind == audit.TypeCall:
		err = p.call(g, e)
	default:
		_, err = g.Note(e)
	}
	p.stop(err)
	return err
}
