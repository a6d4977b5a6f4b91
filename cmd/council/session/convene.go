// Package session has the verbs that hold sessions, now or when they are due, and those by which a person takes part
// and rules.
package session

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// ConveneOptions are the flags of convene.
type ConveneOptions struct {
	run.Request
	TopicFile string
	convener  bool // members may ask the person who convenes, though that person is not at a terminal
	caps      cli.BudgetFlags
	Show      Display
	batch     string // a file of sessions that are to be held; "": this one alone
	Jobs      int    // how many of them at once
	yes       bool   // a dear session may begin
}

// NewConvene returns the command, which puts what a command line gives into options.
func NewConvene(a *cli.Env, o *ConveneOptions) *cobra.Command {
	cmd := &cobra.Command{Use: "convene [TOPIC]", Short: "Convene a council on a topic",
		Long: `
convene runs a whole deliberation on a topic and records it under .council/sessions/. A - in the place of TOPIC reads it
from standard input.

Without --config it reads council.config.json in this folder or the nearest above that has one or a record, and without
that it takes the council "general". Members without a model get the first of: Anthropic (ANTHROPIC_API_KEY), OpenAI
(OPENAI_API_KEY), a local Ollama server, else the rehearsal, which asks no model and speaks from the topic and the
documents. With keys of both it names their servers and asks, once for a workspace, whether seats take both in turn;
without a terminal they take the first.

Before the first program or foreign server that the configuration names, it shows them and asks whether you trust them,
once for a folder. Without a terminal add --trust.`,
		Example: `  council convene "Shall we move the queue to NATS?" --context docs/queue.md
  council convene --council security --context src/auth "Is the login safe to ship?"
  council convene "Which queue?" --option NATS --option Kafka --option "keep Postgres"
  council convene --topic-file question.md --model ollama/llama3.2 --output none`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("batch") {
				return conveneBatch(a, cmd.Context(), *o, args)
			}
			if cmd.Flags().Changed("jobs") {
				return site.Refuse("--jobs is how many sessions of a batch are held at once", "Name its file: --batch FILE")
			}
			return Convene(a, cmd.Context(), *o, args)
		}}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Choice, "config", "council", "model", "root", "pace")
	cli.ContextFlags(f, &o.Context)
	f.StringVar(&o.TopicFile, "topic-file", "", "read the topic from a file, or - for standard input")
	f.StringArrayVar(&o.Options, "option", nil,
		"an answer that the council chooses between, by ranked ballots (repeatable, 2 to 7)")
	f.StringVar(&o.Output, "output", "", "none or documentation (default: what the configuration says)")
	f.BoolVar(&o.NoRecall, "no-recall", false, "do not search memory for what was said about the topic long ago")
	f.BoolVar(&o.NoMemory, "no-memory", false,
		"convene with a clean slate: tell members nothing of memory and of your notes; the session itself is remembered")
	f.BoolVar(&o.Approve, "approve-execution", false,
		"approve in advance an execution brief that members vote on with the document")
	f.BoolVar(&o.convener, "wait-for-convener", false,
		"without a terminal too, let members ask you questions; the session then waits for council answer")
	f.StringVar(&o.Me, "me", "",
		"give yourself a seat, under your name or `NAME` (--me=Kim); with --no-wait the session waits for council answer")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what the session may take and cost, ask nobody and write nothing")
	f.StringVar(&o.batch, "batch", "",
		"hold a session for each line of JSON of a file, or - for standard input: topic, and if you like id, options, "+
			"council, context, output and pace")
	f.IntVar(&o.Jobs, "jobs", 8, "how many sessions of a batch are held at once")
	cli.TrustFlag(f, a)
	o.addYes(f)
	f.Lookup("me").NoOptDefVal = run.Myself
	o.caps.AddFlags(f, "the whole session, or the whole batch")
	o.addID(f)
	o.Show.Flags(f)
	return cmd
}

// addID adds the hidden flag by which the server that starts this process knows the session.
func (o *ConveneOptions) addID(f *pflag.FlagSet) {
	f.StringVar((*string)(&o.ID), "session-id", "", "the id of the session that is to begin")
	_ = f.MarkHidden("session-id")
}

