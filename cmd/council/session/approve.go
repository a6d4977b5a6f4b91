package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

type approveOptions struct {
	run.Verdict
	show  bool
	read  bool // the person has just read it, in a review
	yes   bool
	amend string // the file of the brief
}

// NewApprove returns the command approve.
func NewApprove(a *cli.Env) *cobra.Command {
	var o approveOptions
	cmd := cli.SessionVerb(a, &cobra.Command{Use: "approve [SESSION]",
		Short: "Approve the execution brief of a closed session, or reject it",
		Long: `
approve verifies a session (the latest, unless one is named) as council verify does. It shows what the council decided
and with which vote, what is unmet, and the execution brief, asks whether you approve, and records your approval of
exactly that brief, by its SHA-256. A brief that is amended has to be approved again.

Without a terminal there is nobody to ask: read the brief with --show, then approve it with --yes --sha256 SUM. A brief
that was rejected is approved only if you say so: when you are asked, or with --despite-rejection.

The tool that carries the brief out reports back with --started and --finished.`,
		Example: `  council approve                       show the brief of the latest session, and ask
  council approve --show                only show it
  council approve --yes --sha256 SUM    approve without a terminal
  council approve --amend brief.json    replace the brief first, then approve it
  council approve --reject "too risky"`,
	}, func(c *cli.Command, id council.SessionID) error {
		if o.yes && o.SHA256 == "" {
			return cli.Usage(c.Cmd, errors.New("--yes needs the SHA-256 of the brief that you have read: --yes --sha256 SUM"))
		}
		return approveBrief(a, c.Ctx, o, c.Root, id)
	})
	f := cmd.Flags()
	f.BoolVar(&o.show, "show", false, "show the decision, what is unmet and the brief, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask; needs --sha256")
	f.StringVar(&o.SHA256, "sha256", "", "approve only if this is the brief's SHA-256")
	f.BoolVar(&o.Despite, "despite-rejection", false, "approve the brief though somebody rejected it")
	f.StringVar(&o.Note, "note", "", "note to keep with the approval, or with --finished")
	f.StringVar(&o.amend, "amend", "", "replace the brief by this JSON file before approving it")
	f.StringVar(&o.Reject, "reject", "", "reject the brief, for this reason")
	f.BoolVar(&o.Started, "started", false, "record that the brief is being carried out")
	f.StringVar(&o.Finished, "finished", "", "record how that ended: ok or failed")
	cmd.MarkFlagsMutuallyExclusive("amend", "reject", "started", "finished")
	for _, other := range []string{"reject", "started", "finished"} {
		cmd.MarkFlagsMutuallyExclusive("show", other)
		cmd.MarkFlagsMutuallyExclusive("yes", other)
	}
	cmd.MarkFlagsMutuallyExclusive("show", "yes")
	return cmd
}

func approveBrief(a *cli.Env, ctx context.Context, o approveOptions, root *recorder.Root, id council.SessionID) error {
	if o.amend != "" {
		doc, err := cli.ReadInput(a, "the brief cannot be read", o.amend, maxBrief)
		if err == nil {
			o.Amend, err = run.ParseBrief(doc, o.amend)
		}
		if err != nil {
			return err
		}
	}
	r, err := run.ReadBrief(a.World, root, id, o.Verdict)
	if err == nil && !o.show {
		if err = r.Check(a.World, o.Verdict); err == nil {
			err = mayApprove(a, o, r)
		}
	}
	if err != nil {
		return err
	}
	if !o.read {
		fmt.Fprint(a.Out, cli.ReviewText(a, r, "head", "brief"))
		cli.WarnSuccessors(a, root, id)
	}
	if o.show {
		return nil
	}
	if o.Approves() && !o.yes {
		question := "Approve this brief?"
		if r.CheckRejection(o.Verdict) != nil {
			question = "Approve it all the same?"
		}
		if yes, _ := a.ConfirmOn(ctx, a.Out, "\n"+question); !yes {
			fmt.Fprintln(a.Out, "Not approved. Nothing was changed.")
			return cli.ErrFindings
		}
		o.Despite = true
	}
	status, err := r.Rule(ctx, a.World, o.Verdict)
	if status != "" {
		fmt.Fprintf(a.Out, "\nSession %s: execution %s.\n", root.Short(id), status.Words())
	}
	return err
}

// mayApprove refuses an approval that the flags do not give when there is no terminal to ask at.
func mayApprove(a *cli.Env, o approveOptions, r *run.Review) error {
	if o.yes || a.Asked() || !o.Approves() {
		if o.yes {
			return r.CheckRejection(o.Verdict)
		}
		return nil
	}
	command := func(flags string) string {
		return site.CommandLine(r.Root, "council approve "+r.Root.Short(r.Session.ID())+" "+flags)
	}
	return site.Refuse("cannot prompt: not a terminal (use --yes)",
		"Read the brief: "+command("--show")+"\nThen approve exactly that brief: "+command("--yes --sha256 SUM"))
}

// maxBrief bounds a brief that is read from a file, in bytes.
const maxBrief = 1 << 20
