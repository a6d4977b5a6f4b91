package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
)

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
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings := &council.ToolServer{Name: "srv", Command: []string{self}, Env: []string{"COUNCIL_TEST_SERVER"},
		Allow: allowed}
	s, err := newServer(settings, false,
		Options{Wallet: &credential.Wallet{Getenv: os.Getenv}, Getenv: func(string) string { return how }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s
}

// A server that ignored the first method of the newest version, instead of refusing it, was waited for until the time
// was up.
func TestAServerThatIgnoresUnknownMethodsIsInitialized(t *testing.T) {
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
	for _, want := range []string{"the server srv cannot be reached: ", "Welcome to", "the ledger",
		"to its standard output, which is for messages of the protocol alone"} {
		if !a.Failed || !strings.Contains(a.Result, want) {
			t.Errorf("it does not say %q: %s", want, a.Result)
		}
	}
	if strings.ContainsRune(a.Result, '\x1b') || strings.Contains(a.Result, "invalid character") {
		t.Errorf("it says %q", a.Result)
	}
}
