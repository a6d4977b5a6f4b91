package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

type approveOptions struct {
	show     bool
	read     bool // the person has just read it, in a review
	yes      bool
	sha      string
	despite  bool
	note     string
	amend    string
	reject   string
	started  bool
	finished string
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
		if o.yes && o.sha == "" {
			return cli.Usage(c.Cmd, errors.New("--yes needs the SHA-256 of the brief that you have read: --yes --sha256 SUM"))
		}
		return approveBrief(a, c.Ctx, o, c.Root, id)
	})
	f := cmd.Flags()
	f.BoolVar(&o.show, "show", false, "show the decision, what is unmet and the brief, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask; needs --sha256")
	f.StringVar(&o.sha, "sha256", "", "approve only if this is the brief's SHA-256")
	f.BoolVar(&o.despite, "despite-rejection", false, "approve the brief though somebody rejected it")
	f.StringVar(&o.note, "note", "", "note to keep with the approval, or with --finished")
	f.StringVar(&o.amend, "amend", "", "replace the brief by this JSON file before approving it")
	f.StringVar(&o.reject, "reject", "", "reject the brief, for this reason")
	f.BoolVar(&o.started, "started", false, "record that the brief is being carried out")
	f.StringVar(&o.finished, "finished", "", "record how that ended: ok or failed")
	cmd.MarkFlagsMutuallyExclusive("amend", "reject", "started", "finished")
	for _, other := range []string{"reject", "started", "finished"} {
		cmd.MarkFlagsMutuallyExclusive("show", other)
		cmd.MarkFlagsMutuallyExclusive("yes", other)
	}
	cmd.MarkFlagsMutuallyExclusive("show", "yes")
	return cmd
}

