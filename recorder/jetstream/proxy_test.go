package jetstream_test

import (
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy is the way to a server, which a test makes bad.
type proxy struct {
	url    string
	server string

	mu    sync.Mutex
	deaf  time.Time // until then what the server says is lost
	shut  bool      // nobody gets through
	conns []net.Conn
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{url: "nats://" + l.Addr().String(), server: strings.TrimPrefix(server, "nats://")}
	t.Cleanup(func() { _ = l.Close(); p.cut() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			s, err := net.Dial("tcp", p.server)
			p.mu.Lock()
			if err != nil || p.shut {
				p.mu.Unlock()
				_ = c.Close()
				continue
			}
			p.conns = append(p.conns, c, s)
			p.mu.Unlock()
			go p.carry(s, c, false)
			go p.carry(c, s, true)
		}
	}()
	return p
}

// carry hands on what comes, late, until something that a client should have heard was lost: then it cuts the line.
func (p *proxy) carry(to, from net.Conn, back bool) {
	defer to.Close()
	defer from.Close()
	for piece := make([]byte, 64<<10); ; {
		n, err := from.Read(piece)
		p.mu.Lock()
		lost := back && time.Now().Before(p.deaf)
		p.mu.Unlock()
		if lost {
			<-time.After(time.Until(p.deaf))
			return
		}
		<-time.After(rand.N(time.Millisecond))
		if _, failed := to.Write(piece[:n]); failed != nil || err != nil {
			return
		}
	}
}

// deafen loses what the server says from now on for a time.
func (p *proxy) deafen(d time.Duration) { p.mu.Lock(); p.deaf = time.Now().Add(d); p.mu.Unlock() }

// block lets nobody through, or everybody again.
func (p *proxy) block(shut bool) { p.mu.Lock(); p.shut = shut; p.mu.Unlock(); p.cut() }

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}
