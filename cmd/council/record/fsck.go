package record

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/upkeep"
)

// NewFsck returns the command fsck.
func NewFsck(a *cli.Env) *cobra.Command {
	var repair bool
	cmd := cli.Verb(a, &cobra.Command{Use: "fsck",
		Short:       "Look through the whole record, and repair what can be repaired safely",
		Annotations: cli.JSON("one JSON object a line: what was found, then what was repaired"), Long: `
fsck reads everything in the folder of the record, writes nothing, and names what is not as it should be: damage,
torn ends, derived files out of step, what interrupted writes left behind, links, permissions, strangers.

--repair does what is safe: torn ends are cut off (the bytes are kept beside), derived files are rendered again
(somebody's edits are kept beside), leftovers are removed, other users are kept out. Damage is never touched.

Exit codes: 0 all is well · 3 something was found · 5 a session is damaged. With --repair they tell what remains.`,
	}, func(c *cli.Command) error {
		report, err := c.Workspace.Check()
		if err != nil {
			return err
		}
		counts := map[recorder.Weight]int{}
		for _, f := range report.Found {
			counts[f.Weight]++
			safe := map[bool]string{true: " (--repair does it.)"}[f.Repair]
			c.Show(f, func() {
				c.Say("%-8s %s\n         %s\n         %s%s", f.Weight, hostile.Line(f.Path), hostile.Words(f.Problem), f.Do, safe)
			})
		}
		if !c.AsJSON {
			c.Say("Sessions: %d. Damaged places: %d. Findings: %d. Remarks: %d.", report.Sessions, counts[recorder.Damage],
				counts[recorder.Finding], counts[recorder.Remark])
		}
		if repair {
			for _, one := range c.Workspace.Repair(report) {
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
	})
	cmd.Flags().BoolVar(&repair, "repair", false, "do what is safe, and say what is lost")
	return cmd
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
			sessions, err := c.Root.List()
			if err != nil {
				return err
			}
			var first error
			for _, s := range sessions {
				err := rebuildSession(c, s.ID)
				if err == nil || errors.Is(err, recorder.ErrNotBegun) || errors.Is(err, recorder.ErrArchived) {
					continue
				}
				c.Warn("council: %v", err)
				if first == nil || errors.Is(err, recorder.ErrDamaged) {
					first = cli.Printed(err)
				}
			}
			return first
		}
		id, err := c.Root.Find(cli.NameOf(c.Args))
		if err != nil {
			return err
		}
		return rebuildSession(c, id)
	})
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "rebuild every session that is not archived")
	f.BoolVar(&database, "index", false, "build the database again, and nothing else")
	return cmd
}