func approveBrief(a *cli.Env, ctx context.Context, o approveOptions, root *recorder.Root, id council.SessionID) error {
	if err := site.CheckIntact(a.World, root, id); err != nil {
		if o.finished == "" {
			return err
		}
		a.Warn("council: %v. How the execution ended is recorded all the same.", err)
	}
	m, err := readApproval(a, o, root, id)
	if err != nil {
		return err
	}
	if err := mayApprove(a, o, root, m); err != nil {
		return err
	}
	if m.approves {
		if err := run.CheckApproval(a.World, root, id, m.brief); err != nil {
			return err
		}
	}
	if !o.read {
		tellApproval(a, m, "head", "brief")
		cli.WarnSuccessors(a, root, id)
	}
	if o.show {
		return nil
	}
	if err := askApproval(a, ctx, o, m); err != nil {
		return err
	}
	changed, err := root.Rebuild(id, a.Now())
	for _, c := range changed { // people edit a draft before they approve its execution
		if c.Kept != "" {
			a.Warn("%s was not what the log renders. It is written again; what it held is kept as %s.", c.Name, c.Kept)
		}
	}
	if err != nil {
		return err
	}
	folder, session, err := site.OpenUnfinished(a.World, root, id)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := site.CheckIntact(a.World, root, id); err != nil && o.finished == "" { // a person may have read for an hour
		return err
	}
	if len(session.Events()) != len(m.session.Events()) {
		return fmt.Errorf("somebody else ruled on session %s meanwhile; look again: %s", id,
			site.CommandLine(root, "council approve "+root.Short(id)+" --show"))
	}
	if err := root.MarkUnsettled(id); err != nil {
		return err
	}
	for _, r := range m.rulings {
		if err := engine.Rule(session, folder, r); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	a.AnchorSession(folder)
	fmt.Fprintf(a.Out, "\nSession %s: execution %s.\n", root.Short(id), session.Handoff().Status.Words())
	_, err = (&run.Session{Root: root, Folder: folder, Session: session}).Remember(ctx, a.World)
	return err
}

// briefRulings returns the rulings on a brief that the flags ask for, in order.
func briefRulings(a *cli.Env, o approveOptions, m *approval) ([]council.Ruling, error) {
	by := a.By()
	o.note, o.reject = site.CutSecrets(o.note), site.CutSecrets(o.reject)
	switch {
	case o.reject != "":
		return []council.Ruling{council.ExecutionRejected{By: by, BriefSHA256: m.sha, Reason: o.reject}}, nil
	case o.started:
		return []council.Ruling{council.ExecutionStarted{By: by, BriefSHA256: m.sha}}, nil
	case o.finished == "ok", o.finished == "failed":
		return []council.Ruling{council.ExecutionFinished{By: by, Succeeded: o.finished == "ok", Note: o.note}}, nil
	case o.finished != "":
		return nil, site.Refuse("there is no end "+site.Quote(o.finished), "Use --finished ok or --finished failed.")
	}
	approve := council.ExecutionApproved{By: by, BriefSHA256: m.sha, Note: o.note}
	if o.amend != "" {
		return []council.Ruling{council.BriefAmended{By: by, Brief: m.brief}, approve}, nil
	}
	return []council.Ruling{approve}, nil
}

// mayApprove refuses an approval that the flags do not give when there is no terminal to ask at.
func mayApprove(a *cli.Env, o approveOptions, root *recorder.Root, m *approval) error {
	command := func(flags string) string {
		return site.CommandLine(root, "council approve "+root.Short(m.session.ID())+" "+flags)
	}
	switch {
	case !m.approves:
	case !o.yes && !a.Asked():
		return site.Refuse("nobody can be asked, because this is not a terminal",
			"Read the brief: "+command("--show")+"\nThen approve exactly that brief: "+command("--yes --sha256 SUM"))
	case o.yes && m.rejected != nil && !o.despite:
		return site.Refuse(m.report().Tell("rejection"), "To approve it all the same, add --despite-rejection.")
	}
	return nil
}

// askApproval asks at the terminal, unless the flags say yes. A [*cli.Told] means that the answer was no.
func askApproval(a *cli.Env, ctx context.Context, o approveOptions, m *approval) error {
	if !m.approves || o.yes {
		return nil
	}
	question := "Approve this brief?"
	if m.rejected != nil && !o.despite {
		question = "Approve it all the same?"
	}
	if yes, _ := a.ConfirmOn(ctx, a.Out, "\n"+question); !yes {
		fmt.Fprintln(a.Out, "Not approved. Nothing was changed.")
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

// approval is the brief of a session, with the facts that a person needs before ruling on it.
type approval struct {
	session  *rules.Session
	told     *minutes.Minutes
	brief    council.Brief // the one that takes its place, where it is amended
	sha      string
	rejected *council.ExecutionRuling // the last rejection of this brief that no approval followed
	rulings  []council.Ruling
	approves bool // the last of them is an approval
}

// readApproval reads a session and turns the flags into rulings. It refuses those that do not apply, before any file is
// touched. Each is held against the session once more when it is recorded, under the session's lock.
func readApproval(a *cli.Env, o approveOptions, root *recorder.Root, id council.SessionID) (*approval, error) {
	session, err := site.Replay(root, id)
	if err != nil {
		return nil, err
	}
	h := session.Handoff()
	if h.Brief == nil {
		return nil, errors.New("this session has no execution brief, so there is nothing to approve")
	}
	m := &approval{session: session, told: minutes.Of(session.Events()), brief: *h.Brief, sha: h.BriefSHA256}
	if o.amend != "" {
		if m.brief, err = readBrief(a, o.amend); err != nil {
			return nil, err
		}
		m.sha = m.brief.SHA256()
	} else if expunge.LostWords(*h.Brief) && o.finished == "" && !o.show {
		return nil, errors.New("words of this session's execution brief were forgotten, so nobody can read what would be " +
			"ruled on; give it another with --amend")
	}
	if o.sha != "" && o.sha != m.sha {
		return nil, fmt.Errorf("the brief is %s, not %s; read it again before you approve it", m.sha, site.Quote(o.sha))
	}
	m.rejected = h.RejectionOf(m.sha)
	if o.show {
		return m, nil
	}
	if m.rulings, err = briefRulings(a, o, m); err != nil {
		return nil, err
	}
	_, m.approves = m.rulings[len(m.rulings)-1].(council.ExecutionApproved)
	if _, err := session.Rule(m.rulings[0]); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return m, nil
}

// report returns the report shown before a ruling.
func (m *approval) report() terminal.Report {
	return terminal.Report{Minutes: m.told, ID: m.session.ID(), Brief: m.brief, SHA256: m.sha, Rejected: m.rejected}
}

// tellApproval prints parts of the report, within the width of the terminal.
func tellApproval(a *cli.Env, m *approval, parts ...string) {
	fmt.Fprint(a.Out, hostile.Terminal(terminal.Fold(m.report().Tell(parts...), terminal.Columns(a.Width))))
}

// maxBrief bounds a brief that is read from a file, in bytes.
const maxBrief = 1 << 20

// readBrief reads the brief that is to take the place of another.
func readBrief(a *cli.Env, path string) (council.Brief, error) {
	doc, err := cli.ReadInput(a, "the brief cannot be read", path, maxBrief)
	if err != nil {
		return council.Brief{}, err
	}
	var b council.Brief
	if err := decodeBrief([]byte(site.CutSecrets(string(doc))), &b); err != nil {
		return b, fmt.Errorf("%s is not a brief: %w; the field executionBrief of execution-handoff.json shows the form", path,
			atomicfile.Explain(err))
	}
	if strings.TrimSpace(b.Objective) == "" {
		return b, fmt.Errorf("%s is not a brief: it has no objective", path)
	}
	return b, nil
}

// decodeBrief decodes a brief whose steps and risks may be texts alone, as in executionBrief of execution-handoff.json.
func decodeBrief(doc []byte, b *council.Brief) error {
	var fields map[string]any
	if err := json.Unmarshal(doc, &fields); err != nil {
		return err
	}
	for list, of := range map[string]string{"steps": "step", "risks": "risk"} {
		entries, _ := fields[list].([]any)
		for i, entry := range entries {
			if text, ok := entry.(string); ok {
				entries[i] = map[string]any{of: text}
			}
		}
	}
	doc, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return council.ReadJSON(doc, b)
}
