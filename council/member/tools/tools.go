// Package tools calls the tools of a member, of the workspace and of MCP servers, within the charter's bounds.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// Options are the dependencies of tools.
type Options struct {
	Getenv func(string) string
	Client *http.Client // for servers with an address; nil: one of the gate
	Gate   *gate.Gate   // passed by every request and program
	// Its secrets are cut from every result; nil: one that knows the environment alone.
	Wallet *credential.Wallet
	Apart  []string         // folders that no member is shown: council's own
	Cut    Cut              // by their form; those that are known by their value are cut besides
	Now    func() time.Time // times the calls
	// Shown reports whether a file may be shown, by its path relative to the working folder.
	Shown func(path string) bool
}

// Cut replaces secrets in a text by "[cut: kind]", or "[cut]" for one of council's own, and counts them by kind.
type Cut func(text string) (string, []council.Cut)

const ownSecret = "own-credential" // the kind of council's own

// Box holds the tools of one member, for one call at a time. Servers are not shared, and connected on the first call.
type Box struct {
	settings  *council.Tools
	cut       Cut
	now       func() time.Time
	workspace func(ctx context.Context, tool string, arguments []byte, most int) council.ToolUse // see [workspace.call]
	servers   map[string]*server
}

func failure(format string, args ...any) council.ToolUse {
	return council.ToolUse{Result: fmt.Sprintf(format, args...), Failed: true}
}

// New makes the tools in the settings, to be closed. The error names an unusable workspace, or a missing credential.
func New(s *council.Tools, o Options) (*Box, error) {
	o.Wallet = cmp.Or(o.Wallet, &credential.Wallet{Getenv: o.Getenv, Gate: o.Gate, Now: o.Now})
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
			if len(secret) >= 8 { // a shorter one may be part of a word
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
		b.workspace = w.call
	}
	return b, nil
}

// Use makes a call. Its failures are part of the result; the error is ctx's.
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

func (b *Box) call(ctx context.Context, call council.ToolCall) council.ToolUse {
	if !b.settings.Offers(call.Tool) {
		return failure("There is no tool %q. You may call %s.", call.Tool, strings.Join(b.settings.Offered(), ", "))
	}
	limit := b.limit()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out council.ToolUse
	server, _, _ := strings.Cut(call.Tool, ".")
	switch {
	case call.Tool == council.ToolDescribe:
		out = b.describe(ctx, []byte(call.Arguments))
	case strings.HasPrefix(call.Tool, council.WorkspaceTools):
		out = b.workspace(ctx, call.Tool, []byte(call.Arguments), b.settings.Bytes())
	default:
		out = b.servers[server].call(ctx, call.Tool, []byte(call.Arguments), b.settings.Bytes())
	}
	if ctx.Err() != nil {
		return failure("It took longer than %s and was stopped.", limit)
	}
	return out
}

func (b *Box) limit() time.Duration {
	return time.Duration(b.settings.Timeout() * float64(time.Second))
}

