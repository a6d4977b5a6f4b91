package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/serve/web"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/process"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/cluster"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/settings"
	"github.com/council-engine/council/workspace/site"
)

// ServeOptions are the flags of serve.
type ServeOptions struct {
	listen, cert, key  string
	host               []string
	insecure, readOnly bool
}

// NewServe returns the command serve. problem returns why a routine cannot be convened, or nil.
func NewServe(a *cli.Env, problem func(*cli.Env, *recorder.Root, schedule.Routine) error) *cobra.Command {
	d := &Door{Env: a, Start: process.Again, Problem: problem}
	var o ServeOptions
	cmd := &cobra.Command{Use: "serve", Short: "Show the record in a browser, and take part there",
		Long: `
serve shows sessions, memory and costs as pages, on this machine alone, and prints their address with a token that
lets a browser in. A session that runs is shown as it goes on. Forms convene, answer, say, approve and correct memory,
under the same policy as the commands of these names. A session that is convened there is a process of its own, which
goes on when serve ends.

Beyond this machine whoever has the address with the token may do all that the forms do, in your name. So --listen with
any other address needs --tls-cert and --tls-key, or the word --insecure.

With --cluster the record is kept up to a cluster (docs/operations.md): what its workers hold is shown as it goes on, what is
convened is held by them, and what you answer, approve and correct is written there first.`,
		Example: `  council serve
  council serve --cluster nats://queue.example.org --root mirror
  council serve --read-only --listen 127.0.0.1:8080
  council serve --listen 0.0.0.0:8443 --host council.example.org --tls-cert cert.pem --tls-key key.pem`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
			return d.opened(cmd, func(ctx context.Context) error {
				for _, h := range o.host {
					if u, err := url.Parse("http://" + net.JoinHostPort(h, "80")); err != nil || u.Hostname() != h {
						return site.Refuse("--host "+site.Quote(h)+" is not the name of a host", "Give it as in council.example.org.")
					}
				}
				l, err := net.Listen("tcp", o.listen)
				if err != nil {
					return fmt.Errorf("nobody can be served at %s: %w", site.Quote(o.listen), err)
				}
				defer l.Close()
				at := l.Addr().(*net.TCPAddr)
				if !at.IP.IsLoopback() && o.cert == "" && !o.insecure {
					return site.Refuse("--listen "+site.Quote(o.listen)+" can be reached from other machines",
						"Add --tls-cert and --tls-key, or --insecure if the network is only yours.")
				}
				uploads, err := os.MkdirTemp("", "council-*")
				if err != nil {
					return err
				}
				defer os.RemoveAll(uploads)
				door := WebDoor(d)
				door.Uploads, door.ReadOnly = uploads, o.readOnly
				door.Origins = Origins(at, o)
				server := &http.Server{Handler: web.New(door), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
					BaseContext: func(net.Listener) context.Context { return ctx }}
				d.Say("The pages are at:\n%s/?token=%s", door.Origins[0], door.Token)
				d.Say("Ctrl-C ends serving them. Sessions go on.")
				return served(d.Env, ctx, server, func() error {
					if o.cert != "" {
						return server.ServeTLS(l, o.cert, o.key)
					}
					return server.Serve(l)
				})
			})
		}}
	f := cmd.Flags()
	d.flags(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "address to listen at; port 0 is any that is free")
	f.StringArrayVar(&o.host, "host", nil,
		"name or address by which browsers reach the listener, beside its own (repeatable)")
	f.StringVar(&o.cert, "tls-cert", "", "file with the certificate")
	f.StringVar(&o.key, "tls-key", "", "file with its key")
	f.BoolVar(&o.insecure, "insecure", false, "listen beyond this machine without TLS: whoever listens in gets the token")
	f.BoolVar(&o.readOnly, "read-only", false, "show, and change nothing")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	return cmd
}

// Origins lists the addresses at which browsers may read the pages; the first is printed.
func Origins(at *net.TCPAddr, o ServeOptions) (all []string) {
	hosts := o.host
	if !at.IP.IsUnspecified() {
		hosts = append(hosts, at.IP.String())
	}
	if at.IP.IsLoopback() || len(hosts) == 0 {
		hosts = append(hosts, "localhost")
	}
	scheme := "http://"
	if o.cert != "" {
		scheme = "https://"
	}
	for _, h := range hosts {
		all = append(all, scheme+net.JoinHostPort(h, fmt.Sprint(at.Port)))
	}
	return all
}

