// Package tools makes the calls of one member's tools: it holds them to the charter's bounds, and makes their results
// fit to be recorded and to be put to a model. Tools look into a folder, the workspace, or belong to servers that speak
// the Model Context Protocol.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// Options are what tools are given besides the charter.
type Options struct {
	Getenv func(string) string
	Client *http.Client // for servers with an address; nil: one of the gate
	Gate   *gate.Gate   // before what is sent and started
	// of those who call them; its secrets are cut from every result; nil: one that knows the environment alone
	Wallet *credential.Wallet
	Apart  []string         // folders that no member is shown: council's own
	Cut    Cut              // by their form; those that are known by their value are cut besides
	Now    func() time.Time // times the calls
	// Shown reports whether a file may be shown, by its path from the working folder; nil: all may.
	Shown func(path string) bool
}

// Cut takes secrets out of a text and says how many of which kinds there were. The text keeps its lines. In the place
// of a secret it says "[cut: kind]", or "[cut]" for a credential that council itself was given.
type Cut func(text string) (string, []council.Cut)

// ownSecret is the kind of those that council itself was given, for a model or a server.
const ownSecret = "own-credential"

// leastSecret is the length in bytes from which on a secret is cut: a shorter one would cut holes into words.
const leastSecret = 8

// Box has the tools of one member, for one call at a time: a workspace and servers of its own, so that what a server
// remembers of one member tells another nothing. A server is reached when it is first called.
type Box struct {
	settings  *council.Tools
	cut       Cut
	now       func() time.Time
	workspace source
	servers   map[string]*server
}

var _ member.Tools = (*Box)(nil)

// source has tools.
type source interface {
	// call calls the tool with this name, which the charter offers, with a JSON object. It returns soon after ctx has
	// ended. The output has about most bytes; what is longer is cut by the caller.
	call(ctx context.Context, name string, arguments []byte, most int) output
}

// output is the result of a tool.
type output struct {
	text   string
	failed bool                // the text is the reason
	cut    bool                // there was more
	given  []council.FileLines // the lines of files that the text shows

	// What the source itself took out of the text, by kind.
	secrets, hidden []council.Cut
}

// failure returns the output of a call that failed.
func failure(format string, args ...any) output {
	return output{text: fmt.Sprintf(format, args...), failed: true}
}

// New makes the tools that the settings name. The error names the one that is missing: a workspace that is not a
// folder, or a server whose environment variable or credential is missing. Close the box when nothing is called any
// more.
func New(s *council.Tools, o Options) (*Box, error) {
	o.Wallet = cmp.Or(o.Wallet, &credential.Wallet{Getenv: o.Getenv, Gate: o.Gate})
	b := &Box{settings: s, now: o.Now, servers: map[string]*server{}}
	var secrets []string
	for i := range s.MCP {
		server, err := newServer(&s.MCP[i], s.AllowWrites, o)
		if err != nil {
			return nil, err
		}
		b.servers[s.MCP[i].Name] = server
		secrets = append(secrets, server.secrets...)
	}
	b.cut = func(text string) (string, []council.Cut) {
		known := 0
		for _, secret := range append(o.Wallet.Secrets(), secrets...) {
			if len(secret) >= leastSecret {
				known += strings.Count(text, secret)
				text = strings.ReplaceAll(text, secret, "[cut]"+strings.Repeat("\n", strings.Count(secret, "\n")))
			}
		}
		text, found := o.Cut(text)
		if known > 0 {
			found = council.AddCuts(found, []council.Cut{{Kind: ownSecret, Count: known}})
		}
		return text, found
	}
	if s.Workspace != nil {
		w, err := openWorkspace(s.Workspace.Root, b.cut, o.Shown, o.Apart...)
		if err != nil {
			return nil, err
		}
		b.workspace = w
	}
	return b, nil
}

// Use makes a call. What goes wrong with it is told by the use; the error is ctx's.
func (b *Box) Use(ctx context.Context, _ *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	start := b.now()
	out := b.call(ctx, call)
	if err := ctx.Err(); err != nil {
		return council.ToolUse{}, err
	}
	use := b.use(call, out)
	use.ElapsedMS = b.now().Sub(start).Milliseconds()
	return use, nil
}