// addYes adds the flag that consents to a dear session.
func (o *ConveneOptions) addYes(f *pflag.FlagSet) {
	f.BoolVar(&o.yes, "yes", false, "at a terminal, begin without a question though the estimate is above ask-above-usd")
}

// Convene holds the session that was asked for, and prints how it went.
func Convene(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) error {
	if err := o.Show.Check(a); err != nil {
		return err
	}
	r := &o.Request
	p, err := o.Plan(a, ctx, args)
	if err == nil {
		err = p.Admit(ctx, a.World, r)
	}
	if err != nil {
		return err
	}
	f := face{a, o.Show}
	if o.DryRun {
		f.tellAll(append([]string{p.Chosen, seat.UnknownProgramsWarning(&p.Charter)}, given(p.Topic)...))
		forecast, err := p.Forecast(ctx, a.World)
		if err != nil {
			return err
		}
		return cli.PrintForecast(a, forecast)
	}
	result, err := run.Convene(ctx, a.World, r, p, f)
	if err == nil {
		err = cli.ResultCode(result)
	}
	if err == nil && p.Unasked {
		return cli.ExitCode(cli.ExitNotDecided)
	}
	return err
}

// Plan returns the session that would be held.
func (o *ConveneOptions) Plan(a *cli.Env, ctx context.Context, args []string) (*run.Plan, error) {
	if err := o.complete(a, args); err != nil {
		return nil, err
	}
	return run.NewPlan(ctx, a.World, &o.Request)
}

// complete fills in the request from the flags, the command line and the terminal.
func (o *ConveneOptions) complete(a *cli.Env, args []string) (err error) {
	if o.Reopens == nil {
		if o.Topic, err = cli.ReadTopic(a, args, o.TopicFile, o.Context.Paths); err != nil {
			return err
		}
	}
	if o.Caps, err = o.caps.Caps(); err != nil {
		return err
	}
	if o.Me != "" && !o.Show.Later && !o.DryRun && !(a.Asked() && o.Show.talks()) {
		return site.Refuse("--me gives you a seat, and you cannot be asked here",
			"Convene at a terminal without --json and --quiet, or add --no-wait: the session then waits for council answer.")
	}
	o.Context.Stdin, o.Because, o.Remarks = a.In, a.Settings["model"].From, cli.LeftWords
	o.Convener = o.Me == "" && (o.convener || a.Asked() && o.Show.talks())
	// Where no model is named or available, the rehearsal may answer a person at this terminal who reads so.
	o.Rehearse = a.Asked() && !o.Show.Quiet && !o.Show.json && o.batch == "" && o.Begins == nil
	o.Trust, o.Quiet, o.Confirm = cli.TrustGate(a), o.Show.Quiet, cli.Confirmer(a)
	if o.yes && a.Asked() {
		o.Confirm = func(context.Context, string) (bool, error) { return true, nil }
	}
	return nil
}

// elsewhere says that the record is that of a folder above; "" if it is not.
func elsewhere(s council.Storage) string {
	if site.Place() == "." || s.RootDir != site.Home() {
		return ""
	}
	return "The record is " + filepath.ToSlash(s.RootDir) + ", because this folder has none."
}

// given lists the members' documents, and those left out or cut.
func given(t council.Topic) []string { return append(cli.ContextWords(t), cli.CutWords(t)...) }

// remindedWords counts the records that members are reminded of, or returns "".
func remindedWords(all []council.Reminder) string {
	var own, shared string
	n := 0
	for _, r := range all {
		if r.Member != "" {
			n += len(r.Records)
		} else if len(r.Records) > 0 {
			shared = fmt.Sprintf("%d of the council's", len(r.Records))
		}
	}
	if n > 0 {
		own = fmt.Sprintf("%d of the members' own", n)
	}
	return site.Joined(", ", shared, own)
}

// Board shows the progress of a batch on standard error.
type Board struct {
	*terminal.View
	Progress func() (running []run.Running, took council.Amount)
	All      int
	Began    time.Time

	mu    sync.Mutex
	Ended map[string]int // by their states
	worst int            // exit code
}