// describe returns a server's description of a tool, as a result: no words of a server are in prompts.
func (b *Box) describe(ctx context.Context, arguments []byte) council.ToolUse {
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

// use returns a result in the form of the record. If it is cut here, no line counts as shown.
func (b *Box) use(call council.ToolCall, out council.ToolUse) council.ToolUse {
	_, hidden := hostile.Expose(out.Result)
	text, secrets := b.cut(hostile.Clean(out.Result))
	arguments, asked := b.cut(call.Arguments)
	text = strings.TrimRight(hostile.Clean(text), " \n")
	if strings.TrimSpace(text) == "" {
		text = "Nothing was returned."
	}
	text, cut := council.Bound(text, b.settings.Bytes())
	if cut || out.Failed {
		out.Given = nil
	}
	out.Tool, out.Arguments = call.Tool, arguments
	out.Result, out.SHA256, out.Bytes, out.Cut = text, council.Digest(text), len(text), out.Cut || cut
	out.Secrets = council.AddCuts(secrets, asked, out.Secrets)
	out.Hidden = council.AddCuts(out.Hidden, council.CutsIn("", hidden))
	return out
}

// CanRepeat reports whether repeating a call is harmless: where nothing may be written.
func (b *Box) CanRepeat(call council.ToolCall) bool {
	return !b.settings.AllowWrites || call.Tool == council.ToolDescribe ||
		strings.HasPrefix(call.Tool, council.WorkspaceTools)
}

// Close ends the servers concurrently.
func (b *Box) Close() {
	var all sync.WaitGroup
	for _, s := range b.servers {
		all.Go(s.close)
	}
	all.Wait()
}

// Trouble is why a server, or one of its tools, could not be called.
type Trouble struct {
	Server int    // its place in the settings
	Tool   int    // its place among those that are allowed; -1: none of them can be called
	Words  string // on one line, without secrets
}

// Look connects to every server in turn, and returns all failures in the order of the settings. It calls no tool.
func (b *Box) Look(ctx context.Context) []Trouble {
	var all []Trouble
	for i, settings := range b.settings.MCP {
		limited, cancel := context.WithTimeout(ctx, b.limit())
		b.servers[settings.Name].checkTools(limited, func(tool int, err error) {
			words, _ := b.cut(hostile.Line(err.Error()))
			all = append(all, Trouble{i, tool, words})
		})
		cancel()
	}
	return all
}

func failureOf(name string, err error) council.ToolUse { return failure("%s: %v.", name, err) }

// page is an answer that is written line by line, until it is full.
type page struct {
	most  int // bytes
	body  strings.Builder
	lines int
	council.ToolUse
}

// write adds a line, if there is room for it, and reports whether there was.
func (p *page) write(line string) bool {
	const end = 200 // bytes that are kept free for the end of an answer
	if p.Cut = p.Cut || p.body.Len()+len(line)+1 > p.most-end; !p.Cut {
		p.body.WriteString(line + "\n")
		p.lines++
	}
	return !p.Cut
}

// show adds a line of a file in its safe form, cut if it is too long. It reports whether there was room.
func (p *page) show(name, before string, n int, line, safe string) bool {
	shown := strings.ReplaceAll(hostile.Clean(strings.TrimSuffix(safe, "\r")), "\n", " ")
	if short, cut := council.Bound(shown, 500); cut {
		shown = short + "…"
	}
	if !p.write(fmt.Sprintf("%s%d| %s", before, n, shown)) {
		return false
	}
	p.count(line, safe)
	if last := len(p.Given) - 1; last >= 0 && p.Given[last].File == name && p.Given[last].To == n-1 {
		p.Given[last].To = n
	} else {
		p.Given = append(p.Given, council.FileLines{File: name, From: n, To: n})
	}
	return true
}

// answer returns the page, or other words for an empty one.
func (p *page) answer(empty string) council.ToolUse {
	if p.Result = p.body.String(); p.lines == 0 {
		p.Result = empty
	}
	return p.ToolUse
}

// cutMark matches the replacement of a secret; see [Cut].
var cutMark = regexp.MustCompile(`\[cut(?:: ([a-z0-9-]+))?\]`)

// count counts the secrets and hidden characters that were removed from a line. Those for private use are not removed.
func (p *page) count(line, safe string) {
	if line != safe {
		marks := map[string]int{}
		for _, m := range cutMark.FindAllStringSubmatch(line, -1) {
			marks[m[1]]--
		}
		for _, m := range cutMark.FindAllStringSubmatch(safe, -1) {
			if marks[m[1]]++; marks[m[1]] > 0 {
				p.Secrets = council.AddCuts(p.Secrets, []council.Cut{{Kind: cmp.Or(m[1], ownSecret), Count: 1}})
			}
		}
	}
	_, hidden := hostile.Expose(strings.TrimSuffix(safe, "\r"))
	delete(hidden, hostile.PrivateUse)
	p.Hidden = council.AddCuts(p.Hidden, council.CutsIn("", hidden))
}
