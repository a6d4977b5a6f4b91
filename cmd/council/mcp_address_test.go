package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

func TestMcpAddress_AgentsAreServedAtAnAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	r, w := io.Pipe()
	signals := make(chan os.Signal, 1)
	a := testOnlyApp(nil, nil)
	a.Out, a.Signals = w, catching(signals)
	ended := make(chan int)
	go func() { ended <- runLine(a, context.Background(), []string{"mcp", "--http", "127.0.0.1:0"}) }()
	head := make([]byte, 200)
	n := check.Get(r.Read(head))(t)
	words := strings.Fields(string(head[:n]))
	address := strings.TrimSuffix(words[slices.Index(words, "at")+1], ",")
	token := words[len(words)-1]
	for _, try := range []struct {
		header, value string
		want          int
	}{
		{"Authorization", "", http.StatusUnauthorized},
		{"Authorization", "Bearer " + token[1:], http.StatusUnauthorized},
		{"Origin", "https://example.com", http.StatusForbidden},
		{"Origin", "null", http.StatusForbidden},
		{"Host", "example.com", http.StatusForbidden},
	} {
		q := check.Get(http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader("{}")))(t)
		q.Header.Set("Authorization", "Bearer "+token)
		q.Header.Set(try.header, try.value)
		if try.header == "Host" {
			q.Host = try.value
		}
		resp := check.Get(http.DefaultClient.Do(q))(t)
		resp.Body.Close()
		if resp.StatusCode != try.want {
			t.Errorf("%s %q: %s", try.header, try.value, resp.Status)
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "caller"}, nil)
	session := check.Get(client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address,
		HTTPClient: &http.Client{Transport: bearer(token)}}, nil))(t)
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 9 {
		t.Errorf("%v, %v", tools, err)
	}
	signals <- os.Interrupt
	select {
	case code := <-ended:
		check.Is(t, "it ended with", cli.ExitOK, code)
	case <-time.After(time.Minute):
		t.Error("it goes on after a signal")
	}
}

// bearer shows a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
