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
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// Proxies and certificates are read from the environment once in a process, so each of these calls has its own.
func TestMain(m *testing.M) {
	if address := os.Getenv("TEST_CALL"); address != "" {
		os.Exit(callOnce(address))
	}
	os.Exit(m.Run())
}

// callOnce puts a question to a server, prints the reply or the error, and returns the exit code.
func callOnce(address string) int {
	at := chat.at(address)
	at.APIKeyEnv = "TEST_KEY"
	policy := member.DefaultRetryPolicy()
	policy.Sleep = func(context.Context, time.Duration) error { return nil }
	m, err := chat.open(at, endpoint.Options{Getenv: environment})
	var c prompt.Completion
	if err == nil {
		c, err = ask(member.Retry(m, policy), question())
	}
	if err != nil {
		os.Stdout.WriteString(err.Error())
		return 1
	}
	os.Stdout.WriteString(c.Text)
	return 0
}

// elsewhere asks from a process with its own environment.
func elsewhere(t *testing.T, address string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), check.Get(os.Executable())(t))
	cmd.Env = append([]string{"TEST_CALL=" + address, "PATH=" + os.Getenv("PATH")}, env...)
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
	s := &server{dialect: chat, scripts: []script{{text: "through"}}, arrived: make(chan struct{}, 1)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	doc := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	check.OK(t, os.WriteFile(authority, doc, 0o600))
	p := newTunnel(t, s.Listener.Addr().String())
	check.Says(t, elsewhere(t, s.URL), "no secure connection") // nobody vouches for the certificate
	check.Is(t, "calls", 0, s.count())
	check.Is(t, "an authority of one's own", "through", elsewhere(t, s.URL, "SSL_CERT_FILE="+authority))
	check.Is(t, "by a proxy", "through", elsewhere(t, certified, "SSL_CERT_FILE="+authority, "HTTPS_PROXY="+p.URL))
	check.Is(t, "tunnels", 1, p.tunnel.Load())
}

func TestProxy_APlainServerIsReachedThroughAProxyAndThisMachineWithoutOne(t *testing.T) {
	s := serve(t, chat, script{text: "through"})
	p := newTunnel(t, strings.TrimPrefix(s.URL, "http://"))
	check.Is(t, "by a proxy", "through", elsewhere(t, "http://models.example", "HTTP_PROXY="+p.URL))
	check.Is(t, "calls through the proxy", 1, p.plain.Load())
	check.Is(t, "this machine", "through", elsewhere(t, s.URL, "HTTP_PROXY=http://127.0.0.1:1"))
	check.NeverSays(t, elsewhere(t, "http://models.example", "HTTP_PROXY=http://user:"+secret+"@127.0.0.1:1"), secret)
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
		got := elsewhere(t, test.address, "HTTPS_PROXY="+p.URL, "HTTP_PROXY="+p.URL)
		check.Says(t, got, test.words, "the proxy "+strings.TrimPrefix(p.URL, "http://"))
		check.Is(t, "calls", test.calls, calls.Load())
		p.Close()
	}
	for _, address := range []string{"https://models.example", "http://models.example"} {
		got := elsewhere(t, address, "HTTPS_PROXY=http://user:"+secret+"@127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1")
		check.Says(t, got, "the proxy 127.0.0.1:1, through which "+address+" is called, cannot be reached")
		check.NeverSays(t, got, secret, "tried")
	}
}
