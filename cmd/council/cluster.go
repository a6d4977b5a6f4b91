package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/jetstream"
)

// clusterFlag names a cluster.
func clusterFlag(f *pflag.FlagSet, s *jetstream.Settings) {
	f.StringVar(&s.URL, "cluster", "", "nats://HOST[:PORT] of the cluster, of several with commas (default: NATS_URL)")
}

// cluster connects to a cluster, with the credentials that the environment has.
func (a *app) cluster(ctx context.Context, s jetstream.Settings) (*jetstream.Cluster, error) {
	if s.URL = cmp.Or(s.URL, a.Getenv("NATS_URL")); s.URL == "" {
		return nil, cli.Refuse("no cluster is named", "Name one: --cluster nats://HOST:4222, or set NATS_URL.")
	}
	s.Rules, s.Getenv = rules.Version, a.Getenv
	return jetstream.Open(ctx, s)
}

// clusterVerb is standalone for a command that works on a cluster.
func (a *app) clusterVerb(path string, args cobra.PositionalArgs, s jetstream.Settings,
	do func(context.Context, *jetstream.Cluster, []string) error) *cobra.Command {
	cmd := standalone(path, args, func(cmd *cobra.Command, args []string) error {
		c, err := a.cluster(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd.Context(), c, args)
	})
	clusterFlag(cmd.Flags(), &s)
	return cmd
}

func (a *app) newCluster() *cobra.Command {
	var asJSON bool
	status := a.clusterVerb("cluster status", cli.NoArgs, jetstream.Settings{},
		func(ctx context.Context, c *jetstream.Cluster, _ []string) error {
			return a.clusterStatus(ctx, c, asJSON)
		})
	status.Flags().BoolVar(&asJSON, "json", false, jsonLines)
	watch := a.clusterVerb("cluster watch", cli.NoArgs, jetstream.Settings{},
		func(ctx context.Context, c *jetstream.Cluster, _ []string) error {
			ctx, release := a.stoppable(ctx)
			defer release()
			return c.Watch(ctx, false, func(t jetstream.Topic) { a.Say("%s %s", clock(t.At.Local()), topicWords(t)) })
		})
	return newGroup("cluster", status, watch,
		a.clusterVerb("cluster policy", cli.AtMostOne, jetstream.Settings{Make: true}, a.clusterPolicy))
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
	a.Say("%s: %d queued, %d running, %d closed, %d parked", c.Server(), count[jetstream.Queued],
		count[jetstream.Running], count[jetstream.Closed], count[jetstream.Parked])
	return list.print("")
}

// clusterPolicy prints the policy that workers follow, or sets it.
func (a *app) clusterPolicy(ctx context.Context, c *jetstream.Cluster, args []string) error {
	had, revision, err := c.Policy(ctx)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return a.printFile(ctx, policyFile, had, pageOptions{})
	}
	text, err := a.readInput("the policy cannot be read", args[0], 1<<20)
	if err == nil {
		_, err = policy.Parse(policy.Source{Origin: args[0], Text: string(text)})
	}
	if err != nil {
		return err
	}
	return c.SetPolicy(ctx, text, revision)
}

func (a *app) newPull() *cobra.Command {
	var root string
	var follow bool
	cmd := a.clusterVerb("pull", cli.AtMostOne, jetstream.Settings{},
		func(ctx context.Context, c *jetstream.Cluster, args []string) error {
			if follow == (len(args) == 1) {
				return cli.Refuse("give the id of a session, or --follow", "To see ids: council cluster status --json")
			}
			r, err := recorder.OpenRoot(root, a.Record()...)
			if err != nil {
				return err
			}
			defer r.Close()
			if !follow {
				return a.pull(ctx, c, r, council.SessionID(args[0]))
			}
			ctx, release := a.stoppable(ctx)
			defer release()
			return a.follow(ctx, c, r, nil)
		})
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&follow, "follow", false,
		"bring all sessions here, and what is added to them, until it is stopped")
	return cmd
}

// pull brings a session of a cluster into a record, and writes what follows from its log, as the worker did.
func (a *app) pull(ctx context.Context, c *jetstream.Cluster, root *recorder.Root, id council.SessionID) error {
	found, err := c.Pull(ctx, root.Files(), id)
	if err == nil && !found {
		err = fmt.Errorf("%w on the cluster: %s", recorder.ErrUnknownSession, cli.Quote(string(id)))
	}
	if err != nil {
		return err
	}
	return a.finalized(root, id)
}

// submission is what a worker has to know of a topic.
type submission struct {
	Line  batchLine     `json:"line"`
	Topic council.Topic `json:"topic"` // with its documents
}

func (a *app) newSubmit() *cobra.Command {
	var line batchLine
	var batch string
	s := jetstream.Settings{Make: true}
	cmd := standalone("submit", cli.AtMostOne, func(cmd *cobra.Command, args []string) (err error) {
		lines := []batchLine{line}
		if batch == "" {
			lines[0].Topic, err = a.readTopic(args, "", nil)
		} else if lines, err = a.readBatch(batch); len(args) == 1 {
			err = cli.Refuse("--batch takes its topics from the file", "Leave out the topic.")
		}
		if err != nil {
			return err
		}
		c, err := a.cluster(cmd.Context(), s)
		if err != nil {
			return err
		}
		defer c.Close()
		for _, line := range lines {
			t, before, err := a.submit(cmd.Context(), c, line)
			if err != nil {
				return err
			}
			if a.JSON(t); before {
				a.Warn("%s was submitted before, and is %s.", terminal.Line(line.name()), t.State)
			}
		}
		return nil
	})
	f := cmd.Flags()
	clusterFlag(f, &s)
	f.IntVar(&s.Replicas, "replicas", 0, "of each stream, where they are made (default: 3, or 1 on a single server)")
	f.StringVar(&batch, "batch", "", "submit each line of a file, as council convene --batch has it; - is standard input")
	f.StringVar(&line.ID, "id", "", "a topic of the same id is submitted once")
	f.StringVar(&line.Council, "council", "", "council of the workers to take by its name")
	f.StringVar(&line.Output, "output", "", "none or documentation (default: what the workers' configuration says)")
	f.StringVar(&line.Pace, "pace", "", "quick, standard or thorough")
	f.StringArrayVar(&line.Options, "option", nil, "an answer that the council chooses between (repeatable, 2 to 7)")
	f.StringArrayVar(&line.Context, "context", nil, "file, folder or glob that members are given (repeatable)")
	return cmd
}

// submit puts a topic into the queue of a cluster, with the documents that members are given. before reports whether it
// was submitted before.
func (a *app) submit(ctx context.Context, c *jetstream.Cluster, line batchLine) (t jetstream.Topic, before bool,
	err error) {
	s := submission{Line: line, Topic: council.Topic{Text: line.Topic}}
	given := contextFlags{contexts: line.Context}
	lawful, err := a.policy("")
	if err == nil {
		err = given.load(ctx, a.In, &s.Topic)
	}
	if err == nil {
		err = mayRead(lawful, "", &s.Topic)
	}
	if err != nil {
		return t, false, err
	}
	cutTopic(&s.Topic, lawful.Redactions()...)
	s.Line.Topic = s.Topic.Text
	body, err := json.Marshal(s)
	if err != nil {
		return t, false, err
	}
	key := line.word()
	return c.Submit(ctx, key, recorder.NamedSessionID(a.Now(), s.Topic.Text, key), body)
}
