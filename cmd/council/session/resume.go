package session

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// ResumeOptions are the flags of resume.
type ResumeOptions struct {
	run.Resumption
	ambiguous string
	caps      cli.BudgetFlags
	show      Display
}

// The values of --ambiguous: what becomes of a question that was put before a crash and has no answer on record.
const (
	ambiguousAsk    = "ask"
	ambiguousAbsent = "absent"
)

// NewResume returns the command resume.
func NewResume(a *cli.Env) *cobra.Command {
	o := ResumeOptions{ambiguous: ambiguousAsk, Resumption: run.Resumption{Session: run.Unfinished}}
	cmd := cli.Standalone("resume", func(cmd *cobra.Command, args []string) error {
		if o.ambiguous != ambiguousAsk && o.ambiguous != ambiguousAbsent {
			return site.Refuse("--ambiguous is ask or absent, not "+site.Quote(o.ambiguous),
				"Leave it out to put the questions again.")
		}
		o.Absent = o.ambiguous == ambiguousAbsent
		if len(args) == 1 {
			o.Session = args[0]
		}
		return resume(a, cmd.Context(), o)
	})
	f := cmd.Flags()
	cli.RootFlag(f, &o.Root)
	cli.AddFlags(f, cli.Flags{"adjourn": &o.Adjourn, "ambiguous": &o.ambiguous, "approve-execution": &o.Approve,
		"base-url": (*[]string)(&o.Moves), "trust": &a.Trusting})
	o.caps.AddFlags(f)
	cmd.MarkFlagsMutuallyExclusive("adjourn", "base-url")
	o.show.Flags(f)
	return cmd
}

// resume goes on with a session, and prints how it went.
func resume(a *cli.Env, ctx context.Context, o ResumeOptions) (err error) {
	if err := o.show.Check(a); err != nil {
		return err
	}
	if o.Caps, err = o.caps.Caps(); err != nil {
		return err
	}
	o.Trust = cli.Trust(a)
	result, err := run.Resume(ctx, a.World, &o.Resumption, face{a, o.show})
	if err != nil {
		return err
	}
	return cli.ResultCode(result)
}
