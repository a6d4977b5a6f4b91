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
	"github.com/council-engine/council/workspace/doctor"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type doctorOptions struct {
	charter seat.Choice
	context seat.Context
	offline bool
	strict  bool
	json    bool
}

// NewDoctor returns the command doctor.
func NewDoctor(a *cli.Env) *cobra.Command {
	var o doctorOptions
	cmd := cli.Standalone("doctor", func(cmd *cobra.Command, _ []string) error {
		return examineMembers(a, cmd.Context(),
			o)
	})
	f := cmd.Flags()
	cli.CharterFlags(f, &o.charter, "config", "council", "model", "root")
	cli.ContextFlags(f, &o.context)
	cli.AddFlags(f, cli.Flags{"offline": &o.offline, "strict": &o.strict, "json": &o.json, "trust": &a.Trusting})
	return cmd
}

// examineMembers reads the council that is to be examined, and what its members would be given.
func examineMembers(a *cli.Env, ctx context.Context, o doctorOptions) error {
	of := doctor.Case{Offline: o.offline, Strict: o.strict}
	err := readCase(a, ctx, o, &of)
	if problems, ok := errors.AsType[config.Problems](err); ok {
		return printReport(a, doctor.Unreadable(problems), o.json)
	}
	if err == nil {
		err = o.context.Load(ctx, a.In, &of.Topic)
	}
	if err != nil {
		return err
	}
	ctx, release := a.Stoppable(ctx)
	defer release()
	report, err := doctor.For(a.World, of.Charter.Storage.RootDir).Examine(ctx, of)
	if err != nil {
		return err
	}
	return printReport(a, report, o.json)
}

// printReport prints a report for people or programs. Its error wraps [cli.ErrFindings] where the report fails.
func printReport(a *cli.Env, r *doctor.Report, asJSON bool) error {
	if asJSON {
		for _, line := range r.Lines() {
			a.JSON(line)
		}
	} else {
		fmt.Fprint(a.Out, terminal.Tell("examination", r))
	}
	if r.Fails() {
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

// readCase reads the charter and gives members without a model one. Offline it asks no server.
func readCase(a *cli.Env, ctx context.Context, o doctorOptions, of *doctor.Case) error {
	read, err := seat.ReadCouncilAtPace(a.World, o.charter)
	if err != nil {
		return err
	}
	of.Charter, of.From = read.Charter, read.From
	model, unnamed := o.charter.Model, o.charter.Model == "" && seat.Misses(&of.Charter)
	if o.offline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel() // no server is asked which models it has
	}
	of.Chosen, err = seat.PickModels(a.World, ctx, &of.Charter, model, a.Settings["model"].From, true)
	if o.offline && errors.Is(err, context.Canceled) {
		return site.Refuse("with --offline no server is asked which models it has",
			"Name one after a slash: --model "+strings.TrimSuffix(model, "/")+"/NAME")
	}
	if o.offline && unnamed && slices.ContainsFunc(of.Charter.Members,
		func(m council.Member) bool { return m.Model.Kind().Rehearse }) {
		of.Chosen = "Members: no key is set, and with --offline no Ollama server was looked for."
	}
	if err == nil && !o.offline {
		err = cli.PassTrust(a, ctx, read.ByFile, &of.Charter, false)
	}
	return err
}
