// Command council convenes a council of language-model members, records what it deliberates, and hands on what it
// decides.
//
// Each verb is in the package of its noun, beside related ones: its command with flags and help, and the printing; the
// work is done by package workspace and those below it. This file has the root command and its groups, and
// completes words for a shell; package cli holds what the verbs share, and maps errors to hints and exit codes.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/cluster"
	"github.com/council-engine/council/cmd/council/evaluation"
	"github.com/council-engine/council/cmd/council/memory"
	"github.com/council-engine/council/cmd/council/reading"
	"github.com/council-engine/council/cmd/council/record"
	"github.com/council-engine/council/cmd/council/serve"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/cmd/council/setup"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/docs"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	files "github.com/council-engine/council/workspace/reading"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

func newRoot(a *cli.Env) *cobra.Command {
	root := cli.NewGroup(&cobra.Command{Use: "council", Short: "Let a council of models deliberate, and keep the record",
		Long: `
council convenes language-model members with different roles. They seal positions, elect a leader, debate in
rounds, move and second motions, vote by blind ballot, and review the document that the leader drafts.

Everything is recorded as it happens under .council/sessions/: the transcript to read, the document, and
execution-handoff.json for the tool that carries the decision out.

The documentation is in the command: council help protocol, costs, members and more; council help help names all.

Exit codes: 0 decided (and approved, where a document was asked for) · 1 error · 2 usage error · 3 not decided, not
approved, or fsck (or doctor --strict) found something · 4 suspended, can be resumed · 5 the record is damaged, or not
its latest copy`,
	})
	group := func(purpose string, verbs ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: purpose, Title: purpose + ":"})
		for _, verb := range verbs {
			verb.GroupID = purpose
			root.AddCommand(verb)
		}
	}
	group("Deliberate", session.NewConvene(a, new(session.ConveneOptions)), session.NewWatch(a), session.NewSay(a),
		session.NewAnswer(a), session.NewResume(a))
	group("Read, decide, hand on", reading.NewSessions(a), reading.NewShow(a), session.NewReview(a), session.NewApprove(a),
		session.NewReopen(a), reading.NewAsk(a), reading.NewExport(a), serve.NewServe(a, session.RoutineProblem))
	group("Remember", memory.NewMemory(a), memory.NewRecall(a))
	group("Set up", setup.NewInit(a), setup.NewCouncils(a), setup.NewDoctor(a), setup.NewLogin(a), setup.NewConfig(a),
		setup.NewPolicy(a), setup.NewWorkspace(a), setup.NewSchema(a))
	group("Let run by itself", session.NewSchedule(a), cluster.NewCluster(a), serve.NewMCP(a))
	group("Check and look after the record", record.NewVerify(a), record.NewUsage(a),
		cli.NewGroup(&cobra.Command{Use: "record", Short: "Look after the record, and read single things of it"},
			record.NewFsck(a), record.NewReplay(a), record.NewRebuild(a), record.NewGC(a), memory.NewRm(a),
			record.NewAnchor(a), record.NewAudit(a), record.NewRuns(a), record.NewTurns(a), record.NewEpisodes(a),
			reading.NewConversations(a), reading.NewDiff(a)))
	group("And", evaluation.NewEval(a), &cobra.Command{Use: "version", Short: "Print the version", Args: cli.AsUsed,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.Out, cli.Version())
			return err
		}})
	root.Version, root.SilenceUsage, root.SilenceErrors = cli.Version(), true, true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return cmp.Or(cli.NotBlank(cmd), cli.GoHome(cmd), cli.ApplySettings(a, cmd))
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Errs)
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetVersionTemplate("{{.Version}}")
	root.SetHelpCommand(cli.Help(docs.Topics(), func(ctx context.Context, topic string) error {
		text, _ := docs.Page(topic)
		return cli.PrintFile(a, ctx, topic+".md", text, cli.PageOptions{})
	}))
	root.SetHelpCommandGroupID("And")
	root.SetCompletionCommandGroupID("And")
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // in the source the texts begin on a line of their own
		cmd.Long, cmd.Example = strings.TrimPrefix(cmd.Long, "\n"), strings.TrimPrefix(cmd.Example, "\n")
		if cmd == root && !slices.Equal(args, []string{cli.HelpAll}) {
			cmd = everydayCommand(root)
		}
		help(cmd, args)
	})
	return root
}

// everydayCommand returns a command like root, for its help, that has only the everyday verbs. It takes them from root.
func everydayCommand(root *cobra.Command) *cobra.Command {
	short := &cobra.Command{Use: root.Use, RunE: root.RunE,
		Long: root.Long + "\n\nThese are the commands of every day. All are listed by: council help " + cli.HelpAll}
	short.SetOut(root.OutOrStdout())
	short.Flags().AddFlagSet(root.Flags())
	for _, name := range []string{"convene", "resume", "watch", "show", "sessions", "review", "approve", "ask", "export",
		"serve", "init", "doctor"} {
		verb, _, _ := root.Find([]string{name})
		if !short.ContainsGroup(verb.GroupID) {
			short.AddGroup(&cobra.Group{ID: verb.GroupID, Title: verb.GroupID + ":"})
		}
		short.AddCommand(verb)
	}
	return short
}

