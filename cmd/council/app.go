package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/agents"
	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/cluster"
	"github.com/council-engine/council/cmd/council/evaluation"
	"github.com/council-engine/council/cmd/council/memory"
	"github.com/council-engine/council/cmd/council/reading"
	"github.com/council-engine/council/cmd/council/record"
	"github.com/council-engine/council/cmd/council/schedule"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/cmd/council/setup"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/docs"
	"github.com/council-engine/council/workspace/site"
)

func newRoot(a *cli.Env) *cobra.Command {
	root := cli.NewGroup("council")
	for _, g := range []struct {
		purpose string
		verbs   []*cobra.Command
	}{
		{"Deliberate", []*cobra.Command{session.NewConvene(a, new(session.ConveneOptions)), session.NewWatch(a),
			session.NewSay(a), session.NewAnswer(a),
			session.NewResume(a)}},
		{"Read, decide, hand on", []*cobra.Command{reading.NewSessions(a), reading.NewShow(a), reading.NewDiff(a),
			session.NewReview(a), session.NewApprove(a),
			session.NewReopen(a), reading.NewAsk(a), reading.NewConversations(a), reading.NewExport(a), agents.NewServe(a)}},
		{"Remember", []*cobra.Command{memory.NewMemory(a), memory.NewRecall(a), record.NewEpisodes(a),
			record.NewTurns(a)}},
		{"Set up", []*cobra.Command{setup.NewInit(a), setup.NewCouncils(a), setup.NewDoctor(a), setup.NewOnboard(a),
			setup.NewConfig(a),
			setup.NewPolicy(a), setup.NewWorkspace(a), setup.NewSchema(a)}},
		{"Let run by itself", []*cobra.Command{schedule.NewRoutine(a), schedule.NewRetry(a), schedule.NewDaemon(a),
			agents.NewMCP(a)}},
		{"Share with other machines", []*cobra.Command{cluster.NewSubmit(a), cluster.NewWorker(a), cluster.NewCluster(a),
			cluster.NewPull(a)}},
		{"Check and look after the record", []*cobra.Command{record.NewVerify(a), record.NewReplay(a), record.NewRebuild(a),
			record.NewAnchor(a),
			record.NewFsck(a), record.NewGC(a), memory.NewRm(a), record.NewRuns(a), record.NewUsage(a), record.NewAudit(a)}},
		{"And", []*cobra.Command{evaluation.NewEval(a), newVersion(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.purpose, Title: g.purpose + ":"})
		for _, verb := range g.verbs {
			verb.GroupID = g.purpose
			root.AddCommand(verb)
		}
	}
	root.Version, root.SilenceUsage, root.SilenceErrors = cli.Version(), true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return cmp.Or(cli.NotBlank(cmd), cli.GoHome(cmd), cli.ApplySettings(a, cmd))
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Errs)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if value := new(pflag.InvalidValueError); errors.As(err, &value) { // plainFlags says it better
			return err
		}
		return cli.Usage(cmd, err)
	})
	root.SetVersionTemplate("{{.Version}}")
	root.SetHelpCommand(cli.Help(docs.Topics(), func(ctx context.Context, topic string) error {
		text, _ := docs.Page(topic)
		return cli.PrintFile(a, ctx, topic+".md", text, cli.PageOptions{})
	}))
	root.SetHelpCommandGroupID("And")
	root.SetCompletionCommandGroupID("And")
	cli.DescribeFlags(root)
	return root
}

func newVersion(a *cli.Env) *cobra.Command {
	return cli.Standalone("version", func(*cobra.Command, []string) error {
		_, err := fmt.Fprint(a.Out, cli.Version())
		return err
	})
}

// run carries out one command line and returns its exit code.
func runLine(a *cli.Env, ctx context.Context, args []string) int {
	a.Execute, a.World = runLine, site.NewWorld(*a.World)
	a.World.Warn, a.World.Attended = a.Warn, a.Terminal
	defer a.World.Close()
	out, errs := &cli.Output{Writer: a.Out}, &cli.Output{Writer: a.Errs}
	a.Out, a.Errs = out, errs
	defer func() { a.Out, a.Errs = out.Writer, errs.Writer }()
	root := newRoot(a)
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") { // a shell asks
		completeArgs(a, root)
	}
	root.SetArgs(args)
	return cli.ExitWith(a, out.Unshown(cli.WithSettingSource(a, cli.PlainFlags(execute(ctx, root)))))
}

func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer engine.CatchPanic(&err)
	return root.ExecuteContext(ctx)
}
