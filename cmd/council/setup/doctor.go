package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type doctorOptions struct {
	doctor.Case
	choice  seat.Choice
	context documents.Request
	json    bool
}

// NewDoctor returns the command doctor.
func NewDoctor(a *cli.Env) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{Use: "doctor", Short: "Name what is wrong with a council before anything is paid for it",
		Long: `
doctor looks at a council as convene would seat it, and names each thing that would stop it, each that would cost, and
what is worth knowing: the configuration, the phases and votes, keys and addresses, the first prompt against budget and
context, the disk, locks, unfinished sessions and memory.

Then it asks each different model one short question, as a leader is asked, since any member may be elected: that
shows whether the server is reached, the key accepted, the model there and the form of replies kept, whether it
streams, and how fast it is. A question takes about 1,000 tokens; where a server refuses a part of it, it is put again
without. Lists of models are read too, which costs nothing. Servers of tools are started or reached, and asked which
tools they have; no tool is called. With --offline nothing is started, and no call is made at all.

Exit codes: 0 the council can convene, perhaps with warnings · 3 something would stop it, or, with --strict, cost.`,
		Example: `  council doctor
  council doctor --context docs/queue.md --diff main --offline
  council doctor --council security --model openai/gpt-5.4 --json`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, _ []string) error { return examineMembers(a, cmd.Context(), o) }}
	f := cmd.Flags()
	cli.CharterFlags(f, &o.choice, "config", "council", "model", "root")
	cli.ContextFlags(f, &o.context)
	f.BoolVar(&o.Offline, "offline", false, "make no call")
	f.BoolVar(&o.Strict, "strict", false, "exit with 3 also where something would cost money, time, votes or secrecy")
	f.BoolVar(&o.json, "json", false, "one JSON object a line: each model that was asked, each finding, and the end")
	cli.TrustFlag(f, a)
	return cmd
}

func examineMembers(a *cli.Env, ctx context.Context, o doctorOptions) error {
	err := o.readCase(a, ctx)
	if problems, ok := errors.AsType[config.Problems](err); ok {
		return printReport(a, doctor.Unreadable(problems), o.json)
	}
	if err == nil {
		o.context.Stdin = a.In
		o.Topic.Documents, o.Topic.Skipped, err = documents.Load(ctx, o.context)
	}
	if err != nil {
		return err
	}
	ctx, release := a.Stoppable(ctx)
	defer release()
	report, err := workspace.Examine(ctx, workspace.Options{World: a.World}, o.Case)
	if err != nil {
		return err
	}
	return printReport(a, report, o.json)
}

// printReport prints a report for people or programs. Its error is [cli.ErrFindings] where the report fails.
func printReport(a *cli.Env, r *doctor.Report, asJSON bool) error {
	if asJSON {
		for _, line := range r.Lines() {
			a.JSON(line)
		}
	} else {
		fmt.Fprint(a.Out, terminal.Tell("examination", r))
	}
	if r.Fails() {
		return cli.ErrFindings
	}
	return nil
}

// readCase reads the charter and gives members without a model one. Offline it asks no server.
func (o *doctorOptions) readCase(a *cli.Env, ctx context.Context) error {
	read, err := seat.ReadCouncilAtPace(a.World, o.choice)
	if err != nil {
		return err
	}
	o.Charter, o.From = read.Charter, read.From
	models, unnamed := o.choice.Models, len(o.choice.Models) == 0 && seat.MissesModel(&o.Charter)
	if o.Offline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel() // no server is asked which models it has
	}
	o.Chosen, err = seat.PickModels(a.World, ctx, &o.Charter, seat.ModelChoice{Models: models,
		Because: a.Settings["model"].From, Rehearse: true, Confirm: cli.Confirmer(a)})
	if o.Offline && errors.Is(err, context.Canceled) {
		return site.Refuse("with --offline no server is asked which models it has",
			"Name one after a slash: --model "+strings.TrimSuffix(models[0], "/")+"/NAME")
	}
	if o.Offline && unnamed && slices.ContainsFunc(o.Charter.Members,
		func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		o.Chosen = "Members: no key is set, and with --offline no Ollama server was looked for."
	}
	if err == nil && !o.Offline {
		err = cli.TrustGate(a).Pass(ctx, read.ByFile, &o.Charter)
	}
	return err
}
