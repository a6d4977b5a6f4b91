package member_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/internal/check"
)

// Proxies and certificates are read from the environment once in a process, so each of these calls has its own.
func TestMain(m *testing.M) {
	if address := os.Getenv("TEST_CALL"); address != "" {
		os.Exit(callOnce(address, os.Getenv("TEST_DIALECT")))
	}
	os.Exit(m.Run())
}

// callOnce puts a question to a server, prints the reply or the error, and returns the exit code.
func callOnce(address, name string) int {
	for _, d := range dialects {
		if d.name != name {
			continue
		}
		at := d.at(address)
		at.APIKeyEnv = "TEST_KEY"
		m, err := d.open(at, endpoint.Options{Getenv: environment})
		if err != nil {
			os.Stdout.WriteString(err.Error())
			return 1
		}
		policy := member.DefaultRetryPolicy()
		policy.Sleep = func(context.Context, time.Duration) error { return nil }
		c, err := ask(member.Retry(m, policy), question())
		if err != nil {
			os.Stdout.WriteString(err.Error())
			return 1
		}
		os.Stdout.WriteString(c.Text)
	}
	return 0
}

// elsewhere asks from a process with its own environment.
func elsewhere(t *testing.T, d dialect, address string, env ...string) string {
	t.Helper()
	self := check.Get(os.Executable())(t)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append([]string{"TEST_CALL=" + address, "TEST_DIALECT=" + d.name, "PATH=" + os.Getenv("PATH")}, env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

// tunnel is a proxy that passes all requests to one server, whatever host was asked for, and counts.
type tunnel struct {
	*httptest.Server
	to     string
	tunnel atomic.Int64 // encrypted
	plain  atomic.Int64
}

func newTunnel(t *testing.T, to string) *tunnel {
	p := &tunnel{to: to}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		p.plain.Add(1)
		out := r.Clone(r.Context())
		out.RequestURI, out.URL.Host = "", p.to
		res, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
		io.Copy(w, res.Body)
		return
	}
	p.tunnel.Add(1)
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
	go io.Copy(there, buffered)
	io.Copy(here, there)
}

// The name in a certificate of httptest; no test may reach the host itself.
const certified = "https://example.com"

func TestProxy_AProxyAndACertificateOfOnesOwnAreTaken(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the system's own store of certificates is asked, which a test must not change")
	}
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := &server{dialect: d, scripts: []script{{text: "through"}}, arrived: make(chan struct{}, 1)}
			s.Server = httptest.NewUnstartedServer(s)
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			authority := filepath.Join(t.TempDir(), "ca.pem")
			doc := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
			check.OK(t, os.WriteFile(authority, doc, 0o600))
			p := newTunnel(t, s.Listener.Addr().String())

			if got := elsewhere(t, d, s.URL); !strings.Contains(got, "no secure connection") || s.count() != 0 {
				t.Errorf("a certificate that nobody vouches for: %s", got)
			}
			check.Is(t, "an authority of one's own", "through", elsewhere(t, d, s.URL, "SSL_CERT_FILE="+authority))
			if got := elsewhere(t, d, certified, "SSL_CERT_FILE="+authority, "HTTPS_PROXY="+p.URL); got != "through" ||
				p.tunnel.Load() != 1 {
				t.Errorf("through a proxy: %s, %d tunnels", got, p.tunnel.Load())
			}
		})
	}
}

func TestProxy_APlainServerIsReachedThroughAProxyAndThisMachineWithoutOne(t *testing.T) {
	s := serve(t, chat, script{text: "through"})
	p := newTunnel(t, strings.TrimPrefix(s.URL, "http://"))
	if got := elsewhere(t, chat, "http://models.example", "HTTP_PROXY="+p.URL); got != "through" || p.plain.Load() != 1 {
		t.Errorf("%s, %d calls through the proxy", got, p.plain.Load())
	}
	check.Is(t, "this machine was asked through a proxy", "through", elsewhere(t, chat, s.URL,
		"HTTP_PROXY=http://127.0.0.1:1"))
	if got := elsewhere(t, chat, "http://models.example",
		"HTTP_PROXY=http://user:"+secret+"@127.0.0.1:1"); strings.Contains(got, secret) {
		t.Errorf("the proxy's password is told: %s", got)
	}
}

func TestProxy_IsNamedAndStopsAtTheFirstCall(t *testing.T) {
	for _, test := range []struct {
		status  int
		address string
		words   string
		calls   int64
	}{
		{407, "https://models.example", "does not let calls to https://models.example through: 407", 1},
		{407, "http://models.example", "does not let calls to http://models.example through: 407", 1},
		{403, "https://models.example", "does not let calls to https://models.example through: 403", 1},
		{403, "http://models.example", "403 Forbidden: blocked by policy (through the proxy", 1},
		{502, "https://models.example", "does not let calls to https://models.example through: 502", 6}, // it may pass
	} {
		var calls atomic.Int64
		p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.WriteHeader(test.status)
			io.WriteString(w, "blocked by policy")
		}))
		got := elsewhere(t, chat, test.address, "HTTPS_PROXY="+p.URL, "HTTP_PROXY="+p.URL)
		if !strings.Contains(got, test.words) || !strings.Contains(got, "the proxy "+strings.TrimPrefix(p.URL, "http://")) ||
			calls.Load() != test.calls {
			t.Errorf("%d before %s: %d calls, %s", test.status, test.address, calls.Load(), got)
		}
		p.Close()
	}
	for _, address := range []string{"https://models.example", "http://models.example"} {
		got := elsewhere(t, chat, address, "HTTPS_PROXY=http://user:"+secret+"@127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1")
		if !strings.Contains(got, "the proxy 127.0.0.1:1, through which "+address+" is called, cannot be reached") ||
			strings.Contains(got, secret) || strings.Contains(got, "tried") {
			t.Errorf("a dead proxy before %s: %s", address, got)
		}
	}
}
