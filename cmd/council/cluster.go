package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
)

// clusterFlags name a cluster. Credentials come from the environment, by the names that the command nats has for them.
type clusterFlags struct {
	url      string
	replicas int
	window   time.Duration // of a lease; 0: the usual one
}

func (o *clusterFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "cluster", "", "nats://HOST[:PORT][,…][/WORKSPACE] of the cluster (default: NATS_URL)")
}

// cluster connects to the cluster that is named.
func (a *app) cluster(ctx context.Context, o clusterFlags, make bool) (*jetstream.Cluster, error) {
	s := jetstream.Settings{URL: cmp.Or(o.url, a.Getenv("NATS_URL")), Rules: rules.Version, Make: make,
		Replicas: o.replicas, Window: o.window}
	if s.URL == "" {
		return nil, cli.Refuse("no cluster is named", "Name one: --cluster nats://HOST:4222, or set NATS_URL.")
	}
	with := func(names ...string) bool { return a.Getenv(names[0]) != "" && a.Getenv(names[len(names)-1]) != "" }
	if with("NATS_CREDS") {
		s.Options = append(s.Options, nats.UserCredentials(a.Getenv("NATS_CREDS")))
	}
	if with("NATS_NKEY") {
		key, err := nats.NkeyOptionFromSeed(a.Getenv("NATS_NKEY"))
		if err != nil {
			return nil, fmt.Errorf("the file that NATS_NKEY names cannot be used: %w", err)
		}
		s.Options = append(s.Options, key)
	}
	if with("NATS_USER", "NATS_PASSWORD") {
		s.Options = append(s.Options, nats.UserInfo(a.Getenv("NATS_USER"), a.Getenv("NATS_PASSWORD")))
	}
	if with("NATS_CA") {
		s.Options = append(s.Options, nats.RootCAs(a.Getenv("NATS_CA")))
	}
	if with("NATS_CERT", "NATS_KEY") {
		s.Options = append(s.Options, nats.ClientCert(a.Getenv("NATS_CERT"), a.Getenv("NATS_KEY")))
	}
	return jetstream.Open(ctx, s)
}

// clusterVerb completes a command that works on a cluster and on no record of this machine.
func (a *app) clusterVerb(path string, args cobra.PositionalArgs, make bool,
	do func(context.Context, *jetstream.Cluster, []string) error) *cobra.Command {
	var o clusterFlags
	cmd := standalone(path, args, func(cmd *cobra.Command, args []string) error {
		c, err := a.cluster(cmd.Context(), o, make)
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd.Context(), c, args)
	})
	o.flags(cmd.Flags())
	return cmd
}

func (a *app) newCluster() *cobra.Command {
	var asJSON bool
	status := a.clusterVerb("cluster status", cli.NoArgs, false,
		func(ctx context.Context, c *jetstream.Cluster, _ []string) error {
			return a.clusterStatus(ctx, c, asJSON)
		})
	status.Flags().BoolVar(&asJSON, "json", false, jsonLines)
	return newGroup("cluster", status,
		a.clusterVerb("cluster watch", cli.NoArgs, false,
			func(ctx context.Context, c *jetstream.Cluster, _ []string) error {
				ctx, release := a.stoppable(ctx)
				defer release()
				return c.Watch(ctx, false, func(t jetstream.Topic) { a.Say("%s %s", clock(t.At.Local()), topicWords(t)) })
			}),
		a.clusterVerb("cluster release", cli.One("the id of a session"), false, a.clusterRelease),
		a.clusterVerb("cluster policy", cli.AtMostOne, true, a.clusterPolicy))
}

func topicWords(t jetstream.Topic) string {
	words := terminal.Sprintf("%s is %s", t.ID, t.State)
	if t.State == jetstream.Running {
		words += terminal.Sprintf(" on %s, try %d", t.Worker, t.Tries)
	}
	return joined(": ", words, terminal.Line(t.Error))
}