// WebDoor lets pages in: they read the record, and carry out commands as agents do.
func WebDoor(d *Door) web.Door {
	return web.Door{Token: rand.Text(), Folder: d.Folder, World: d.World, Explain: d.explain,
		Charter: func() (o seat.Choice, err error) {
			if d.root != nil {
				o.Root = d.Folder
			}
			if !site.HasConfig() {
				var all map[string]settings.Given
				all, err = settings.InForce(d.World, d.Folder)
				o.Council = all["council"].Value
			}
			return o, err
		},
		Unfit: func(root *recorder.Root, r schedule.Routine) error { return d.Problem(d.Env, root, r) },
		Forecast: func(ctx context.Context, flags []string, topic string) (string, error) {
			s, err := d.forecast(ctx, flags, topic)
			return site.Joined("\n", s.Text, s.Remarks), err
		},
		Begin: func(ctx context.Context, verb string, flags []string, arg string) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return d.begin(ctx, verb, flags, arg)
		},
		Resume: func(ctx context.Context, id council.SessionID) error {
			if d.cluster != nil {
				return d.cluster.Requeue(ctx, id)
			}
			out, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer out.Close()
			wait, err := d.Start(d.Line("resume", []string{"--json", "--no-wait"}, string(id)), out)
			if err == nil {
				go wait()
			}
			return err
		},
	}
}

// Attach has the record of a door follow a cluster, which then gets first what is done, and holds what is convened.
func (d *Door) Attach(ctx context.Context) (leave func(), err error) {
	if d.Url == "" {
		return func() {}, nil
	}
	// Whoever looks at a page does not wait for minutes.
	c, err := cluster.Open(ctx, d.World, jetstream.Settings{URL: d.Url, Create: true, Follows: true,
		Patience: 10 * time.Second})
	if err != nil {
		return nil, err
	}
	root, err := recorder.OpenRoot(d.Folder, d.Layer)
	if err != nil {
		c.Close()
		return nil, err
	}
	lock, err := schedule.TakeLock(root)
	if err != nil {
		c.Close()
		return nil, errors.Join(err, root.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	world, child := d.World, *d.Env
	child.World = d.With(func(w *site.World) { w.Layer = c.Layer(root.Path()) })
	var following sync.WaitGroup
	following.Go(func() {
		if err := cluster.Follow(ctx, world, c, &cluster.Mirror{Root: root, Memory: child.World}); err != nil {
			world.Warn("The cluster is not followed any more: %v", err)
		}
	})
	d.Env, d.cluster, d.Folder, d.root = &child, c, root.Path(), []string{"--root=" + root.Path()}
	return func() {
		cancel()
		following.Wait()
		c.Close()
		_ = errors.Join(lock.Release(), root.Close())
	}, nil
}

// submitted hands in what convene would hold, and returns its session when a worker has begun that.
func (d *Door) submitted(ctx context.Context, flags []string, topic string) (string, error) {
	topic, err := site.CheckTopic(topic)
	if err != nil {
		return "", err
	}
	line := run.BatchLine{ID: rand.Text(), Topic: topic}
	for _, f := range flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		switch one := map[string]*string{"council": &line.Council, "pace": &line.Pace, "output": &line.Output}; {
		case value == "":
		case one[name] != nil:
			*one[name] = value
		case name == "option":
			line.Options = append(line.Options, value)
		case name == "context":
			line.Context = append(line.Context, value)
		default:
			return "", site.Refuse("--"+name+" is not for a cluster",
				"The configuration of its workers and council cluster policy say which models are asked and what may be spent.")
		}
	}
	t, _, err := cluster.Submit(ctx, d.World, d.cluster, line, d.In)
	for err == nil && !d.hasBegun(t.ID) {
		select {
		case <-ctx.Done():
			err = fmt.Errorf("session %s is queued, and no worker has begun it yet", t.ID)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return string(t.ID), err
}