// conveneBatch holds the sessions of a file, some at a time. It skips those closed before, and resumes those left open.
func conveneBatch(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) error {
	if len(args) > 0 || o.TopicFile != "" || o.Me != "" || o.convener || o.DryRun || o.Show.json || o.Show.full || o.yes {
		return site.Refuse("--batch takes its topics from the file, asks nobody at this terminal and writes a line of JSON "+
			"for each session", "Leave out the topic, --topic-file, --me, --wait-for-convener, --dry-run, --json, --full "+
			"and --yes.")
	}
	if o.Jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.Jobs),
			"Nothing was begun.")
	}
	lines, err := cli.ReadBatch(a, o.batch)
	if err == nil {
		o.Caps, err = o.caps.Caps()
	}
	if err != nil {
		return err
	}
	v := NewBoard(a, o.Show)
	a.Windows = new(sync.Map) // a thousand sessions ask each server once
	o.Because, o.Remarks, o.Quiet = a.Settings["model"].From, cli.LeftWords, o.Show.Quiet
	o.Trust = cli.TrustGate(a.Alone(io.Discard, a.Signals)) // the person was asked before the first session
	b := &run.Batch{World: a.World, Request: o.Request, Changed: v.Changed}
	defer b.Close()
	todo, err := b.Prepare(ctx, lines, cli.TrustGate(a))
	if err != nil {
		return err
	}
	b.World = a.With(func(w *site.World) { w.Warn = v.Say })
	v.Progress, v.All = b.Progress, len(lines)
	defer v.Begin(nil)()
	ctx, interrupt, release := run.Interrupts(a.World, ctx, nil, v.Say)
	defer release()
	b.Interrupt = interrupt
	b.Run(ctx, todo, o.Jobs, func(r run.BatchResult) { v.report(a, r) })
	if v.worst != cli.ExitOK {
		return cli.ExitCode(v.worst)
	}
	return nil
}

// NewBoard returns a board without progress.
func NewBoard(a *cli.Env, d Display) *Board {
	b := &Board{Began: a.Now(), Ended: map[string]int{}}
	b.View = &terminal.View{Out: a.Errs, Now: a.Now, Colour: cli.UseColours(a, d.Plain)}
	b.Rows = b.rows
	if f, ok := cli.Stream(a.Errs).(*os.File); ok && cli.IsTerminal(f) && a.Getenv("TERM") != "dumb" {
		b.Live = true
		b.Width = func() int { columns, _, _ := term.GetSize(int(f.Fd())); return columns }
		b.Height = func() int { _, rows, _ := term.GetSize(int(f.Fd())); return rows }
	}
	if d.Quiet {
		b.Out, b.Live = io.Discard, false
	}
	return b
}

// rows returns the progress of the batch: sessions that ended, and those that run.
func (b *Board) rows(columns, rows int) []string {
	running, took := b.Progress()
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := []string{fmt.Sprintf("── Batch: %s ──", b.tally())}
	for i, s := range running {
		if more := len(running) - i; i == rows-3 && more > 1 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
			break
		}
		lines = append(lines, fmt.Sprintf("%s · %s · %s", s.Line.Name(), s.Place, b.Now().Sub(s.Since).Round(time.Second)))
	}
	lines = append(lines, fmt.Sprintf("%s · %s · Ctrl-C suspends all", site.PaidSum{Amount: took}.Words(),
		b.Now().Sub(b.Began).Round(time.Second)))
	for i, line := range lines {
		lines[i] = terminal.Rows(line, columns)[0]
	}
	return lines
}

// tally counts the sessions by state. The caller holds mu.
func (b *Board) tally() string {
	ended := 0
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(b.Ended)) {
		ended += b.Ended[state]
		parts = append(parts, fmt.Sprintf("%d %s", b.Ended[state], state))
	}
	return site.Joined("; ", fmt.Sprintf("%d of %s", ended, plural.Things(b.All, "session")), strings.Join(parts, ", "))
}

func (b *Board) report(a *cli.Env, ended run.BatchResult) {
	r := cli.BatchResultOf(ended)
	a.JSON(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Ended[string(r.State)]++
	byBadness := []int{cli.ExitOK, cli.ExitNotDecided, cli.ExitSuspended, cli.ExitUsage, cli.ExitError, cli.ExitDamaged}
	b.worst = byBadness[max(slices.Index(byBadness, r.ExitCode), slices.Index(byBadness, b.worst))]
	if !ended.Before { // else it was shown when it closed
		b.Say("%s: %s (%s)", ended.Line.Name(), site.Joined(". ", string(r.State), r.Error), b.tally())
	}
}