func rebuildSession(c *cli.Command, id council.SessionID) error {
	changed, err := c.Root.Rebuild(id, c.Now())
	for _, change := range changed {
		c.Say("Session %s: %s", id, change)
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	if len(changed) == 0 {
		c.Say("Session %s: every derived file was as the log renders it.", id)
	}
	return nil
}

// NewGC returns the command gc.
func NewGC(a *cli.Env) *cobra.Command {
	var retention int
	var apply bool
	cmd := cli.Verb(a, &cobra.Command{Use: "gc",
		Short: "Archive sessions that ended long ago, and pack the turns of old sessions",
		Long: `
gc moves each session that ended before the retention into one zip file, such as archive/2026-11/SESSION.zip, and
the turns of each older session, one small file each, into one beside them, such as turns/2026/11/21/SESSION.zip. It
says what it would do; --apply does it. Every command reads what is archived as before, and any unzip opens it.

A session that failed, is suspended or running, waits for an approval, or cannot be read or verified stays, and gc says
why. To change an archived session, such as to add a note, restore it first.`,
		Example: `  council record gc
  council record gc --retention 30 --apply
  council record gc restore 20261121`,
	}, func(c *cli.Command) error {
		if retention < 0 {
			return cli.Usage(c.Cmd, fmt.Errorf("--retention is a number of days, not %d", retention))
		}
		before := c.Now().UTC().AddDate(0, 0, -retention)
		found, err := c.Workspace.Archive(before, apply, c.Say)
		if err != nil {
			return err
		}
		var archived, turns string
		if found.Archived > 0 {
			archived = plural.Things(found.Archived, "session") + " archived"
		}
		if found.Packs > 0 {
			turns = fmt.Sprintf("%s turns packed into %s", plural.Thousands(found.Turns), plural.Things(found.Packs, "file"))
		}
		switch done := site.Joined(", ", archived, turns); {
		case done == "":
			c.Say("There is nothing to archive or pack from before %s.", before.Format(time.DateOnly))
		case apply:
			c.Say("Done: %s.", done)
		default:
			c.Say("With --apply: %s. Nothing was changed.", done)
		}
		return cli.TellUnread(a, found.Unread, remadeFromSessions)
	})
	f := cmd.Flags()
	f.IntVar(&retention, "retention", 90, "days for which what has ended stays as it is")
	f.BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	cmd.AddCommand(cli.SessionVerb(a, &cobra.Command{Use: "restore SESSION",
		Short: "Take a session out of the archive, so that it can be changed"},
		func(c *cli.Command, id council.SessionID) error {
			if !c.Root.Archive.Holds(id) {
				a.Say("Session %s is not archived.", id)
				return nil
			}
			return a.SayUnless(c.Workspace.Restore(id),
				"Session %s is restored. The next gc --apply archives it again, unless something is added to it.", id)
		}))
	return cmd
}

// NewAudit returns the command audit.
func NewAudit(a *cli.Env) *cobra.Command {
	var last, kind, session string
	cmd := cli.Verb(a, &cobra.Command{Use: "audit", Short: "Show the ledger of all that was done here, or verify it",
		Annotations: cli.JSON("one entry a line, as JSON"), Long: `
audit lists the ledger of a workspace, the oldest entry first. What costs or changes something has its line there
before it is done: calls, programs, approvals, sessions that end, edits of memory, retries, routines, what was archived.
Lines hold names and digests, and no texts.

The lines are one chain in .council/audit/, which audit verify checks. A damaged ledger takes no more lines, and so
nothing that costs is done. Keep the folder under another name then, and a new ledger is begun.`,
		Example: `  council record audit --last 24h
  council record audit --type call --session latest
  council record audit verify`,
	}, func(c *cli.Command) error {
		from, err := site.Since("last", last, c.Now())
		if kind != "" {
			err = cmp.Or(site.KnownWord("type", kind, audit.Types()), err)
		}
		var id council.SessionID
		if session != "" && err == nil {
			if id, err = c.Root.Find(session); errors.Is(err, recorder.ErrUnknownSession) {
				id, err = council.SessionID(session), nil // a removed session still has its entries
			}
		}
		if err != nil {
			return err
		}
		l := cli.NewList(c.Env, c.AsJSON, "ENTRY", "TIME", "TYPE", "WHAT")
		var damaged error
		for e, err := range ledger.Since(c.Root.Files(), from) {
			if err != nil {
				damaged = err
				break
			}
			if kind != "" && e.Type != audit.Type(kind) || id != "" && e.Session != id {
				continue
			}
			told := e
			if id != "" {
				told.Session = "" // that was asked for
			}
			l.Add(e, e.Seq, e.At.UTC().Format(time.DateTime), e.Type, strings.TrimPrefix(terminal.Tell("entry", told), ", "))
		}
		if damaged != nil && len(l.Rows) == 0 {
			return damaged
		}
		return cmp.Or(l.Print("There is no such entry."), damaged)
	})
	cmd.AddCommand(cli.Verb(a,
		&cobra.Command{Use: "verify", Short: "Check that the ledger is whole, and that sessions agree with it",
			Long: `
verify reads the whole ledger and checks its chain: every line that was changed, added, removed or moved is found,
and the first one is named. It then holds the log of every session against what the ledger says of its end: so the end
of a log that was cut off or written anew is found, too.

Exit codes: 0 all is well · 3 a session is not in the record, or its end is not · 5 something is damaged`,
		}, func(c *cli.Command) error {
			report, err := upkeep.VerifyLedger(c.Root)
			entries := plural.Things(int(report.Entries), "entry", "entries")
			if errors.Is(err, ledger.ErrDamaged) {
				a.Say("Ledger:   damaged behind %s.", entries)
			}
			if err != nil {
				return err
			}
			a.Say("Ledger:   one chain of %s.", entries)
			if report.Torn {
				a.Say("          Its last line was cut off while it was written; the next entry mends that.")
			}
			for _, s := range report.Wrong {
				a.Say("Session %s: %s", s.Session, s.Problem)
				if s.Damaged {
					err = cli.ErrDamage
				} else if err == nil {
					err = cli.ErrFindings
				}
			}
			a.Say("Sessions: %d of %d agree with what the ledger says of their ends.", report.Sessions-len(report.Wrong),
				report.Sessions)
			return err
		}))
	f := cmd.Flags()
	f.StringVar(&last, "last", "", "only what is not older, such as 24h or 7d")
	f.StringVar(&kind, "type", "", "only entries of this type: "+strings.Join(audit.Types(), ", "))
	f.StringVar(&session, "session", "", "only what was done for this session")
	return cmd
}
