package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
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
		{"Deliberate", []*cobra.Command{newConvene(a, new(conveneOptions)), newWatch(a), newSay(a), newAnswer(a),
			newResume(a)}},
		{"Read, decide, hand on", []*cobra.Command{newSessions(a), newShow(a), newDiff(a), newReview(a), newApprove(a),
			newReopen(a), newAsk(a), newConversations(a), newExport(a), newServe(a)}},
		{"Remember", []*cobra.Command{newMemory(a), newRecall(a, openIndex), newEpisodes(a), newTurns(a)}},
		{"Set up", []*cobra.Command{newInit(a), newCouncils(a), newDoctor(a), newOnboard(a), newConfig(a),
			newPolicy(a), newWorkspace(a), newSchema(a)}},
		{"Let run by itself", []*cobra.Command{newRoutine(a), newRetry(a), newDaemon(a), newMCP(a)}},
		{"Share with other machines", []*cobra.Command{newSubmit(a), newWorker(a), newCluster(a), newPull(a)}},
		{"Check and look after the record", []*cobra.Command{newVerify(a), newReplay(a), newRebuild(a), newAnchor(a),
			newFsck(a), newGC(a), newRm(a), newRuns(a), newUsage(a), newAudit(a)}},
		{"And", []*cobra.Command{newEval(a), newVersion(a)}},
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
	return cli.ExitWith(a, out.Unshown(cli.WithSettingSource(a, plainFlags(execute(ctx, root)))))
}

func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer engine.CatchPanic(&err)
	return root.ExecuteContext(ctx)
}

// bothGiven matches what the flag library says of flags that exclude each other.
var bothGiven = regexp.MustCompile(`^if any flags in the group .* \[(\S+) (.+)\] were all set$`)

// plainFlags returns the errors of the flag library in plain words.
func plainFlags(err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return site.Refuse("--"+value.GetFlag().Name+" is "+cli.KindWords(value.GetFlag())+", not "+site.Quote(
			value.GetValue()),
			"Nothing was done.")
	}
	if err == nil {
		return nil
	}
	if both := bothGiven.FindStringSubmatch(err.Error()); both != nil {
		return site.Refuse("--"+both[1]+" and --"+strings.ReplaceAll(both[2], " ", " and --")+" exclude each other",
			"Leave one of them out.")
	}
	return err
}
