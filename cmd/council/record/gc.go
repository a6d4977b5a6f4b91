package record

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/site"
)

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
		return collectGarbage(c, retention, apply)
	})
	f := cmd.Flags()
	f.IntVar(&retention, "retention", 90, "days for which what has ended stays as it is")
	f.BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	cmd.AddCommand(cli.SessionVerb(a, &cobra.Command{Use: "restore SESSION",
		Short: "Take a session out of the archive, so that it can be changed"},
		func(c *cli.Command, id council.SessionID) error {
			if !c.Root.Archive().Holds(id) {
				a.Say("Session %s is not archived.", id)
				return nil
			}
			err := c.Workspace.Restore(id)
			if err == nil {
				a.Say("Session %s is restored. The next gc --apply archives it again, unless something is added to it.", id)
			}
			return err
		}))
	return cmd
}

// collectGarbage archives and packs if apply is true, and prints the result or the prospect.
func collectGarbage(c *cli.Command, retention int, apply bool) error {
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
	return cli.TellUnread(c.Env, found.Unread, remadeFromSessions)
}