func (a *app) clusterStatus(ctx context.Context, c *jetstream.Cluster, asJSON bool) error {
	count := map[string]int{}
	list := a.list(asJSON, "SESSION", "STATE", "WORKER", "TRY", "WHY")
	err := c.Watch(ctx, true, func(t jetstream.Topic) {
		if count[t.State]++; asJSON || t.State == jetstream.Running || t.State == jetstream.Parked {
			list.add(t, t.ID, t.State, t.Worker, t.Tries, t.Error)
		}
	})
	if err != nil || asJSON {
		return err
	}
	a.Say("Workspace %s on %s: %d queued, %d running, %d closed, %d parked", c.Workspace, c.Server(),
		count[jetstream.Queued], count[jetstream.Running], count[jetstream.Closed], count[jetstream.Parked])
	if len(list.rows) == 0 {
		return nil
	}
	return list.print("")
}

// topicOf finds the topic of a session by the session's id.
func topicOf(ctx context.Context, c *jetstream.Cluster, id string) (found jetstream.Topic, err error) {
	err = c.Watch(ctx, true, func(t jetstream.Topic) {
		if string(t.ID) == id {
			found = t
		}
	})
	if err == nil && found.Key == "" {
		err = fmt.Errorf("%w in workspace %s of the cluster: %s", recorder.ErrUnknownSession, c.Workspace, cli.Quote(id))
	}
	return found, err
}

func (a *app) clusterRelease(ctx context.Context, c *jetstream.Cluster, args []string) error {
	t, err := topicOf(ctx, c, args[0])
	if err == nil {
		err = c.Release(ctx, t.Key)
	}
	if err == nil {
		a.Say("Session %s is in the queue again.", t.ID)
	}
	return err
}

// clusterPolicy prints the policy of the workspace, or sets it.
func (a *app) clusterPolicy(ctx context.Context, c *jetstream.Cluster, args []string) error {
	had, revision, err := c.Policy(ctx)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return a.printFile(ctx, policyFile, had, pageOptions{})
	}
	text, err := a.readInput("the policy cannot be read", args[0], 1<<20)
	if err != nil {
		return err
	}
	if _, err := policy.Parse(policy.Source{Origin: args[0], Text: string(text)}); err != nil {
		return err
	}
	if err := c.SetPolicy(ctx, text, revision); err != nil {
		return err
	}
	a.Say("Workers follow this policy from their next session on.")
	return nil
}

func (a *app) newPull() *cobra.Command {
	var o clusterFlags
	var root string
	var follow bool
	cmd := standalone("pull", cli.AtMostOne, func(cmd *cobra.Command, args []string) error {
		if follow == (len(args) == 1) {
			return cli.Refuse("give a session, or --follow for all of them", "To see them: council cluster status --json")
		}
		return a.pull(cmd.Context(), o, root, args)
	})
	o.flags(cmd.Flags())
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&follow, "follow", false, "bring all sessions here, and what is added to them, until it is stopped")
	return cmd
}

// pull brings a session of a cluster into the record of this machine, or all of them until it is stopped.
func (a *app) pull(ctx context.Context, o clusterFlags, folder string, args []string) error {
	c, err := a.cluster(ctx, o, false)
	if err != nil {
		return err
	}
	defer c.Close()
	root, err := recorder.OpenRoot(folder, a.Record()...)
	if err != nil {
		return err
	}
	defer root.Close()
	if len(args) == 0 {
		a.Say("Following workspace %s of %s. Ctrl-C ends it.", c.Workspace, c.Server())
		ctx, release := a.stoppable(ctx)
		defer release()
		return c.Follow(ctx, root.Files(), func(id council.SessionID) {
			if entries, err := root.Closed(id); err == nil && entries != nil {
				_ = a.tidied(root, id) // what cannot be written is made by council rebuild
			}
		})
	}
	id := council.SessionID(args[0])
	lock, err := atomicfile.TakeLock(root.Files(), keeperLock)
	if err != nil {
		return err
	}
	defer lock.Release()
	if events, err := c.Pull(ctx, root.Files(), id); err != nil || events == 0 {
		return cmp.Or(err, fmt.Errorf("%w in workspace %s of the cluster: %s", recorder.ErrUnknownSession, c.Workspace,
			cli.Quote(args[0])))
	}
	if err := a.tidied(root, id); err != nil {
		return err
	}
	a.Say("%s", root.Place(id))
	return nil
}

