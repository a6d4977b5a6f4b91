package approving

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/proof"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// options are the flags of approve.
type options struct {
	root     string
	sha      string
	note     string
	amend    string
	reject   string
	started  bool
	finished string
}

// Command is council approve.
func (d Desk) Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "approve [SESSION]",
		Short: "Approve the execution brief of a closed session, or reject it",
		Long: `approve prints the execution brief of a session (the latest, unless one is named) and records your approval of
exactly that brief, by its SHA-256. A brief that is amended has to be approved again.

The tool that carries the brief out reports back with --started and --finished.`,
		Example: `  council approve                       approve the brief of the latest session
  council approve --amend brief.json    replace the brief first, then approve it
  council approve --reject "too risky"`,
		Args: desk.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := desk.NotBlank(cmd, "amend", "reject", "finished", "sha256"); err != nil {
				return err
			}
			return d.InSession(o.root, args, func(root *recorder.Root, id council.SessionID) error {
				return d.approve(cmd.Context(), o, root, id)
			})
		},
	}
	f := cmd.Flags()
	desk.RootFlag(f, &o.root)
	f.StringVar(&o.sha, "sha256", "", "approve only if this is the brief's SHA-256")
	f.StringVar(&o.note, "note", "", "note to keep with the approval, or with --finished")
	f.StringVar(&o.amend, "amend", "", "replace the brief by this JSON file before approving it")
	f.StringVar(&o.reject, "reject", "", "reject the brief, for this reason")
	f.BoolVar(&o.started, "started", false, "record that the brief is being carried out")
	f.StringVar(&o.finished, "finished", "", "record how that ended: ok or failed")
	cmd.MarkFlagsMutuallyExclusive("amend", "reject", "started", "finished")
	return cmd
}

func (d Desk) approve(ctx context.Context, o options, root *recorder.Root, id council.SessionID) error {
	rulings, err := d.decide(o, root, id)
	if err != nil {
		return err
	}
	if err := d.setEditsAside(root, id); err != nil {
		return err
	}
	folder, session, err := d.Reopen(root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := root.MarkUnsettled(id); err != nil {
		return err
	}
	for _, r := range rulings {
		if err := engine.Rule(session, folder, r); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	proof.Desk{Desk: d.Desk}.Vouch(folder)
	brief, sha := session.Brief()
	fmt.Fprint(d.Out, hostile.Terminal(briefText(*brief)))
	fmt.Fprintf(d.Out, "\nSession %s: execution %s.\nBrief %s\n", id, standing[session.Execution()], sha)
	return d.Remember(ctx, root, folder, session)
}

// decide turns the flags into rulings and refuses those that do not apply, before any file is touched. Each is held
// against the session once more when it is recorded, under the session's lock.
func (d Desk) decide(o options, root *recorder.Root, id council.SessionID) ([]council.Ruling, error) {
	session, err := d.Look(root, id)
	if err != nil {
		return nil, err
	}
	rulings, err := d.rulings(o, session)
	if err != nil {
		return nil, err
	}
	if _, err := session.Rule(rulings[0]); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return rulings, nil
}

// rulings turns the flags into what is to be recorded, in order.
func (d Desk) rulings(o options, s *rules.Session) ([]council.Ruling, error) {
	brief, sha := s.Brief()
	if brief == nil {
		return nil, errors.New("this session has no execution brief, so there is nothing to approve")
	}
	if expunge.Briefless(*brief) && o.amend == "" && o.finished == "" {
		return nil, errors.New("words of this session's execution brief were forgotten, so nobody can read what would be ruled on; give it another with --amend")
	}
	if o.sha != "" && o.sha != sha {
		return nil, fmt.Errorf("the brief is %s, not %s; read it again before you approve it", sha, desk.Quote(o.sha))
	}
	by := d.By()
	o.note, o.reject = withheld.Said(o.note), withheld.Said(o.reject)
	switch {
	case o.reject != "":
		return []council.Ruling{council.Reject{By: by, BriefSHA256: sha, Reason: o.reject}}, nil
	case o.started:
		return []council.Ruling{council.StartExecution{By: by, BriefSHA256: sha}}, nil
	case o.finished == "ok", o.finished == "failed":
		return []council.Ruling{council.FinishExecution{By: by, Succeeded: o.finished == "ok", Note: o.note}}, nil
	case o.finished != "":
		return nil, desk.Refuse("there is no end "+desk.Quote(o.finished), "Use --finished ok or --finished failed.")
	case o.amend != "":
		amended, err := readBrief(o.amend)
		if err != nil {
			return nil, err
		}
		return []council.Ruling{
			council.AmendBrief{By: by, Brief: amended},
			council.Approve{By: by, BriefSHA256: amended.SHA256(), Note: o.note},
		}, nil
	}
	return []council.Ruling{council.Approve{By: by, BriefSHA256: sha, Note: o.note}}, nil
}

// setEditsAside keeps what somebody wrote into the rendered files of a session before they are rendered again: people
// edit a draft before they approve its execution.
func (d Desk) setEditsAside(root *recorder.Root, id council.SessionID) error {
	changed, err := root.Rebuild(id, d.Now())
	for _, c := range changed {
		if c.Kept != "" {
			fmt.Fprintf(d.Errs, "%s was not what the log renders. It is written again; what it held is kept as %s.\n", c.Name, c.Kept)
		}
	}
	return err
}
