package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// unruly is a server with a child that outlives its input and its requests to end; both report at the socket. It
// complains before it says anything.
func unruly(socket string) {
	isChild := os.Getenv("COUNCIL_TEST_CHILD") != ""
	if isChild {
		signal.Ignore(syscall.SIGTERM)
	}
	c, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	if isChild {
		io.Copy(io.Discard, c)
		return
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "COUNCIL_TEST_CHILD=yes")
	child.Stdout = os.Stdout // which it keeps open
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Fprint(os.Stderr, strings.Repeat("noise ", 100<<10), "\x1b[31mthe ledger is a-secret-value-of-ours", "\n")
	s := hostileServer(new(int))
	s.AddTool(&sdk.Tool{Name: "absent", InputSchema: object, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var names []string
			for _, v := range os.Environ() {
				name, _, _ := strings.Cut(v, "=")
				names = append(names, name)
			}
			slices.Sort(names)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(names, " ")}}}, nil
		})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// ours returns a server that is a program, and the door at which its processes report.
func ours(t *testing.T) (*server, *counciltest.Door) {
	t.Helper()
	door := counciltest.OpenDoor(t)
	env := map[string]string{"COUNCIL_TEST_SERVER": door.Path, "LEDGER": "a-secret-value-of-ours"}
	return started(t, check.Get(os.Executable())(t), env), door
}

func TestServerProgram_AProgramIsEndedWithAllThatItStarted(t *testing.T) {
	s, door := ours(t)
	answers(t, s)
	one, other := door.Enter(t), door.Enter(t)
	s.close()
	counciltest.Gone(t, one)
	counciltest.Gone(t, other)
}

func TestServerProgram_AProgramIsGivenItsOwnVariablesAndNoOthers(t *testing.T) {
	s, _ := ours(t)
	a := s.call(t.Context(), "srv.absent", []byte(`{"q":"x"}`), most)
	names := slices.DeleteFunc(strings.Fields(a.Result), func(n string) bool { return n == "GOCOVERDIR" })
	check.Equal(t, "it", []string{"COUNCIL_TEST_SERVER", "LEDGER", "PATH"}, names)
}

// A program's last output is the only account of why it died, and may be anything.
func TestServer_QuotesItsErrorOutputWhenItDies(t *testing.T) {
	s, _ := ours(t)
	a := s.call(t.Context(), "srv.die", []byte(`{"q":"x"}`), most)
	if !a.Failed || !strings.Contains(a.Result, "the last that it wrote to its errors: …") ||
		!strings.HasSuffix(a.Result, "the ledger is [cut].") {
		t.Errorf("%+v", a)
	}
	check.NeverSays(t, a.Result, "secret-value", "\x1b")
	check.Is(t, "it is short", true, len(a.Result) <= 600)
}

// byHand is a server that begins with one method, refuses the other beginning, and is silent about all else that it
// does not know. It has one tool.
func byHand(begin, welcome string) {
	results := map[string]string{
		begin:        welcome,
		"tools/list": `{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`,
		"tools/call": `{"resultType":"complete","content":[{"type":"text","text":"heard"}]}`,
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if results[m.Method] != "" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, results[m.Method])
		} else if m.Method == "initialize" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there are no sessions any more"}}`+"\n", m.ID)
		}
	}
}

// odd returns a server that is this program, and behaves as its variable says.
func odd(t *testing.T, how string) *server {
	t.Helper()
	return started(t, check.Get(os.Executable())(t), map[string]string{"COUNCIL_TEST_SERVER": how})
}

// A server that ignored the first method of the newest version, instead of refusing it, was waited for until the time
// was up.
func TestServerProgram_AServerThatIgnoresUnknownMethodsIsInitialized(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only a server that hangs takes so long
	defer cancel()
	for _, how := range []string{"mute", "newer"} {
		if a := odd(t, how).call(ctx, "srv.echo", []byte(`{}`), most); a.Failed || a.Result != "heard\n" {
			t.Errorf("%s: %+v", how, a)
		}
	}
}

// "invalid character 'W' looking for beginning of value" was all that was said of a banner.
func TestServer_ReportsABannerOnItsOutput(t *testing.T) {
	a := odd(t, "banner").call(t.Context(), "srv.echo", []byte(`{"q":"x"}`), most)
	check.Is(t, "it failed", true, a.Failed)
	check.Says(t, a.Result, "the server srv cannot be reached: ", "Welcome to", "the ledger",
		"to its standard output, which is for messages of the protocol alone")
	check.NeverSays(t, a.Result, "\x1b", "invalid character")
}

