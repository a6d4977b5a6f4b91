// Package cluster has the verbs that share sessions among machines.
package cluster

import (
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
	"github.com/council-engine/council/workspace/cluster"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// clusterVerb makes cmd a command on a cluster, whose streams it may create.
func clusterVerb(a *cli.Env, cmd *cobra.Command, create bool,
	do func(*cli.Command, *jetstream.Cluster) error) *cobra.Command {
	s := jetstream.Settings{Create: create}
	clusterFlag(cmd.Flags(), &s.URL)
	return cli.PlainVerb(a, cmd, func(v *cli.Command) error {
		c, err := cluster.Open(v.Ctx, a.World, s)
		if err != nil {
			return err
		}
		defer c.Close()
		return do(v, c)
	})
}

func clusterFlag(f *pflag.FlagSet, url *string) {
	f.StringVar(url, "cluster", "", "nats://HOST[:PORT] of the cluster, of several with commas (default: NATS_URL)")
}

// NewCluster returns the command cluster.
func NewCluster(a *cli.Env) *cobra.Command {
	return cli.NewGroup(&cobra.Command{Use: "cluster", Short: "Share sessions among machines"},
		newSubmit(a), newWorker(a), newPull(a),
		clusterVerb(a, &cobra.Command{Use: "status", Annotations: cli.JSONLines,
			Short: "Show how many topics wait, run, are closed and are parked, and which"}, false,
			func(v *cli.Command, c *jetstream.Cluster) error {
				count := map[string]int{}
				list := cli.NewList(v.Env, v.AsJSON, "SESSION", "STATE", "WORKER", "TRY", "WHY")
				err := c.Watch(v.Ctx, true, func(t jetstream.Topic) {
					if count[t.State]++; v.AsJSON || t.State == jetstream.Running || t.State == jetstream.Parked {
						list.Add(t, t.ID, t.State, t.Worker, t.Tries, t.Error)
					}
				})
				if err != nil || v.AsJSON {
					return err
				}
				v.Say("%s: %d queued, %d running, %d closed, %d parked", c.Server(), count[jetstream.Queued],
					count[jetstream.Running], count[jetstream.Closed], count[jetstream.Parked])
				return list.Print("")
			}),
		clusterVerb(a, &cobra.Command{Use: "watch", Short: "Tell what becomes of topics, until it is stopped"}, false,
			func(v *cli.Command, c *jetstream.Cluster) error {
				ctx, release := a.Stoppable(v.Ctx)
				defer release()
				return c.Watch(ctx, false, func(t jetstream.Topic) { a.Say("%s %s", site.Clock(t.At.Local()), topicWords(t)) })
			}),
		clusterVerb(a, &cobra.Command{Use: "policy [FILE]", Short: "Show the policy that workers follow, or set it"}, true,
			func(v *cli.Command, c *jetstream.Cluster) error {
				had, revision, err := c.Policy(v.Ctx)
				if err != nil {
					return err
				}
				if len(v.Args) == 0 {
					return cli.PrintFile(v.Env, v.Ctx, site.PolicyFile, had, cli.PageOptions{})
				}
				text, err := cli.ReadInput(v.Env, "the policy cannot be read", v.Args[0], 1<<20)
				if err == nil {
					_, err = policy.Parse(policy.Source{Origin: v.Args[0], Text: string(text)})
				}
				if err != nil {
					return err
				}
				return c.SetPolicy(v.Ctx, text, revision)
			}))
}

func topicWords(t jetstream.Topic) string {
	words := terminal.Sprintf("%s is %s", t.ID, t.State)
	if t.State == jetstream.Running {
		words += terminal.Sprintf(" on %s, try %d", t.Worker, t.Tries)
	}
	return site.Joined(": ", words, hostile.Label(t.Error))
}

func newPull(a *cli.Env) *cobra.Command {
	var root string
	var follow bool
	cmd := clusterVerb(a, &cobra.Command{Use: "pull [ID]",
		Short: "Bring a session of a cluster into the record of this machine",
		Long: `
pull writes the log of a session and its conversations as the workers wrote them, byte for byte, and makes the
transcript, the documents and the handoff of it, as on one machine. With --follow it brings all sessions, the ledger and
memory's journal, and what is added to them, until it is stopped: whatever reads a record can work beside it.`,
		Example: `  council cluster pull 20261121-081500-shall-we-adopt-nats-b3f9e1c07a21 --cluster nats://queue.example.org
  council cluster pull --follow --root mirror --cluster nats://queue.example.org`,
	}, false, func(v *cli.Command, c *jetstream.Cluster) error {
		if follow == (len(v.Args) == 1) {
			return site.Refuse("give the id of a session, or --follow", "To see ids: council cluster status --json")
		}
		r, err := recorder.OpenRoot(root, a.Layer)
		if err != nil {
			return err
		}
		defer r.Close()
		if !follow {
			id := council.SessionID(v.Args[0])
			return a.SayUnless(cluster.Pull(v.Ctx, a.World, c, r, id), "%s", r.Location(id))
		}
		ctx, release := a.Stoppable(v.Ctx)
		defer release()
		return cluster.Follow(ctx, a.World, c, &cluster.Mirror{Root: r,
			Closed: func(id council.SessionID) { a.Say("%s", r.Location(id)) }})
	})
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&follow, "follow", false,
		"bring all sessions here, and what is added to them, until it is stopped")
	return cmd
}

