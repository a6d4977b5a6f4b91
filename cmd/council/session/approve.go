package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
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
		return approveBrief(c, o, id)
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

func approveBrief(c *cli.Command, o approveOptions, id council.SessionID) error {
	a, ctx, root := c.Env, c.Ctx, c.Root
	if o.amend != "" {
		doc, err := cli.ReadInput(a, "the brief cannot be read", o.amend, 1<<20)
		if err == nil {
			o.Amend, err = run.ParseBrief(doc, o.amend)
		}
		if err != nil {
			return err
		}
	}
	r, err := run.ReadBrief(a.World, root, id, o.Verdict)
	if err == nil && !o.show {
		switch err = r.Check(a.World, o.Verdict); {
		case err != nil:
		case o.yes:
			err = r.CheckRejection(o.Verdict)
		case !a.Asked() && o.Approves():
			command := func(flags string) string {
				return site.CommandLine(root, "council approve "+root.Short(id)+" "+flags)
			}
			err = site.Refuse("cannot prompt: not a terminal (use --yes)",
				"Read the brief: "+command("--show")+"\nThen approve exactly that brief: "+command("--yes --sha256 SUM"))
		}
	}
	if err != nil {
		return err
	}
	if !o.read {
		fmt.Fprint(a.Out, cli.ReviewText(a, r, "head", "brief"))
		a.WarnAll(c.Workspace.Later(id))
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

// NewReopen returns the command reopen.
func NewReopen(a *cli.Env) *cobra.Command {
	var o ConveneOptions
	var because string
	cmd := cli.SessionVerb(a,
		&cobra.Command{Use: "reopen [SESSION]", Short: "Convene anew on what a closed session decided",
			Long: `
reopen convenes the council of a closed session once more, on the same topic and with the same charter. Members are told
what was decided, with which vote, and why you take it up again. They are given the documents of that session, and its
record as one more. What was decided stands until they decide otherwise; then memory has the new decision in its place.
The old session stays as it is.

To have a document revised, send it back: council review SESSION --revise "what must change".`,
			Example: `  council reopen latest --because "The licence has changed since." --context docs/licence.md
  council reopen latest --because "Look at the costs again." --pace quick --dry-run`,
		}, func(c *cli.Command, id council.SessionID) error { return takeUp(c, o, id, because, false) })
	cmd.Flags().StringVar(&because, "because", "", "why the session is taken up again: members are told this")
	o.again(cmd)
	o.addYes(cmd.Flags())
	return cmd
}

// again adds the flags of convene that a session has which takes up another.
func (o *ConveneOptions) again(cmd *cobra.Command) {
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Choice, "model", "pace")
	cli.ContextFlags(f, &o.Context)
	f.BoolVar(&o.DryRun, "dry-run", false, "say what the new session may take and cost, ask nobody and write nothing")
	o.caps.AddFlags(f, "the whole session")
	o.addID(f)
	o.Show.Flags(f)
}

// takeUp convenes anew from where a closed session ended; revise sends its document back.
func takeUp(c *cli.Command, o ConveneOptions, id council.SessionID, because string, revise bool) (err error) {
	if o.Reopens, err = c.Workspace.Reopen(id, because, revise, terminal.Since); err != nil {
		return err
	}
	return Convene(c.Env, c.Ctx, o, nil)
}

// NewReview returns the command review.
func NewReview(a *cli.Env) *cobra.Command {
	var reject, revise string
	var again ConveneOptions // of the session that revises
	cmd := cli.SessionVerb(a, &cobra.Command{Use: "review [SESSION]",
		Short: "Read what a closed session came to, and approve it, reject it or send it back",
		Long: `
review shows what the council decided and with which vote, the document with what stood in the way of its approval and
what the leader answered, the dissents and the execution brief. At a terminal it then asks what you want: to approve the
brief or to reject it, as council approve does, to send the document back, or nothing.

--revise sends the document back: the council convenes anew, as with council reopen, and is given the document, what was
left unanswered and your reason. The old session stays as it is.`,
		Example: `  council review
  council review --reject "too risky"
  council review latest --revise "Say what the move costs." --context docs/costs.md`,
	}, func(c *cli.Command, id council.SessionID) error {
		root := c.Root
		switch {
		case revise != "":
			return takeUp(c, again, id, revise, true)
		case reject != "":
			return approveBrief(c, approveOptions{Verdict: run.Verdict{Reject: reject}}, id)
		}
		r, err := c.Workspace.Review(string(id))
		if err != nil {
			return err
		}
		fmt.Fprint(a.Out, cli.ReviewText(a, r, "head", "drafts", "brief"))
		a.WarnAll(c.Workspace.Later(id))
		status := r.Session.Handoff().Status
		var may []terminal.Choice
		if r.Brief != nil && (status == council.ExecutionAwaitingApproval || status == council.ExecutionRefused) {
			may = append(may, terminal.Choice{Word: reviewApprove, Means: "approve exactly this brief"})
			if status == council.ExecutionAwaitingApproval {
				may = append(may, terminal.Choice{Word: reviewReject, Means: "reject the brief, and say why"})
			}
		}
		if draft := r.Minutes.FinalDraft(); draft != nil && !draft.Erased {
			may = append(may, terminal.Choice{Word: reviewRevise, Means: "send the document back: the council convenes anew"})
		}
		fmt.Fprintln(a.Out)
		if !a.Asked() || len(may) == 0 {
			for _, act := range may {
				a.Say("To %s: %s", act.Word, site.CommandLine(root, map[string]string{
					reviewApprove: "council approve " + root.Short(id) + " --yes --sha256 " + r.SHA256,
					reviewReject:  "council review " + root.Short(id) + ` --reject "why"`,
					reviewRevise:  "council review " + root.Short(id) + ` --revise "what must change"`,
				}[act.Word]))
			}
			return nil
		}
		word, why, err := askReview(a, c.Ctx, append(may, terminal.Choice{Word: reviewLeave, Means: "leave it as it is"}))
		switch {
		case errors.Is(err, member.ErrLater) || err == nil && word == reviewLeave:
			a.Say("Nothing was changed.")
			return nil
		case err != nil:
			return err
		case word == reviewApprove:
			v := run.Verdict{SHA256: r.SHA256, Despite: true}
			return approveBrief(c, approveOptions{Verdict: v, yes: true, read: true}, id)
		case word == reviewReject:
			return approveBrief(c, approveOptions{Verdict: run.Verdict{SHA256: r.SHA256, Reject: why}, read: true}, id)
		}
		return takeUp(c, again, id, why, true)
	})
	f := cmd.Flags()
	f.StringVar(&reject, "reject", "", "reject the execution brief, for this reason")
	f.StringVar(&revise, "revise", "", "send the document back, for this reason: members are told it")
	again.again(cmd)
	cmd.MarkFlagsMutuallyExclusive("reject", "revise")
	return cmd
}

// The answers to a review.
const (
	reviewApprove = "approve"
	reviewReject  = "reject"
	reviewRevise  = "revise"
	reviewLeave   = "nothing"
)

func askReview(a *cli.Env, ctx context.Context, may []terminal.Choice) (word, why string, err error) {
	talk, leave := startDialogue(a)
	defer leave()
	word, err = talk.Choose(ctx, "What do you want?", may...)
	question := map[string]string{reviewReject: "Why do you reject it?",
		reviewRevise: "What must change? Members are told this:"}[word]
	if err == nil && question != "" {
		why, err = talk.Line(ctx, question)
	}
	return word, why, err
}