// runLine carries out one command line and returns its exit code.
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

// completed lists the completions of an argument, by its word in the usage line, and of a flag, by "--" and its name.
var completed = map[string]func(a *cli.Env, folder string, args []string) []string{
	"SESSION": func(a *cli.Env, folder string, _ []string) (all []string) {
		_ = a.InRecord(folder, func(root *recorder.Root) error {
			list, _, err := root.Newest(cli.UsualLimit, nil)
			all = append(all, recorder.Latest+"\tthe latest session")
			for _, s := range list {
				all = append(all, root.Short(s.ID)+"\t"+hostile.Excerpt(s.Topic, 60))
			}
			return err
		})
		return all
	},
	"MEMBER":   offerMembers,
	"--member": offerMembers,
	"--council": func(a *cli.Env, folder string, _ []string) []string {
		names, _ := seat.PlacesOf(a.World, folder).Names()
		return names
	},
	"--model": func(*cli.Env, string, []string) []string {
		return seat.Providers(func(k council.MemberKind) bool { return !k.Person && !k.Unchosen })
	},
	"--format": func(*cli.Env, string, []string) []string { return files.Formats },
}

// completeArgs lets shells complete the arguments and flags of a command and those below it. Other arguments are files.
func completeArgs(a *cli.Env, cmd *cobra.Command) {
	offer := func(name string, args []string) (all []string, how cobra.ShellCompDirective) {
		folder := site.Home()
		if f := cmd.Flags().Lookup("root"); f != nil {
			folder = cmp.Or(f.Value.String(), folder)
		}
		if do := completed[name]; do != nil {
			all = do(a, folder, args)
			if strings.Contains(cmd.Use, "FILE") { // a file will do too
				return all, cobra.ShellCompDirectiveDefault
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	words := strings.FieldsFunc(cmd.Use, func(r rune) bool { return strings.ContainsRune(" [].", r) })[1:]
	if slices.ContainsFunc(words, func(word string) bool { return completed[word] != nil }) {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch {
			case strings.HasSuffix(cmd.Use, "..."):
				return offer(words[0], nil)
			case len(args) < len(words):
				return offer(words[len(args)], args)
			}
			return offer("", args)
		}
	}
	flag := func(f *pflag.Flag) {
		name := "--" + f.Name
		do := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return offer(name, args)
		}
		if completed[name] != nil { // it fails for a flag that has one already
			_ = cmd.RegisterFlagCompletionFunc(f.Name, do)
		}
	}
	cmd.Flags().VisitAll(flag)
	cmd.PersistentFlags().VisitAll(flag) // cobra's LocalFlags would join both, in new sets, at every start
	for _, below := range cmd.Commands() {
		completeArgs(a, below)
	}
}

// offerMembers returns the members of the session that is named, else those of the configuration.
func offerMembers(a *cli.Env, folder string, args []string) (all []string) {
	var c council.Charter
	if read, err := seat.ReadCharter(a.World, seat.Choice{}); err == nil {
		c = read.Charter
	}
	if len(args) > 0 {
		_ = a.InRecord(folder, func(root *recorder.Root) error {
			id, err := root.Find(args[0])
			if session, failed := site.Replay(root, id); err == nil && failed == nil {
				c = *session.Charter()
			}
			return err
		})
	}
	for _, m := range c.Members {
		all = append(all, string(m.ID)+"\t"+hostile.Excerpt(m.Name+", "+m.Role, 60))
	}
	return all
}

func main() { os.Exit(mainExit()) }

// mainExit is main for tests that run the command within their own process.
func mainExit() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // a command waits for members: its heap stays small, and is collected half as often
	}
	a := cli.Env{
		World: &site.World{Getenv: os.Getenv, Signals: catchSignals, Now: time.Now, Random: rand.Reader,
			IsSet: func(name string) bool { _, set := os.LookupEnv(name); return set }},
		In: os.Stdin, Out: os.Stdout, Errs: os.Stderr,
		Terminal: cli.IsTerminal(os.Stdout) && cli.IsTerminal(os.Stderr), Keyboard: cli.IsTerminal(os.Stdin),
		Width:  func() int { columns, _, _ := term.GetSize(int(os.Stdout.Fd())); return columns }, // 0: unknown
		Height: func() int { _, rows, _ := term.GetSize(int(os.Stdout.Fd())); return rows },
		Pause:  50 * time.Millisecond,
		Raw: func() (restore func()) {
			before, err := term.MakeRaw(int(os.Stdin.Fd()))
			if err != nil {
				return func() {} // keys come with the next Enter
			}
			return func() { _ = term.Restore(int(os.Stdin.Fd()), before) }
		},
	}
	return runLine(&a, context.Background(), os.Args[1:])
}

// catchSignals returns the signals that would end the program, until it is released.
func catchSignals() (caught <-chan os.Signal, release func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals, func() { signal.Stop(signals) }
}
