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
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// NewReopen returns the command reopen.
func NewReopen(a *cli.Env) *cobra.Command {
	var o ConveneOptions
	var because string
	cmd := cli.SessionVerb(a, "reopen", func(c *cli.Command, id council.SessionID) error {
		return takeUp(a, c.Ctx, o, c.Root, id, because, false)
	})
	cli.AddFlags(cmd.Flags(), cli.Flags{"because": &because})
	o.again(cmd)
	return cmd
}

// again adds the flags of convene that a session has which takes up another.
func (o *ConveneOptions) again(cmd *cobra.Command) {
	f := cmd.Flags()
	cli.CharterFlags(f, &o.Choice, "model", "pace")
	cli.ContextFlags(f, &o.Context)
	cli.AddFlags(f, cli.Flags{"dry-run": &o.DryRun})
	o.caps.AddFlags(f)
	o.Show.Flags(f)
}

// takeUp convenes anew from where a closed session ended; revise sends its document back.
func takeUp(a *cli.Env, ctx context.Context, o ConveneOptions, root *recorder.Root, id council.SessionID,
	because string, revise bool) (err error) {
	if o.Reopens, err = run.Reopen(a.World, root, id, because, revise, terminal.Since); err != nil {
		return err
	}
	return Convene(a, ctx, o, nil)
}

type reviewOptions struct {
	reject, revise string
	again          ConveneOptions // of the session that revises
}

// NewReview returns the command review.
func NewReview(a *cli.Env) *cobra.Command {
	var o reviewOptions
	cmd := cli.SessionVerb(a, "review", func(c *cli.Command, id council.SessionID) error {
		return reviewSession(a, c.Ctx, o,
			c.Root, id)
	})
	f := cmd.Flags()
	cli.AddFlags(f, cli.Flags{"reject": &o.reject, "revise": &o.revise})
	o.again.again(cmd)
	cmd.MarkFlagsMutuallyExclusive("reject", "revise")
	return cmd
}

// What a person may answer to what was reviewed.
const (
	reviewApprove = "approve"
	reviewReject  = "reject"
	reviewRevise  = "revise"
	reviewLeave   = "nothing"
)

// reviewSession shows what a session came to and carries out what the person decides. The rulings are those of approve.
func reviewSession(a *cli.Env, ctx context.Context, o reviewOptions, root *recorder.Root, id council.SessionID) error {
	switch {
	case o.revise != "":
		return takeUp(a, ctx, o.again, root, id, o.revise, true)
	case o.reject != "":
		return approveBrief(a, ctx, approveOptions{reject: o.reject}, root, id)
	}
	if err := site.CheckIntact(a.World, root, id); err != nil {
		return err
	}
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
	m := &approval{told: render.Minutes(entries)}
	if m.session, err = site.Replay(root, id); err != nil {
		return err
	}
	if m.session.Ready().Outcome == nil {
		return run.NotClosed(root, id, "review")
	}
	brief, sum := m.session.Brief()
	h := m.session.Handoff()
	if brief != nil {
		m.brief, m.sha, m.rejected = *brief, sum, h.RejectionOf(sum)
	}
	tellApproval(a, m, "head", "drafts", "brief")
	cli.WarnSuccessors(a, root, id)
	var may []terminal.Choice
	if brief != nil && (h.Status == council.ExecutionAwaitingApproval || h.Status == council.ExecutionRefused) {
		may = append(may, terminal.Choice{Word: reviewApprove, Means: "approve exactly this brief"})
		if h.Status == council.ExecutionAwaitingApproval {
			may = append(may, terminal.Choice{Word: reviewReject, Means: "reject the brief, and say why"})
		}
	}
	if draft := m.told.FinalDraft(); draft != nil && !draft.Erased {
		may = append(may, terminal.Choice{Word: reviewRevise, Means: "send the document back: the council convenes anew"})
	}
	fmt.Fprintln(a.Out)
	if !a.Asked() || len(may) == 0 {
		for _, c := range may {
			a.Say("To %s: %s", c.Word, site.CommandLine(root, map[string]string{
				reviewApprove: "council approve " + root.Short(id) + " --yes --sha256 " + sum,
				reviewReject:  "council review " + root.Short(id) + ` --reject "why"`,
				reviewRevise:  "council review " + root.Short(id) + ` --revise "what must change"`,
			}[c.Word]))
		}
		return nil
	}
	word, why, err := askReview(a, ctx, append(may, terminal.Choice{Word: reviewLeave, Means: "leave it as it is"}))
	switch {
	case errors.Is(err, member.ErrLater) || err == nil && word == reviewLeave:
		a.Say("Nothing was changed.")
		return nil
	case err != nil:
		return err
	case word == reviewApprove:
		return approveBrief(a, ctx, approveOptions{yes: true, sha: sum, despite: true, read: true}, root, id)
	case word == reviewReject:
		return approveBrief(a, ctx, approveOptions{sha: sum, reject: why, read: true}, root, id)
	}
	return takeUp(a, ctx, o.again, root, id, why, true)
}

// askReview asks at the terminal what is to be done, and why.
func askReview(a *cli.Env, ctx context.Context, may []terminal.Choice) (word, why string, err error) {
	talk, leave := startDialogue(a)
	defer leave()
	word, err = talk.Choose(ctx, "What do you want?", may...)
	if err != nil || word == reviewApprove || word == reviewLeave {
		return word, "", err
	}
	why, err = talk.Line(ctx, map[string]string{reviewReject: "Why do you reject it?",
		reviewRevise: "What must change? Members are told this:"}[word])
	return word, why, err
}
