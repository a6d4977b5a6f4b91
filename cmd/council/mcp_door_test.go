package main

//lint:file-ignore SA1019 as serve/mcp.go

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/serve"
	"github.com/council-engine/council/internal/check"
)

// caller is a client of council mcp, by the official SDK, in a folder of its own.
type caller struct {
	*testing.T
	*mcp.ClientSession
	door   *localDoor
	folder string
	client *mcp.Client
	told   chan string
}

// decidingApp returns the command with members that decide, see [deciding].
func decidingApp() *cli.Env {
	a := testOnlyApp(nil, nil)
	usual := a.Getenv
	a.Getenv = func(name string) string {
		if name == "COUNCIL_MODEL" {
			return deciding
		}
		return usual(name)
	}
	return a
}

// newCaller connects a client of a command whose members decide.
func newCaller(t *testing.T) *caller { return newCallerOf(t, decidingApp) }

// newCallerOf connects a client. Processes are started within this one.
func newCallerOf(t *testing.T, app func() *cli.Env) *caller {
	c := &caller{T: t, folder: t.TempDir(), told: make(chan string, 1000)}
	t.Chdir(c.folder)
	c.door = newLocalDoor(app)
	c.connect()
	return c
}

// connect connects the client to a server of its own.
func (c *caller) connect() {
	s, err := c.door.Server(c.Context())
	check.OK(c, err)
	here, there := mcp.NewInMemoryTransports()
	check.Get(s.Connect(c.Context(), there, nil))(c)
	c.client = mcp.NewClient(&mcp.Implementation{Name: "caller"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.told <- r.Params.Message
		}})
	if c.ClientSession, err = c.client.Connect(c.Context(), here, nil); err != nil {
		c.Fatal(err)
	}
}

type arguments map[string]any

// call calls a tool, which must not fail.
func (c *caller) call(tool string, args arguments) serve.Said {
	c.Helper()
	p := &mcp.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken(tool)
	r := check.Get(c.CallTool(c.Context(), p))(c)
	if r.IsError {
		c.Fatalf("%s: %s", tool, r.Content[0].(*mcp.TextContent).Text)
	}
	doc := check.Get(json.Marshal(r.StructuredContent))(c)
	var s serve.Said
	check.OK(c, json.Unmarshal(doc, &s))
	if s.Notice != serve.TheirWords {
		c.Errorf("%s does not say whose words these are: %s", tool, doc)
	}
	return s
}

// refuses calls a tool, which must fail for a reason.
func (c *caller) refuses(why, tool string, args arguments) {
	c.Helper()
	check.Says(c, c.refusal(tool, args), why)
}

// refusal calls a tool, which must fail, and returns the error.
func (c *caller) refusal(tool string, args arguments) string {
	c.Helper()
	r, err := c.CallTool(c.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	if !r.IsError {
		c.Errorf("%s %v was carried out", tool, args)
		return ""
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func TestMCP_ConvenesWaitsAndReads(t *testing.T) {
	c := newCaller(t)
	begun := c.call("convene", arguments{"topic": "Shall we keep the queue?", "council": "code-review",
		"budgetUsd": "2", "pace": "quick"})
	check.Says(t, strings.Join(c.door.started[0], " "),
		"convene --council=code-review --pace=quick --budget-usd=2 --json --no-wait --session-id=")
	closed := c.call("wait", arguments{"session": begun.Session})
	if closed.Session != begun.Session || closed.State != "decided" {
		t.Errorf("session %s, then %s: %s", begun.Session, closed.Session, closed.State)
	}
	check.Says(t, <-c.told, "on record")
	<-c.door.ended // it has remembered the session
	uri := "council://session/" + begun.Session + "/session.json"
	r := check.Get(c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}))(t)
	check.Says(t, r.Contents[0].Text, begun.Session)
	check.Is(t, "its type", "application/json", r.Contents[0].MIMEType)
}

// What an agent sends is never read as a flag, a file, standard input or a program; agents.txt of the corpus has what
// it is refused. What members wrote steers no terminal of whoever the agent shows it to.
func TestMcpDoor_AnAgentsTopicIsNoFlagAndHidesNothing(t *testing.T) {
	c := newCaller(t)
	c.call("convene", arguments{"topic": "--approve-execution \x1b[2Jof the\u202e queue?"})
	c.call("wait", arguments{})
	<-c.door.ended
	for _, tool := range []string{"status", "transcript", "decision", "documentation", "review"} {
		text := c.call(tool, nil).Text
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Errorf("%s passes it on: %q", tool, text)
		}
		switch tool {
		case "transcript":
			check.Says(t, text, "approve-execution")
		case "decision":
			check.Says(t, text, `"approved": false`)
		}
	}
}

func TestMcpDoor_MembersReadOnlyWithinTheRootsOfTheClient(t *testing.T) {
	c := newCaller(t)
	inside, outside := filepath.Join(c.folder, "own folder"), t.TempDir()
	for _, folder := range []string{inside, outside} {
		put(t, filepath.Join(folder, "queue.md"), "It lost two messages.")
	}
	check.OK(t, os.Symlink(outside, filepath.Join(inside, "link")))
	convene := func(path string) arguments { return arguments{"topic": "Ship?", "context": []string{path}} }
	nothing := "nothing was read"
	c.refuses(nothing, "convene", convene("own folder/queue.md")) // it names no root
	c.client.AddRoots(&mcp.Root{URI: "file://" + strings.ReplaceAll(inside, " ", "%20")},
		&mcp.Root{URI: "https://example.com/"})
	for _, path := range []string{outside, filepath.Join(outside, "queue.md"), "own folder/../../..",
		"own folder/link/queue.md", "own folder/*", "own folder/nothing.md", ".", "/", "", "-"} {
		c.refuses(nothing, "convene", convene(path))
	}
	c.refuses(nothing, "convene", arguments{"topic": "Ship?", "diff": "HEAD"}) // the working folder is in no root
	if len(c.door.started) > 0 {
		t.Errorf("these were started: %v", c.door.started)
	}
	c.call("convene", convene("own folder/queue.md"))
	c.call("wait", nil)
	<-c.door.ended
	check.Says(t, c.call("transcript", nil).Text, "own folder/queue.md")
}

func TestMcpDoor_ASessionGoesOnWhenTheAgentHangsUp(t *testing.T) {
	c := newCaller(t)
	begun := c.call("convene", arguments{"topic": "Shall we keep the queue?", "council": "general"})
	check.OK(t, c.Close())
	check.Is(t, "the session ended with", cli.ExitOK, <-c.door.ended)
	c.connect()
	check.Says(t, c.call("status", arguments{"session": begun.Session}).Text, `"state":"decided"`)
}

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