func (b *Box) call(ctx context.Context, call council.ToolCall) output {
	if !b.settings.Offers(call.Tool) {
		return failure("There is no tool %q. You may call %s.", call.Tool, strings.Join(b.settings.Offered(), ", "))
	}
	limit := b.limit()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out output
	server, _, _ := strings.Cut(call.Tool, ".")
	switch {
	case call.Tool == council.ToolDescribe:
		out = b.describe(ctx, []byte(call.Arguments))
	case strings.HasPrefix(call.Tool, council.WorkspaceTools):
		out = b.workspace.call(ctx, call.Tool, []byte(call.Arguments), b.settings.Bytes())
	default:
		out = b.servers[server].call(ctx, call.Tool, []byte(call.Arguments), b.settings.Bytes())
	}
	if ctx.Err() != nil {
		return failure("It took longer than %s and was stopped.", limit)
	}
	return out
}

// limit returns how long one call may take.
func (b *Box) limit() time.Duration {
	return time.Duration(b.settings.Timeout() * float64(time.Second))
}

// describe returns a server's description of a tool. It is a result, given when a member asks: so no words of a server
// are part of the prompts, and only servers that are called are started.
func (b *Box) describe(ctx context.Context, arguments []byte) output {
	var a struct{ Tool string }
	if err := json.Unmarshal(arguments, &a); err != nil || a.Tool == "" {
		return failure(`It takes tool, a name: {"tool": "<name>"}.`)
	}
	name, own, _ := strings.Cut(a.Tool, ".")
	server := b.servers[name]
	if server == nil || !b.settings.Offers(a.Tool) {
		return failure("There is no tool %q of a server. You may call %s.", a.Tool, strings.Join(b.settings.Offered(), ", "))
	}
	return server.describe(ctx, own)
}

// use returns an output as it is recorded and told. When words are cut off here it is not known which lines are left,
// so that none counts as shown.
func (b *Box) use(call council.ToolCall, out output) council.ToolUse {
	_, hidden := hostile.Expose(out.text)
	text, secrets := b.cut(hostile.Clean(out.text))
	arguments, asked := b.cut(call.Arguments)
	text = strings.TrimRight(hostile.Clean(text), " \n")
	if strings.TrimSpace(text) == "" {
		text = "Nothing was returned."
	}
	text, cut := council.Bound(text, b.settings.Bytes())
	use := council.ToolUse{
		Tool: call.Tool, Arguments: arguments, Result: text, SHA256: council.Digest(text),
		Failed: out.failed, Cut: out.cut || cut, Given: out.given,
		Bytes: len(text), Secrets: council.AddCuts(secrets, asked, out.secrets), Hidden: out.hidden,
	}
	for _, h := range hidden {
		use.Hidden = council.AddCuts(use.Hidden, []council.Cut{{Kind: h.Kind, Count: h.N}})
	}
	if cut || out.failed {
		use.Given = nil
	}
	return use
}

// Again reports whether to make a call twice is to have made it once. So it is where nothing may be written.
func (b *Box) Again(call council.ToolCall) bool {
	return !b.settings.AllowWrites || call.Tool == council.ToolDescribe ||
		strings.HasPrefix(call.Tool, council.WorkspaceTools)
}

// Close ends the servers, all at once, so that a slow one does not hold up the others.
func (b *Box) Close() {
	var all sync.WaitGroup
	for _, s := range b.servers {
		all.Go(s.close)
	}
	all.Wait()
}

// Trouble is why tools could not be called: all of a server, or one of them.
type Trouble struct {
	Server int    // its place in the settings
	Tool   int    // its place among those that are allowed; -1: none of them can be called
	Words  string // on one line, without secrets
}

// Look starts or reaches every server, one after the other and each within the time of one call, and returns what could
// not be called, in the order of the settings. It calls nothing.
func (b *Box) Look(ctx context.Context) []Trouble {
	var all []Trouble
	note := func(server, tool int, err error) {
		words, _ := b.cut(hostile.Line(err.Error()))
		all = append(all, Trouble{server, tool, words})
	}
	for i, settings := range b.settings.MCP {
		look := func() (map[string]error, error) {
			ctx, cancel := context.WithTimeout(ctx, b.limit())
			defer cancel()
			return b.servers[settings.Name].look(ctx)
		}
		wrong, err := look()
		if err != nil {
			note(i, -1, err)
		}
		for j, name := range settings.Allow {
			if wrong[name] != nil {
				note(i, j, wrong[name])
			}
		}
	}
	return all
}
