// Package serve lets agents that speak the Model Context Protocol, and browsers, work on a workspace.
package serve

//lint:file-ignore SA1019 clients name their roots for a year to come, and nothing takes the place of these yet

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/process"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

// Door lets agents in: it carries out commands for them.
type Door struct {
	*cli.Env
	Folder  string   // of the record
	root    []string // the flag that names it, if it was given
	Approve bool
	Url     string             // of the cluster that the record follows; "": it follows none
	cluster *jetstream.Cluster // nil: there is none
	// Problem returns why a routine cannot be convened, or nil; only pages ask it.
	Problem func(*cli.Env, *recorder.Root, schedule.Routine) error
	// start starts this program again, so that it outlives this process.
	Start func(args []string, out *os.File) (wait func() int, err error)
}

// NewMCP returns the command mcp.
func NewMCP(a *cli.Env) *cobra.Command {
	d := &Door{Env: a, Start: process.Again}
	var address string
	cmd := &cobra.Command{Use: "mcp", Short: "Serve councils to agents, by the Model Context Protocol",
		Long: `
mcp lets an agent convene councils in this folder, and read and ask what they decided. It speaks the Model
Context Protocol on standard input and output, or with --http at an address of this machine.

Tools work under the same policy and configuration as the commands of this program. A session that an agent
convenes is a process of its own: it goes on when the agent hangs up. Members are given only documents within the
folders that the client names as its roots. Nothing is trusted for an agent, and without --allow-approve nothing is
approved. With --cluster it works on what the workers of a cluster hold, as council serve --cluster does.`,
		Example: `  claude mcp add council -- council mcp
  council mcp --http 127.0.0.1:0`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
			return d.opened(cmd, func(ctx context.Context) error {
				s, err := d.Server(ctx)
				switch {
				case err != nil:
					return err
				case address != "":
					return d.listen(ctx, s, address)
				case a.Keyboard:
					a.Warn("A client speaks here on standard input. docs/mcp.md says how to add council to one.")
				}
				in := io.NopCloser(a.In)
				return s.Run(ctx, &mcp.IOTransport{Reader: in, Writer: struct {
					io.Writer
					io.Closer
				}{a.Out, in}})
			})
		}}
	d.flags(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&address, "http", "",
		"listen at this address of this machine instead, such as 127.0.0.1:0 for any free port")
	f.BoolVar(&d.Approve, "allow-approve", false, "let agents approve and reject execution briefs for you")
	return cmd
}

func (d *Door) flags(f *pflag.FlagSet) {
	cli.RootFlag(f, &d.Folder)
	f.StringVar(&d.Url, "cluster", "", "keep the record up to this cluster, nats://HOST[:PORT], and work on what it has")
}

// opened calls do when the record follows its cluster, if there is to be one.
func (d *Door) opened(cmd *cobra.Command, do func(context.Context) error) error {
	if cmd.Flags().Changed("root") {
		d.root = []string{"--root=" + d.Folder}
	}
	leave, err := d.Attach(cmd.Context())
	if err != nil {
		return err
	}
	defer leave()
	return do(cmd.Context())
}

// Line returns the command line of a verb. What agents send is never read as a flag of its own. A flag that is empty,
// or has no value behind its =, is left out.
func (d *Door) Line(verb string, flags []string, args ...string) []string {
	line := append(strings.Fields(verb), d.root...)
	for _, flag := range flags {
		if flag != "" && !strings.HasSuffix(flag, "=") {
			line = append(line, flag)
		}
	}
	return append(append(line, "--"), args...)
}

// forecast returns what the session of a command line may take: of convene with --dry-run, within this process.
func (d *Door) forecast(ctx context.Context, flags []string, topic string) (Said, error) {
	line := d.Line("convene", append(flags, "--dry-run"), topic)
	return d.said(func(one *cli.Env) int { return one.Execute(one, ctx, line) })
}

// said returns the output and the exit code of do, or an error with the output where it failed.
func (d *Door) said(do func(one *cli.Env) int) (Said, error) {
	var out, errs bytes.Buffer
	one := d.Env.Alone(&errs, func() (<-chan os.Signal, func()) { return nil, func() {} })
	one.Out = &out
	code := do(one)
	s := Said{Notice: TheirWords, ExitCode: code, Text: hostile.Terminal(out.String()),
		Remarks: hostile.Terminal(errs.String())}
	if code != cli.ExitOK && code != cli.ExitNotDecided && code != cli.ExitSuspended {
		return s, errors.New(strings.TrimSpace(s.Remarks + s.Text))
	}
	return s, nil
}

func (d *Door) read(do func(*cli.Env, *workspace.Workspace) error) (Said, error) {
	return d.said(func(one *cli.Env) int {
		return cli.ExitWith(one, d.inWorkspace(one.World, func(w *workspace.Workspace) error { return do(one, w) }))
	})
}

// explain returns an error in the words in which a command prints it.
func (d *Door) explain(err error) string {
	s, _ := d.said(func(one *cli.Env) int { return cli.ExitWith(one, err) })
	return strings.TrimSpace(s.Remarks)
}

func (d *Door) inWorkspace(world *site.World, do func(*workspace.Workspace) error) error {
	return workspace.With(d.Folder, workspace.Options{World: world}, do)
}