func newSubmit(a *cli.Env) *cobra.Command {
	var line run.BatchLine
	var batch string
	s := jetstream.Settings{Create: true}
	cmd := &cobra.Command{Use: "submit [TOPIC]", Short: "Put topics into the queue of a cluster",
		Long: `
submit hands topics to the workers of a cluster, with the documents that members are to be given, and prints a line of
JSON for each: the session that will be held on it. A topic of the same --id, or without one the same
topic with the same options, is submitted once, however often you try; one that was parked is tried again.

Which models are asked, by which keys, and under which councils is up to the workers. docs/operations.md has how to run
a cluster.`,
		Example: `  council cluster submit "Shall we move the queue to NATS?" --cluster nats://queue.example.org
  council cluster submit --batch topics.jsonl --cluster nats://a,nats://b,nats://c`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) (err error) {
			lines := []run.BatchLine{line}
			if batch == "" {
				lines[0].Topic, err = cli.ReadTopic(a, args, "", nil)
			} else if lines, err = cli.ReadBatch(a, batch); len(args) == 1 {
				err = site.Refuse("--batch takes its topics from the file", "Leave out the topic.")
			}
			if err != nil {
				return err
			}
			c, err := cluster.Open(cmd.Context(), a.World, s)
			if err != nil {
				return err
			}
			defer c.Close()
			for _, line := range lines {
				t, before, err := cluster.Submit(cmd.Context(), a.World, c, line, a.In)
				if err != nil {
					return err
				}
				if a.JSON(t); before {
					a.Warn("%s was submitted before, and is %s.", hostile.Label(line.Name()), t.State)
				}
			}
			return nil
		}}
	f := cmd.Flags()
	clusterFlag(f, &s.URL)
	f.IntVar(&s.Replicas, "replicas", 0, "of each stream, where they are made (default: 3, or 1 on a single server)")
	f.StringVar(&batch, "batch", "", "submit each line of a file, as council convene --batch has it; - is standard input")
	f.StringVar(&line.ID, "id", "", "a topic of the same id is submitted once")
	f.StringVar(&line.Council, "council", "", "council of the workers to take by its name")
	f.StringVar(&line.Output, "output", "", "none or documentation (default: what the workers' configuration says)")
	f.StringVar(&line.Pace, "pace", "", "auto, quick, standard, thorough or as-written")
	f.StringArrayVar(&line.Options, "option", nil, "an answer that the council chooses between (repeatable, 2 to 7)")
	f.StringArrayVar(&line.Context, "context", nil, "file, folder or glob that members are given (repeatable)")
	return cmd
}

func newWorker(a *cli.Env) *cobra.Command {
	o := cluster.Work{Cluster: jetstream.Settings{Create: true},
		Result: func(r run.BatchResult) any { return cli.BatchResultOf(r) },
		Ended:  func(t jetstream.Topic) { a.Warn("%s", topicWords(t)) }}
	cmd := &cobra.Command{Use: "worker", Short: "Hold sessions that were submitted to a cluster, until it is stopped",
		Long: `
worker takes topics from the queue of a cluster and holds a session on each, with the configuration and the keys of this
machine. What members answer is acknowledged by the cluster before it is used: when a worker dies or is cut off, another
goes on with its sessions and pays for no answer twice. It asks nobody; a session that needs a person, or that failed
three times, is parked with its error, and the queue goes on.

Give each worker a folder of its own with --root, and convene nothing else there. Ctrl-C or SIGTERM stops it: answers
that are under way are waited for, and other workers go on with the sessions. A second one stops at once.

Credentials of the cluster come from the environment, as for the command nats: NATS_CREDS, NATS_NKEY, NATS_USER with
NATS_PASSWORD, NATS_CA, NATS_CERT with NATS_KEY.`,
		Example: `
  council cluster worker --cluster nats://queue.example.org --root /var/lib/council --config council.config.json
  council cluster worker --cluster nats://queue.example.org --jobs 100 --drain`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error {
			o.Request.Because, o.Request.Remarks = a.Settings["model"].From, cli.LeftWords
			o.Request.Trust = cli.TrustGate(a.Alone(io.Discard, a.Signals))
			return cluster.Attend(cmd.Context(), a.World, o)
		}}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Request.Choice, "config", "council", "model", "root", "pace")
	clusterFlag(f, &o.Cluster.URL)
	f.IntVar(&o.Jobs, "jobs", 8, "how many sessions are held at once")
	f.BoolVar(&o.Drain, "drain", false, "end when every topic is closed or parked")
	f.DurationVar(&o.Cluster.Window, "lease", 0,
		"how long a session stays with a worker of which nothing is heard (default 15s)")
	cli.TrustFlag(f, a)
	return cmd
}
