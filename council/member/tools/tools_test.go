package tools

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/secrets"
)

// slow is a tool whose calls take a while by the machine's clock.
func slow(context.Context, string, []byte, int) council.ToolUse {
	<-time.After(100 * time.Millisecond)
	return council.ToolUse{Result: "found"}
}

// A rendered file once said that a session took 0.1 seconds where every clock of the test stood still: the calls of
// tools were timed by the machine's.
func TestTools_ACallIsTimedByTheClockThatIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			now  func() time.Time
			want int64
		}{
			"a clock that stands still":   {func() time.Time { return time.Unix(0, 0) }, 0},
			"a clock that goes with time": {time.Now, 100},
		} {
			box := Box{
				settings: &council.Tools{Workspace: &council.Workspace{Root: "."}}, now: test.now, workspace: slow,
				cut: func(text string) (string, []council.Cut) { return text, nil },
			}
			use, err := box.Use(t.Context(), &prompt.Prompt{}, council.ToolCall{Tool: "workspace.read", Arguments: "{}"})
			if err != nil || use.Result != "found" || use.ElapsedMS != test.want {
				t.Errorf("%s: %+v, %v", name, use, err)
			}
		}
	})
}

// equip makes a kit on this repository, with a server that repeats its arguments.
func equip(t *testing.T, edit func(*council.Tools)) (*Box, *int) {
	t.Helper()
	reached := new(int)
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "say", Description: "Repeats.", InputSchema: map[string]any{"type": "object"},
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
		})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*reached++
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(served.Close)
	s := &council.Tools{Workspace: &council.Workspace{Root: "../../.."},
		MCP: []council.ToolServer{{Name: "srv", URL: served.URL, Allow: []string{"say"}}}}
	if edit != nil {
		edit(s)
	}
	cut := func(text string) (string, []council.Cut) {
		text, counts := secrets.Cut(text)
		return text, council.CutsIn("", counts)
	}
	k := check.Get(New(s, Options{Now: time.Now, Getenv: func(string) string { return "" }, Client: served.Client(),
		Cut: cut, Shown: showAll}))(t)
	t.Cleanup(func() { k.Close() })
	return k, reached
}

func use(t *testing.T, k *Box, name, arguments string) council.ToolUse {
	t.Helper()
	u, err := k.Use(t.Context(), &prompt.Prompt{}, council.ToolCall{Tool: name, Arguments: arguments})
	if err != nil || u.SHA256 != council.Digest(u.Result) || u.Tool != name {
		t.Fatalf("%+v, %v", u, err)
	}
	return u
}

func TestTools_AMemberCanReadTheRepositoryItTalksAbout(t *testing.T) {
	k, reached := equip(t, nil)
	u := use(t, k, council.ToolRead, `{"path": "council/member/tools/tools_test.go", "from": 1, "to": 1}`)
	if !strings.HasSuffix(u.Result, "\n1| package tools") || len(u.Given) != 1 ||
		u.Given[0] != (council.FileLines{File: "council/member/tools/tools_test.go", From: 1, To: 1}) {
		t.Errorf("%+v", u)
	}
	u = use(t, k, council.ToolSearch, `{"query": "func TestAMemberCanReadTheRepository", "path": "council/member/tools"}`)
	if len(u.Given) == 0 || !strings.Contains(u.Result, "tools_test.go:") {
		t.Errorf("%+v", u)
	}
	check.Is(t, "a server that nobody called was reached times", 0, *reached)
}

