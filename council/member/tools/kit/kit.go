// Package kit puts together the tools of one member, as its charter names them.
package kit

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/member/tools"
	"github.com/council-engine/council/council/member/tools/mcp"
	"github.com/council-engine/council/council/member/tools/workspace"
	"github.com/council-engine/council/council/prompt"
)

// Options are what tools are given besides the charter.
type Options struct {
	Getenv func(string) string
	Client *http.Client       // for servers with an address
	Wallet *credential.Wallet // of those who call them; its secrets are cut from every result
	Apart  []string           // folders that no member is shown: council's own
	Cut    tools.Cut          // by their form; those that are known by their value are cut besides
	Now    func() time.Time   // times the calls
}

// Kit has the tools of one member: a workspace and servers of its own, so that what a server remembers of one member tells
// another nothing. A server is reached when it is first called.
type Kit struct {
	box       tools.Box
	workspace *workspace.View
	servers   map[string]*mcp.Server
}

var _ member.Tools = (*Kit)(nil)

// New makes the tools that the settings name. The error says which cannot be had: a workspace that is not a folder, or a
// server whose environment variable or credential is missing. Close the kit when nothing is called any more.
func New(s *council.Tools, o Options) (*Kit, error) {
	if o.Wallet == nil {
		o.Wallet = &credential.Wallet{Getenv: o.Getenv}
	}
	k := &Kit{servers: map[string]*mcp.Server{}}
	k.box = tools.Box{Settings: s, Source: k.source, Now: o.Now}
	var secrets []string
	var err error
	if s.Workspace != nil {
		if k.workspace, err = workspace.New(s.Workspace.Root, o.Apart...); err != nil {
			return nil, err
		}
		k.workspace.Cut = func(text string) (string, []council.Found) { return k.box.Cut(text) }
	}
	for i := range s.MCP {
		server, given, err := mcp.New(&s.MCP[i], mcp.Options{Getenv: o.Getenv, Client: o.Client, Wallet: o.Wallet, AllowWrites: s.AllowWrites})
		if err != nil {
			return nil, err
		}
		k.servers[s.MCP[i].Name] = server
		secrets = append(secrets, given...)
	}
	k.box.Cut = func(text string) (string, []council.Found) {
		known := 0
		for _, secret := range append(o.Wallet.Secrets(), secrets...) {
			if len(secret) >= leastSecret {
				known += strings.Count(text, secret)
				text = strings.ReplaceAll(text, secret, "[cut]"+strings.Repeat("\n", strings.Count(secret, "\n")))
			}
		}
		text, found := o.Cut(text)
		if known > 0 {
			found = council.AddFound(found, []council.Found{{Kind: tools.OwnSecret, Count: known}})
		}
		return text, found
	}
	return k, nil
}

// leastSecret is the length in bytes from which on a secret is cut: a shorter one would cut holes into words.
const leastSecret = 8

// Use makes a call; see [tools.Box].
func (k *Kit) Use(ctx context.Context, p prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	return k.box.Use(ctx, p, call)
}

// Again reports whether to make a call twice is to have made it once. So it is where nothing may be written.
func (k *Kit) Again(call council.ToolCall) bool {
	return !k.box.Settings.AllowWrites || call.Tool == council.ToolDescribe || strings.HasPrefix(call.Tool, council.WorkspaceTools)
}

// Close ends the servers, all at once: one that does not want to end holds up nobody else.
func (k *Kit) Close() error {
	var all sync.WaitGroup
	errs := make(chan error, len(k.servers))
	for _, s := range k.servers {
		all.Go(func() { errs <- s.Close() })
	}
	all.Wait()
	close(errs)
	var failed []error
	for err := range errs {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// source is where an offered tool comes from.
func (k *Kit) source(name string) tools.Source {
	switch {
	case name == council.ToolDescribe:
		return describing{k}
	case strings.HasPrefix(name, council.WorkspaceTools):
		return k.workspace
	}
	server, _, _ := strings.Cut(name, ".")
	return k.servers[server]
}