// tidied writes what follows from a session's log, as the worker did that held it.
func (a *app) tidied(root *recorder.Root, id council.SessionID) error {
	folder, err := root.Resume(id, a.Inputs())
	if err != nil {
		return err
	}
	return errors.Join(folder.Finalize(), folder.Close())
}

// submission is what a worker has to know of a topic.
type submission struct {
	Line  batchLine     `json:"line"`
	Topic council.Topic `json:"topic"` // with its documents
}

func (a *app) newSubmit() *cobra.Command {
	var o clusterFlags
	var line batchLine
	var context contextFlags
	var batch string
	cmd := standalone("submit", cli.AtMostOne, func(cmd *cobra.Command, args []string) error {
		lines, err := []batchLine{line}, error(nil)
		if batch != "" {
			if lines, err = a.readBatch(batch); len(args) == 1 {
				err = cli.Refuse("--batch takes its topics from the file", "Leave out the topic.")
			}
		} else {
			lines[0].Context = context.contexts
			lines[0].Topic, err = a.readTopic(args, "", nil)
		}
		if err != nil {
			return err
		}
		return a.submit(cmd.Context(), o, lines)
	})
	f := cmd.Flags()
	o.flags(f)
	f.IntVar(&o.replicas, "replicas", 0, "of each stream, where they are made (default: 3, or 1 on a single server)")
	f.StringVar(&batch, "batch", "", "submit each line of a file, as council convene --batch has it; - is standard input")
	f.StringVar(&line.ID, "id", "", "a topic of the same id is submitted once")
	f.StringVar(&line.Council, "council", "", "council of the workers to take by its name")
	f.StringVar(&line.Output, "output", "", "none or documentation (default: what the workers' configuration says)")
	f.StringVar(&line.Pace, "pace", "", "quick, standard or thorough")
	f.StringArrayVar(&line.Options, "option", nil, "an answer that the council chooses between (repeatable, 2 to 7)")
	f.StringArrayVar(&context.contexts, "context", nil, "file, folder or glob that members are given (repeatable)")
	return cmd
}

// submit puts topics into the queue of a cluster, with the documents that members are given.
func (a *app) submit(ctx context.Context, o clusterFlags, lines []batchLine) error {
	lawful, err := a.policy("")
	if err != nil {
		return err
	}
	c, err := a.cluster(ctx, o, true)
	if err != nil {
		return err
	}
	defer c.Close()
	for _, line := range lines {
		s := submission{Line: line, Topic: council.Topic{Text: line.Topic}}
		given := contextFlags{contexts: line.Context}
		if err := given.load(ctx, a.In, &s.Topic); err != nil {
			return err
		}
		if err := mayRead(lawful, "", &s.Topic); err != nil {
			return err
		}
		cutTopic(&s.Topic, lawful.Redactions()...)
		body, err := json.Marshal(s)
		if err != nil {
			return err
		}
		key := line.word()
		t, before, err := c.Submit(ctx, key, recorder.NamedSessionID(a.Now(), line.Topic, key), body)
		if err != nil {
			return err
		}
		if a.JSON(t); before {
			a.Warn("%s was submitted before, and is %s.", terminal.Line(line.name()), t.State)
		}
	}
	return nil
}

// workerName names this process among the workers of a cluster.
func (a *app) workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%d", host, os.Getpid(), a.Now().UnixMilli())
}
