package main

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/chronicles"
	"github.com/council-engine/council/cmd/council/councils"
	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/proof"
	"github.com/council-engine/council/cmd/council/reading"
	"github.com/council-engine/council/cmd/council/trust"
	"github.com/council-engine/council/internal/breakdown"
)

const long = `council convenes language-model members with different roles. They seal positions, elect a leader, debate in
rounds, move and second motions, vote by blind ballot, and review the document that the leader drafts.

Everything is recorded as it happens under .council/sessions/: the transcript to read, the document, and
execution-handoff.json for the tool that carries the decision out.

Exit codes: 0 decided (and approved, where a document was asked for) · 1 error · 2 usage error ·
3 not decided, not approved, or fsck or doctor found something · 4 suspended, can be resumed · 5 the record is damaged`

// run carries out one command line and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	out := &output{Writer: a.stdout}
	a.stdout = out
	defer func() { a.stdout = out.Writer }()
	root := a.newRoot()
	root.SetArgs(args)
	return a.report(out.unshown(plainFlags(execute(ctx, root))))
}

func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer breakdown.Catch(&err)
	return root.ExecuteContext(ctx)
}

// bothGiven matches what the flag library says of flags that exclude each other.
var bothGiven = regexp.MustCompile(`^if any flags in the group .* \[(\S+) (.+)\] were all set$`)

// plainFlags says in plain words what the flag library says in its own.
func plainFlags(err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		kind := map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number", "duration": "a time such as 30m", "bool": "true or false"}[value.GetFlag().Value.Type()]
		return desk.Refuse("--"+value.GetFlag().Name+" is "+kind+", not "+desk.Quote(value.GetValue()), "Nothing was done.")
	}
	if err == nil {
		return nil
	}
	if both := bothGiven.FindStringSubmatch(err.Error()); both != nil {
		return desk.Refuse("--"+both[1]+" and --"+strings.ReplaceAll(both[2], " ", " and --")+" exclude each other", "Leave one of them out.")
	}
	return err
}

func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "council",
		Short:         "Let a council of models deliberate, and keep the record",
		Long:          long,
		Version:       desk.Version(),
		Args:          desk.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return desk.GoHome(cmd) },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if value := new(pflag.InvalidValueError); errors.As(err, &value) { // plainFlags says it better
			return err
		}
		return desk.Usage(cmd, err)
	})
	root.SetVersionTemplate("{{.Version}}")
	root.SetHelpCommand(desk.Help())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.newConvene(), a.newResume(), desk.VersionCommand(a.stdout), a.doctor().Command())
	root.AddCommand(reading.Desk{Desk: a.desk()}.Commands()...)
	root.AddCommand(councils.Desk{Desk: a.desk(), Trust: a.gate().Keep}.Commands()...)
	root.AddCommand(proof.Desk{Desk: a.desk()}.Commands()...)
	root.AddCommand(chronicles.Desk{Desk: a.desk()}.Commands()...)
	root.AddCommand(a.memories().Command(), a.recalls().Command(), a.answers().Command(), a.approvals().Command(), a.onboarding().Command(), a.evaluating().Command())
	for _, cmd := range root.Commands() {
		if slices.Contains(trust.Verbs, cmd.Name()) {
			cmd.Flags().BoolVar(&a.trusting, "trust", a.trusting,
				"trust the programs, servers and folders that the configuration names, in this folder from now on")
		}
	}
	return root
}