func (d *Door) hasBegun(id council.SessionID) (begun bool) {
	_ = d.inWorkspace(d.World, func(w *workspace.Workspace) error { // whose error is that it has not
		s, err := w.Session(string(id))
		begun = err == nil && len(s.Entries) > 0
		return err
	})
	return begun
}

// newID returns an id for the session that a verb convenes: on a topic, or on that of the session that it takes up.
func (d *Door) newID(verb, arg string) (council.SessionID, error) {
	if verb != "convene" {
		if err := d.inWorkspace(d.World, func(w *workspace.Workspace) error {
			s, err := w.Session(arg)
			if err == nil {
				arg = s.Minutes.Started.Topic.Text
			}
			return err
		}); err != nil {
			return "", errors.New(d.explain(err))
		}
	}
	return recorder.NewSessionID(d.Now(), arg, d.Random)
}

// begin carries out a verb that convenes as a process of its own, or lets a worker of the cluster do so, and returns
// the id of its session as soon as that has begun. An error: none has, or ctx ended before; it may begin later.
func (d *Door) begin(ctx context.Context, verb string, flags []string, arg string) (string, error) {
	switch {
	case d.cluster != nil && verb != "convene":
		return "", fmt.Errorf("council %s is not done on a cluster: pull the session to a record of your own", verb)
	case d.cluster != nil:
		return d.submitted(ctx, flags, arg)
	}
	id, err := d.newID(verb, arg)
	if err != nil {
		return "", err
	}
	printed, err := os.CreateTemp("", "council-mcp-*")
	if err != nil {
		return "", err
	}
	defer printed.Close()
	_ = os.Remove(printed.Name()) // where the system can, it goes when the process has ended
	wait, err := d.Start(d.Line(verb, append(flags, "--json", "--no-wait", "--session-id="+string(id)), arg), printed)
	if err != nil {
		return "", err
	}
	ended := make(chan int, 1)
	go func() { ended <- wait() }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for over := false; ; {
		switch {
		case d.hasBegun(id):
			return string(id), nil
		case over:
			text, err := io.ReadAll(io.NewSectionReader(printed, 0, mostTold))
			return "", errors.Join(err, errors.New(hostile.Terminal(strings.TrimSpace(string(text)))))
		}
		select {
		case <-ended:
			over = true
		case <-ctx.Done():
			return "", ctx.Err()
		case <-ticker.C:
		}
	}
}

// listen serves agents at an address of this machine, until ctx ends or a signal comes.
func (d *Door) listen(ctx context.Context, s *mcp.Server, address string) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return site.Refuse("--http "+site.Quote(address)+" is not an address of this machine alone",
			"Use --http 127.0.0.1:0.")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("nobody can be served at %s: %w", address, err)
	}
	token := rand.Text()
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: guarded(token,
		mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))}
	d.Say("Agents are served at http://%s/mcp, with the header:\nAuthorization: Bearer %s", l.Addr(), token)
	return served(d.Env, ctx, server, func() error { return server.Serve(l) })
}

// served returns when serve does, which serves until ctx ends or a signal comes.
func served(a *cli.Env, ctx context.Context, server *http.Server, serve func() error) error {
	ctx, release := a.Stoppable(ctx)
	defer release()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := serve(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guarded lets in who shows the token, unless it is a page of another origin. That nobody speaks to this machine by the
// name of another site is seen to by the handler.
func guarded(token string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, shown := r.Header.Get("Origin"), r.Header.Get("Authorization")
		switch {
		case origin != "" && origin != "http://"+r.Host:
			http.Error(w, "Pages of other origins are not let in.", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(shown), []byte("Bearer "+token)) != 1:
			http.Error(w, "The token that council mcp printed is needed.", http.StatusUnauthorized)
		default:
			handler.ServeHTTP(w, r)
		}
	})
}

// readable returns the real paths of the files and folders that a client names, all of which must lie within its roots.
// Where these are not known yet it returns what asks the client for them; the call is then put again.
func readable(r *toolCall, named []string) (real []string, ask *toolResult, err error) {
	if len(named) == 0 {
		return nil, nil, nil
	}
	answer, ok := r.Params.InputResponses["roots"].(*mcp.ListRootsResult)
	if !ok {
		if p := r.Session.InitializeParams(); p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
			return nil, nil, errors.New("the client names no roots, so nothing was read: say in the topic what matters")
		}
		return nil, &toolResult{InputRequests: mcp.InputRequestMap{"roots": &mcp.ListRootsParams{}}}, nil
	}
	for _, name := range named {
		path, err := site.Resolved(name)
		if err != nil || !inRoots(path, answer.Roots) {
			return nil, nil, fmt.Errorf("there is no file or folder %s within the client's roots, so nothing was read",
				site.Quote(name))
		}
		real = append(real, path)
	}
	return real, nil, nil
}

func inRoots(path string, roots []*mcp.Root) bool {
	return slices.ContainsFunc(roots, func(root *mcp.Root) bool {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" {
			return false
		}
		folder, missing := filepath.EvalSymlinks(filepath.FromSlash(u.Path))
		rel, err := filepath.Rel(folder, path)
		return missing == nil && err == nil && filepath.IsLocal(rel)
	})
}
