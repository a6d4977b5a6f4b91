package record

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/seat"
)

// NewFsck returns the command fsck.
func NewFsck(a *cli.Env) *cobra.Command {
	var repair bool
	cmd := cli.Verb(a, &cobra.Command{Use: "fsck",
		Short: "Look through the whole record, and repair what can be repaired safely",
		Long: `
fsck reads everything in the folder of the record, writes nothing, and names what is not as it should be: damage,
torn ends, derived files out of step, what interrupted writes left behind, links, permissions, strangers.

--repair does what is safe: torn ends are cut off (the bytes are kept beside), derived files are rendered again
(somebody's edits are kept beside), leftovers are removed, other users are kept out. Damage is never touched.

Exit codes: 0 all is well · 3 something was found · 5 a session is damaged. With --repair they tell what remains.`,
	}, func(c *cli.Command) error { return checkRecord(c, repair) })
	cmd.Flags().Bool("json", false, "one JSON object a line: what was found, then what was repaired")
	cmd.Flags().BoolVar(&repair, "repair", false, "do what is safe, and say what is lost")
	return cmd
}

func checkRecord(c *cli.Command, repair bool) error {
	report, err := c.Workspace.Check()
	if err != nil {
		return err
	}
	tellCheckup(c, report)
	if repair {
		tellRepairs(c, c.Workspace.Repair(report))
		report, err = c.Workspace.Check()
	}
	switch worst := report.Worst(); {
	case err != nil:
		return err
	case worst == recorder.Damage:
		return cli.ErrDamage
	case worst == recorder.Finding:
		return cli.ErrFindings
	}
	return nil
}

func tellCheckup(c *cli.Command, r recorder.Findings) {
	counts := map[recorder.Weight]int{}
	for _, f := range r.Found {
		counts[f.Weight]++
		safe := map[bool]string{true: " (--repair does it.)"}[f.Repair]
		c.Show(f, func() {
			c.Say("%-8s %s\n         %s\n         %s%s", f.Weight, hostile.Line(f.Path), hostile.Words(f.Problem), f.Do, safe)
		})
	}
	if !c.AsJSON {
		c.Say("Sessions: %d. Damaged places: %d. Findings: %d. Remarks: %d.", r.Sessions,
			counts[recorder.Damage], counts[recorder.Finding], counts[recorder.Remark])
	}
}

func tellRepairs(c *cli.Command, all []recorder.Repaired) {
	for _, one := range all {
		shown := struct {
			recorder.Repaired
			Failed string `json:"failed,omitempty"`
		}{Repaired: one}
		state, what := "done    ", one.Did
		if one.Err != nil {
			shown.Failed = one.Err.Error()
			state, what = "not done", shown.Failed+"."
		}
		c.Show(shown, func() { c.Say("%s %s\n         %s", state, hostile.Line(one.Path), hostile.Words(what)) })
	}
}

// NewRebuild returns the command rebuild.
func NewRebuild(a *cli.Env) *cobra.Command {
	var all, database bool
	cmd := cli.Verb(a, &cobra.Command{Use: "rebuild [SESSION]", Short: "Render every derived file of a session again",
		Long: `
rebuild renders the transcript, session.json, the documents and the handoff of a session (the latest, unless one is
named) from its log, and names what it changed. A file that somebody edited is kept beside the new one, under a name
that ends in .edited- and the time. The log and the conversations are not touched.

With --index it builds the database (council.db) from the sessions, their episodes, memory and the ledger, and writes
no other file.`,
	}, func(c *cli.Command) error {
		switch {
		case all && len(c.Args) > 0:
			return cli.Usage(c.Cmd, errors.New("name a session or say --all, not both"))
		case database && (all || len(c.Args) > 0):
			return cli.Usage(c.Cmd, errors.New("--index is for the whole record: name no session, and leave --all out"))
		case database:
			w, err := seat.OpenMemory(c.World, c.Root, "")
			if err != nil {
				return err
			}
			var unread []error
			sessions, calls, texts, err := w.Reindex(c.Ctx, func(err error) { unread = append(unread, err) })
			if err != nil {
				return err
			}
			a.Say("The database was built again: %s, %s, %s to search.", plural.Things(sessions, "session"),
				plural.Things(calls, "call"), plural.Things(texts, "text"))
			return cli.TellUnread(a, unread, "The database lacks what it holds.")
		case all:
			return rebuildAll(a, c.Root)
		}
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		return rebuildSession(a, c.Root, id)
	})
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "rebuild every session that is not archived")
	f.BoolVar(&database, "index", false, "build the database again, and nothing else")
	return cmd
}

func rebuildSession(a *cli.Env, r *recorder.Root, id council.SessionID) error {
	changed, err := r.Rebuild(id, a.Now())
	for _, c := range changed {
		a.Say("Session %s: %s", id, c)
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	if len(changed) == 0 {
		a.Say("Session %s: every derived file was as the log renders it.", id)
	}
	return nil
}

// rebuildAll rebuilds every session that is not archived, whatever the others are like, and returns the first error.
func rebuildAll(a *cli.Env, r *recorder.Root) error {
	sessions, err := r.List()
	if err != nil {
		return err
	}
	var first error
	for _, s := range sessions {
		err := rebuildSession(a, r, s.ID)
		if err == nil || errors.Is(err, recorder.ErrNotBegun) || errors.Is(err, recorder.ErrArchived) {
			continue
		}
		a.Warn("council: %v", err)
		if first == nil || errors.Is(err, recorder.ErrDamaged) {
			first = cli.Printed(err)
		}
	}
	return first
}
