package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/proof"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/cmd/council/withheld"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plainly"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
)

// approveOptions are the flags of approve.
type approveOptions struct {
	root     string
	sha      string
	note     string
	amend    string
	reject   string
	started  bool
	finished string
}

func (a *app) newApprove() *cobra.Command {
	var o approveOptions
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
			return a.approve(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.root, "root", desk.DefaultRoot, "folder of the record")
	f.StringVar(&o.sha, "sha256", "", "approve only if this is the brief's SHA-256")
	f.StringVar(&o.note, "note", "", "note to keep with the approval, or with --finished")
	f.StringVar(&o.amend, "amend", "", "replace the brief by this JSON file before approving it")
	f.StringVar(&o.reject, "reject", "", "reject the brief, for this reason")
	f.BoolVar(&o.started, "started", false, "record that the brief is being carried out")
	f.StringVar(&o.finished, "finished", "", "record how that ended: ok or failed")
	cmd.MarkFlagsMutuallyExclusive("amend", "reject", "started", "finished")
	return cmd
}

func (a *app) approve(ctx context.Context, o approveOptions, args []string) error {
	root, err := recorder.FindRoot(o.root, a.record()...)
	if err != nil {
		return err
	}
	id, err := root.Find(desk.NameOf(args))
	if err != nil {
		return err
	}
	rulings, err := a.decide(o, root, id)
	if err != nil {
		return err
	}
	if err := a.setEditsAside(root, id); err != nil {
		return err
	}
	folder, session, err := a.reopen(root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := root.MarkUnsettled(id); err != nil {
		return err
	}
	for _, r := range rulings {
		if err := rule(session, folder, r); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	proof.Desk{Desk: a.desk()}.Vouch(folder)
	brief, sha := session.Brief()
	fmt.Fprint(a.stdout, hostile.Terminal(briefText(*brief)))
	fmt.Fprintf(a.stdout, "\nSession %s: execution %s.\nBrief %s\n", id, standing[session.Execution()], sha)
	return a.remember(ctx, sitting{root: root, folder: folder, session: session, show: display{quiet: true}})
}

// decide turns the flags into rulings and refuses those that do not apply, before any file is touched. Each is held
// against the session once more when it is recorded, under the session's lock.
func (a *app) decide(o approveOptions, root *recorder.Root, id council.SessionID) ([]council.Ruling, error) {
	entries, err := root.Read(id)
	if err != nil {
		return nil, err
	}
	session, err := rules.Replay(events(entries))
	if err != nil {
		return nil, err
	}
	rulings, err := a.rulings(o, session)
	if err != nil {
		return nil, err
	}
	if _, err := session.Rule(rulings[0]); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return rulings, nil
}

// rulings turns the flags into what is to be recorded, in order.
func (a *app) rulings(o approveOptions, s *rules.Session) ([]council.Ruling, error) {
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
	by := a.by()
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

func readBrief(path string) (council.Brief, error) {
	f, err := os.Open(path)
	if err != nil {
		return council.Brief{}, fmt.Errorf("the brief cannot be read from %s: %w", path, plainly.Of(err))
	}
	defer f.Close()
	doc, err := io.ReadAll(f)
	if err != nil {
		return council.Brief{}, fmt.Errorf("the brief cannot be read from %s: %w", path, plainly.Of(err))
	}
	d := json.NewDecoder(strings.NewReader(withheld.Said(string(doc))))
	d.DisallowUnknownFields()
	var b council.Brief
	if err := d.Decode(&b); err != nil {
		return b, fmt.Errorf("%s is not a brief: %w; the field brief of execution-handoff.json shows the form", path, plainly.Of(err))
	}
	if strings.TrimSpace(b.Objective) == "" {
		return b, fmt.Errorf("%s is not a brief: it has no objective", path)
	}
	return b, nil
}

var standing = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "awaits approval",
	council.ExecutionCleared:          "is approved",
	council.ExecutionRefused:          "is rejected",
	council.ExecutionUnderWay:         "has started",
	council.ExecutionSucceeded:        "succeeded",
	council.ExecutionFailed:           "failed",
}

func briefText(b council.Brief) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n(for: %s)\n", terminal.Words(b.Objective), terminal.Words(b.RecommendedExecutorProfile))
	for _, part := range []struct {
		title string
		lines []string
	}{{"Steps", b.Steps}, {"Risks", b.Risks}, {"Accepted when", b.AcceptanceCriteria}} {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n%s\n", part.title)
		for i, line := range part.lines {
			fmt.Fprintf(&text, "  %d. %s\n", i+1, terminal.Words(line))
		}
	}
	return text.String()
}
