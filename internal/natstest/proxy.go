package natstest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Proxy is the way to a server, which a test makes bad: all that is sent comes late, and some of it twice.
type Proxy struct {
	URL string

	server string
	twice  float64 // of the messages that clients send, those that are sent twice

	mu    sync.Mutex
	deaf  time.Time // until then messages of the server are lost
	shut  bool      // refuses connections
	conns []net.Conn
}

// NewProxy returns a way to the server at a URL, which ends with the test. twice is the share of messages that clients
// send through it which the server gets twice.
func NewProxy(tb testing.TB, server string, twice float64) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{URL: "nats://" + l.Addr().String(), server: strings.TrimPrefix(server, "nats://"), twice: twice}
	tb.Cleanup(func() { _ = l.Close(); p.Cut() })
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
			go p.hear(s, c)
			go p.tell(c, s)
		}
	}()
	return p
}

// hear passes on the messages of a client, some twice.
func (p *Proxy) hear(server, client net.Conn) {
	defer server.Close()
	defer client.Close()
	for from := bufio.NewReader(client); ; {
		said, err := from.ReadBytes('\n')
		if words := strings.Fields(string(said)); err == nil && strings.HasSuffix(strings.ToUpper(words[0]), "PUB") {
			size, _ := strconv.Atoi(words[len(words)-1])
			body := make([]byte, size+len("\r\n"))
			_, err = io.ReadFull(from, body)
			if said = append(said, body...); rand.Float64() < p.twice {
				said = append(said, said...)
			}
		}
		<-time.After(rand.N(time.Millisecond))
		if _, failed := server.Write(said); failed != nil || err != nil {
			return
		}
	}
}

// tell passes on the messages of a server, and cuts the line once one was lost.
func (p *Proxy) tell(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	for piece := make([]byte, 64<<10); ; {
		n, err := server.Read(piece)
		p.mu.Lock()
		wait := time.Until(p.deaf)
		p.mu.Unlock()
		if wait > 0 {
			<-time.After(wait)
			return
		}
		<-time.After(rand.N(time.Millisecond))
		if _, failed := client.Write(piece[:n]); failed != nil || err != nil {
			return
		}
	}
}

// Deafen loses the messages of the server from now on for a time.
func (p *Proxy) Deafen(d time.Duration) { p.mu.Lock(); p.deaf = time.Now().Add(d); p.mu.Unlock() }

// Block refuses all connections, or accepts them again.
func (p *Proxy) Block(shut bool) { p.mu.Lock(); p.shut = shut; p.mu.Unlock(); p.Cut() }

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}
