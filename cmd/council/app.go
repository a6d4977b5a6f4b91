package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/docs"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/workspace/site"
)

func newRoot(a *cli.Env) *cobra.Command {
	root := newGroup("council")
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
		return cmp.Or(cli.NotBlank(cmd), cli.GoHome(cmd), applySettings(a, cmd))
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
		return printFile(a, ctx, topic+".md", text, pageOptions{})
	}))
	root.SetHelpCommandGroupID("And")
	root.SetCompletionCommandGroupID("And")
	describeFlags(root)
	return root
}

func newVersion(a *cli.Env) *cobra.Command {
	return standalone("version", func(*cobra.Command, []string) error {
		_, err := fmt.Fprint(a.Out, cli.Version())
		return err
	})
}

// run carries out one command line and returns its exit code.
func runLine(a *cli.Env, ctx context.Context, args []string) int {
	a.World = site.NewWorld(*a.World)
	a.World.Warn = a.Warn
	defer a.World.Close()
	out, errs := &output{Writer: a.Out}, &output{Writer: a.Errs}
	a.Out, a.Errs = out, errs
	defer func() { a.Out, a.Errs = out.Writer, errs.Writer }()
	root := newRoot(a)
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") { // a shell asks
		completeArgs(a, root)
	}
	root.SetArgs(args)
	return exitWith(a, out.unshown(withSettingSource(a, plainFlags(execute(ctx, root)))))
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
		return site.Refuse("--"+value.GetFlag().Name+" is "+kindWords(value.GetFlag())+", not "+site.Quote(value.GetValue()),
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

// kindWords says what a flag takes.
func kindWords(f *pflag.Flag) string {
	return map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number",
		"duration": "a time such as 30m", "bool": "true or false"}[f.Value.Type()]
}

// confirms asks for consent at the terminal. Without an answer there is none.
func confirm(a *cli.Env, ctx context.Context, out io.Writer, question string) bool {
	fmt.Fprint(out, question+" [y/N] ")
	answer, err := a.Keys().Line(ctx)
	return err == nil && cli.Yes(answer)
}

// readInput reads a file that the user named, or standard input for "-", at most so many bytes of it. what begins the
// error, such as "the topic cannot be read".
func readInput(a *cli.Env, what, path string, most int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s from %s: %w", what, path, atomicfile.Explain(err))
		}
		defer f.Close()
		in = f
	}
	doc, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("%s from %s: %w", what, inputName(path), atomicfile.Explain(err))
	}
	return doc, nil
}

// inputName returns the name of an input for messages.
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// output is a stream that many goroutines may write to: members tell what they wait for. It keeps the first error,
// because code that prints for people does not look.
type output struct {
	io.Writer
	mu     sync.Mutex
	failed error
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.Writer.Write(p)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// stream returns what an [output] writes to, for a program that needs the terminal itself.
func stream(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.Writer
	}
	return w
}

// unshownError: what a command was to show could not be written.
type unshownError struct{ err error }

func (u *unshownError) Error() string {
	return "what was to be shown could not be written to standard output: " + atomicfile.Explain(u.err).Error()
}

// unshown returns the error of a command: err, or an [unshownError] where the command came to its end otherwise. A
// reader that went away has seen enough.
func (o *output) unshown(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var code exitCode
	ended := err == nil || errors.As(err, &code) && code == exitNotDecided || errors.Is(err, cli.ErrFindings)
	if o.failed == nil || errors.Is(o.failed, syscall.EPIPE) || !ended && !errors.Is(err, o.failed) {
		return err
	}
	return &unshownError{o.failed}
}
