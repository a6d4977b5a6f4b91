package session

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// ResumeOptions are the flags of resume.
type ResumeOptions struct {
	run.Resumption
	ambiguous string
	without   []string
	caps      cli.BudgetFlags
	show      Display
}

// The values of --ambiguous: how to treat a question that was put before a crash and has no recorded answer.
const (
	ambiguousAsk    = "ask"
	ambiguousAbsent = "absent"
)

// NewResume returns the command resume.
func NewResume(a *cli.Env) *cobra.Command {
	o := ResumeOptions{Resumption: run.Resumption{Session: run.Unfinished}}
	cmd := &cobra.Command{Use: "resume [SESSION]", Short: "Go on with a session that was suspended or cut off",
		Long: `
resume goes on with a session where it stopped. What members answered before is not asked, and not paid, again.
Without SESSION it takes the latest session that is not closed.`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			if o.ambiguous != ambiguousAsk && o.ambiguous != ambiguousAbsent {
				return site.Refuse("--ambiguous is ask or absent, not "+site.Quote(o.ambiguous),
					"Leave it out to put the questions again.")
			}
			o.Absent = o.ambiguous == ambiguousAbsent
			for _, m := range o.without {
				o.Without = append(o.Without, council.MemberID(m))
			}
			if len(args) == 1 {
				o.Session = args[0]
			}
			return resume(a, cmd.Context(), o)
		}}
	f := cmd.Flags()
	cli.RootFlag(f, &o.Root)
	f.StringVar(&o.Adjourn, "adjourn", "", "do not go on: close the session as it stands, for this reason")
	f.StringVar(&o.ambiguous, "ambiguous", ambiguousAsk,
		"questions that were put before a crash and not answered: ask puts them again, absent goes on without")
	f.BoolVar(&o.Approve, "approve-execution", false,
		"approve in advance an execution brief that members vote on with the document")
	f.StringArrayVar((*[]string)(&o.Moves), "base-url", nil,
		"MEMBER=URL: the server of a member is at another address from now on; as often as needed")
	f.StringArrayVar(&o.without, "without", nil,
		"MEMBER: go on without the member, which is asked nothing more; as often as needed")
	cli.TrustFlag(f, a)
	o.caps.AddFlags(f, "the whole session")
	cmd.MarkFlagsMutuallyExclusive("adjourn", "base-url")
	cmd.MarkFlagsMutuallyExclusive("adjourn", "without")
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
	o.Trust = cli.TrustGate(a)
	result, err := run.Resume(ctx, a.World, &o.Resumption, face{a, o.show})
	if err != nil {
		return err
	}
	return cli.ResultCode(result)
}