// guarded is a server that accepts one token, and counts the headers that it is sent.
type guarded struct {
	url   string
	right string

	mu    sync.Mutex
	shown map[string]int // by the Authorization header
	teams map[string]int // by the header X-Team
}

func guard(t *testing.T, right string) *guarded {
	g := &guarded{right: right, shown: map[string]int{}, teams: map[string]int{}}
	inside := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return hostileServer(new(int)) }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.shown[r.Header.Get("Authorization")]++
		g.teams[r.Header.Get("X-Team")]++
		g.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+g.right {
			http.Error(w, "I do not know "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		inside.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

func echo(t *testing.T, settings council.ToolServer, w *credential.Wallet) string {
	t.Helper()
	settings.Name, settings.Allow = "srv", allowed
	s := check.Get(newServer(&settings, false, Options{Getenv: w.Getenv, Wallet: w}))(t)
	defer s.close()
	return s.call(t.Context(), "srv.echo", []byte(`{"q":"x"}`), most).Result
}

func TestServerAccount_AnAddressIsShownWhoCalls(t *testing.T) {
	env := map[string]string{"TICKETS": "right-token-of-the-house", "TEAM": "blue", "WRONG": "wrong-token-of-the-house"}
	getenv := func(name string) string { return env[name] }
	t.Run("a variable, and a header", func(t *testing.T) {
		g := guard(t, "right-token-of-the-house")
		w := &credential.Wallet{Now: time.Now, Getenv: getenv}
		headers := map[string]string{"X-Team": "${TEAM}"}
		got := echo(t, council.ToolServer{URL: g.url, APIKeyEnv: "TICKETS", Headers: headers}, w)
		if got != "heard\n" || len(g.shown) != 1 || len(g.teams) != 1 || g.teams["blue"] == 0 {
			t.Errorf("%q, shown %v, %v", got, g.shown, g.teams)
		}
		check.Equal(t, "what is cut from words", []string{"right-token-of-the-house", "blue"}, w.Secrets())
	})
	t.Run("a wrong one is not shown for ever", func(t *testing.T) {
		g := guard(t, "right-token-of-the-house")
		got := echo(t, council.ToolServer{URL: g.url, APIKeyEnv: "WRONG"}, &credential.Wallet{Now: time.Now, Getenv: getenv})
		if !strings.Contains(got, "cannot be reached") || g.shown["Bearer wrong-token-of-the-house"] > 3 {
			t.Errorf("%q, shown %v", got, g.shown)
		}
	})
	t.Run("what a program prints, and prints anew", func(t *testing.T) {
		g, ran := guard(t, "token-number-2"), filepath.Join(t.TempDir(), "ran")
		script := "if test -e " + ran + "; then echo token-number-2; else touch " + ran + "; echo token-number-1; fi"
		auth := &council.Auth{Method: "command", Command: council.Printer{Args: []string{"sh", "-c", script}},
			CacheTTLSeconds: 60}
		got := echo(t, council.ToolServer{URL: g.url, Auth: auth}, &credential.Wallet{Now: time.Now, Getenv: getenv})
		if got != "heard\n" || g.shown["Bearer token-number-1"] != 1 {
			t.Errorf("%q, shown %v", got, g.shown)
		}
	})
	const at = "https://tickets.example/mcp"
	for name, s := range map[string]council.ToolServer{
		"NOBODY_SET_THIS": {URL: at, APIKeyEnv: "NOBODY_SET_THIS"},
		"NOR_THIS":        {URL: at, Headers: map[string]string{"X": "${NOR_THIS}"}},
		`"nothing-of-the-sort"`: {URL: at,
			Auth: &council.Auth{Method: "credential-ref", CredentialID: "nothing-of-the-sort"}},
	} {
		s.Name, s.Allow = "srv", allowed
		_, err := newServer(&s, false, Options{Wallet: &credential.Wallet{Now: time.Now, Getenv: getenv}, Getenv: getenv})
		check.ErrorIs(t, name, member.ErrNoKey, err)
		check.Fails(t, name, err, name)
	}
}

// A server's token is not sent to the address that it redirects to.
func TestServerAccount_ATokenFollowsNoRedirect(t *testing.T) {
	elsewhere := guard(t, "right")
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.url, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	w := &credential.Wallet{Now: time.Now, Getenv: func(string) string { return "a-token-of-the-house" }}
	got := echo(t, council.ToolServer{URL: moved.URL, APIKeyEnv: "TOKEN"}, w)
	if !strings.Contains(got, "cannot be reached") || len(elsewhere.shown) > 0 {
		t.Errorf("%q, and the other was shown %v", got, elsewhere.shown)
	}
}