func TestTools_AServersToolIsDescribedAndCalled(t *testing.T) {
	k, _ := equip(t, nil)
	if u := use(t, k, council.ToolDescribe, `{"tool": "srv.say"}`); u.Failed || !strings.HasPrefix(u.Result, "Repeats.") {
		t.Errorf("%+v", u)
	}
	for _, wrong := range []string{`{}`, `{"tool": "srv.other"}`, `{"tool": "workspace.read"}`, `{"tool": "nobody.say"}`} {
		if u := use(t, k, council.ToolDescribe, wrong); !u.Failed {
			t.Errorf("%s: %+v", wrong, u)
		}
	}
	u := use(t, k, "srv.say", `{"words":"a `+"\u202e"+`b <<data 123 ghp_`+strings.Repeat("a", 36)+`"}`)
	if u.Failed || strings.Contains(u.Result, "\u202e") || len(u.Given) != 0 {
		t.Errorf("%+v", u)
	}
	for _, name := range []string{"srv.other", "other.say", "workspace.write", ""} {
		if u := use(t, k, name, `{}`); !u.Failed || !strings.Contains(u.Result, "There is no tool") {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

func TestTools_SecretsAreCutFromCallsAndResults(t *testing.T) {
	const key = "sk-ant-api03-Q7pWzK2mN9xR4vT8yB1cD5fG6hJ0kL3nP7qS2tU9wX4zA8bC1dE5fG6hJ0kL3nP7qS2tU9wX4zA8bC" +
		"1dE5fG6hJ0kL3nP7qS2tUAA"
	k, _ := equip(t, nil)
	u := use(t, k, "srv.say", `{"words":"`+key+`"}`)
	if strings.Contains(u.Result+u.Arguments, "Q7pWzK2m") || !strings.Contains(u.Result, "[cut: ") {
		t.Errorf("%+v", u)
	}
}

func TestAgain_RefusesCallsThatMayHaveWritten(t *testing.T) {
	reading, _ := equip(t, nil)
	writing, _ := equip(t, func(s *council.Tools) { s.AllowWrites = true })
	for name, want := range map[string][2]bool{council.ToolRead: {true, true}, council.ToolDescribe: {true, true},
		"srv.say": {true, false}} {
		if got := [2]bool{reading.CanRepeat(council.ToolCall{Tool: name}),
			writing.CanRepeat(council.ToolCall{Tool: name})}; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A secret was shown in part where a line was cut for its length, or where a member read only some of the lines of a
// key: neither part is known for one. Nor can a member find out a secret by searching for it.
func TestTools_APartOfASecretIsNotShown(t *testing.T) {
	dir := t.TempDir()
	key := "-----BEGIN PRIVATE KEY-----\n"
	for i := range 8 {
		key += strings.Repeat(fmt.Sprintf("MIIEvQ%dBADANBgkqhkiG9w0", i), 3)[:64] + "\n"
	}
	key += "-----END PRIVATE KEY-----\n"
	const token = "ghp_" + "Zq3dXvNkLw7t2MpB9sRfYc4hJg6uEa8iTn1o"
	for name, text := range map[string]string{"deploy.md": "The key:\n" + key + "The end.\n",
		"long.md": strings.Repeat("x ", 235) + token + "\n"} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	k, _ := equip(t, func(s *council.Tools) { s.Workspace.Root = dir })
	for name, arguments := range map[string]string{
		"some lines of a key":                           `{"path": "deploy.md", "from": 4, "to": 6}`,
		"a token at the end of what is shown of a line": `{"path": "long.md"}`,
	} {
		if u := use(t, k, council.ToolRead, arguments); u.Failed || strings.Contains(u.Result, "MIIEvQ") ||
			strings.Contains(u.Result, "ghp_") {
			t.Errorf("%s: %+v", name, u)
		}
	}
	for _, query := range []string{"MIIEvQ3", "ghp_Zq3d"} {
		if u := use(t, k, council.ToolSearch, `{"query": "`+query+`"}`); u.Failed ||
			!strings.Contains(u.Result, "No line holds it") {
			t.Errorf("%s: %+v", query, u)
		}
	}
	if u := use(t, k, council.ToolRead, `{"path": "deploy.md"}`); len(u.Secrets) != 1 || u.Secrets[0].Count != 1 ||
		strings.Count(u.Result, "[cut: ") != 1 {
		t.Errorf("%+v", u)
	}
}

// Of a key of ours that has several lines, such as one of a server's, each line keeps its number.
func TestTools_AKeyOfSeveralLinesLeavesThemTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	const key = "first line of it\nsecond line of it\nthird line"
	for name, text := range map[string]string{"a.md": "The key:\n" + key + "\nThe end, by the lines.\n", "empty.md": ""} {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	wallet := &credential.Wallet{}
	wallet.Note(key)
	k := check.Get(New(&council.Tools{Workspace: &council.Workspace{Root: dir}}, Options{Now: time.Now, Wallet: wallet,
		Cut: cutNothing, Shown: showAll}))(t)
	own := []council.Cut{{Kind: ownSecret, Count: 1}}
	for _, test := range []struct {
		tool, arguments, want string
		secrets               []council.Cut
	}{
		{council.ToolRead, `{"path": "a.md", "from": 2, "to": 5}`,
			"a.md, lines in all: 5\n2| [cut]\n3| \n4| \n5| The end, by the lines.", own},
		{council.ToolSearch, `{"query": "line"}`, "a.md:5| The end, by the lines.", nil},
		{council.ToolSearch, `{"query": "^$", "regexp": true, "path": "empty.md"}`,
			"No line holds it. Files that were searched: 1.", nil},
	} {
		if u := use(t, k, test.tool, test.arguments); u.Result != test.want || !slices.Equal(u.Secrets, test.secrets) {
			t.Errorf("%s: %+v", test.arguments, u)
		}
	}
}
