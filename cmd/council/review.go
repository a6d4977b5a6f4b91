package main

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
)

type reviewOptions struct {
	reject, revise string
	again          conveneOptions // of the session that revises
}

func (a *app) newReview() *cobra.Command {
	var o reviewOptions
	cmd := a.sessionVerb(described("review", cli.AtMostOne), "",
		func(c *command, id council.SessionID) error { return a.review(c.ctx, o, c.root, id) })
	f := cmd.Flags()
	f.StringVar(&o.reject, "reject", "", "reject the execution brief, for this reason")
	f.StringVar(&o.revise, "revise", "", "send the document back, for this reason: members are told it")
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

// review shows what a session came to and carries out what the person decides. The rulings are those of approve.
func (a *app) review(ctx context.Context, o reviewOptions, root *recorder.Root, id council.SessionID) error {
	switch {
	case o.revise != "":
		return a.takeUp(ctx, o.again, root, id, o.revise, true)
	case o.reject != "":
		return a.approve(ctx, approveOptions{reject: o.reject}, root, id)
	}
	if err := a.intact(root, id); err != nil {
		return err
	}
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
	m := &approval{told: render.Minutes(entries)}
	if m.session, err = replay(root, id); err != nil {
		return err
	}
	if m.session.Ready().Outcome == nil {
		return notClosed(root, id, "review")
	}
	brief, sum := m.session.Brief()
	h := m.session.Handoff()
	if brief != nil {
		m.brief, m.sha, m.rejected = *brief, sum, h.RejectionOf(sum)
	}
	a.tellApproval(m, "head", "drafts", "brief")
	a.tellSuccessors(root, id)
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
			a.Say("To %s: %s", c.Word, cli.CommandLine(root, map[string]string{
				reviewApprove: "council approve " + root.Short(id) + " --yes --sha256 " + sum,
				reviewReject:  "council review " + root.Short(id) + ` --reject "why"`,
				reviewRevise:  "council review " + root.Short(id) + ` --revise "what must change"`,
			}[c.Word]))
		}
		return nil
	}
	word, why, err := a.askReview(ctx, append(may, terminal.Choice{Word: reviewLeave, Means: "leave it as it is"}))
	switch {
	case errors.Is(err, member.ErrLater) || err == nil && word == reviewLeave:
		a.Say("Nothing was changed.")
		return nil
	case err != nil:
		return err
	case word == reviewApprove:
		return a.approve(ctx, approveOptions{yes: true, sha: sum, despite: true, read: true}, root, id)
	case word == reviewReject:
		return a.approve(ctx, approveOptions{sha: sum, reject: why, read: true}, root, id)
	}
	return a.takeUp(ctx, o.again, root, id, why, true)
}

// askReview asks at the terminal what is to be done, and why.
func (a *app) askReview(ctx context.Context, may []terminal.Choice) (word, why string, err error) {
	talk, leave := a.dialogue()
	defer leave()
	word, err = talk.Choose(ctx, "What do you want?", may...)
	if err != nil || word == reviewApprove || word == reviewLeave {
		return word, "", err
	}
	why, err = talk.Line(ctx, map[string]string{reviewReject: "Why do you reject it?",
		reviewRevise: "What must change? Members are told this:"}[word])
	return word, why, err
}
