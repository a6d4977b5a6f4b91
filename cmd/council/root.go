package main

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const long = `council convenes language-model members with different roles. They seal positions, elect a leader, debate in
rounds, move and second motions, vote by blind ballot, and review the document that the leader drafts.

Everything is recorded as it happens under .council/sessions/: the transcript to read, the document, and
execution-handoff.json for the tool that carries the decision out.

Exit codes: 0 decided (and approved, where a document was asked for) · 1 error · 2 wrong use ·
3 not decided, not approved, or fsck found something · 4 suspended, can be resumed · 5 the record is damaged`

// run carries out one command line and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.newRoot()
	root.SetArgs(args)
	return a.report(plainFlags(root.ExecuteContext(ctx)))
}

// notBlank refuses flags that were given without a value: what they stand for must not be taken as not asked for, least
// of all where the command would then do the opposite.
func notBlank(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return usage(cmd, errors.New("--"+name+" was given without a value"))
		}
	}
	return nil
}

// bothGiven matches what the flag library says of flags that exclude each other.
var bothGiven = regexp.MustCompile(`^if any flags in the group .* \[(\S+) (.+)\] were all set$`)

// plainFlags says in plain words what the flag library says in its own.
func plainFlags(err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		kind := map[string]string{"int64": "a whole number", "float64": "a number", "bool": "true or false"}[value.GetFlag().Value.Type()]
		return &usageError{"--" + value.GetFlag().Name + " is " + kind + ", not " + quote(value.GetValue()), "Nothing was done."}
	}
	if err == nil {
		return nil
	}
	if both := bothGiven.FindStringSubmatch(err.Error()); both != nil {
		return &usageError{"--" + both[1] + " and --" + strings.ReplaceAll(both[2], " ", " and --") + " exclude each other", "Leave one of them out."}
	}
	return err
}

func (a *app) newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "council",
		Short:         "Let a council of models deliberate, and keep the record",
		Long:          long,
		Args:          noArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if value := new(pflag.InvalidValueError); errors.As(err, &value) { // plainFlags says it better
			return err
		}
		return usage(cmd, err)
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.newConvene(), a.newResume(), a.newSessions(), a.newShow(), a.newApprove(),
		a.newSchema(), a.newInit(), a.newVersion())
	root.AddCommand(a.desk().Commands()...)
	return root
}

// noArgs and atMostOne refuse what a command does not take, as wrong use.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		return usage(cmd, errors.New("there is no command "+quote(args[0])))
	}
	return usage(cmd, errors.New(cmd.Name()+" takes no argument, but got "+quote(args[0])))
}

func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(cmd, errors.New(cmd.Name()+" takes one argument, but got "+quote(args[1])+" too; quote what has spaces"))
	}
	return nil
}
