package record

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/site"
	"github.com/council-engine/council/workspace/upkeep"
)

// NewAudit returns the command audit.
func NewAudit(a *cli.Env) *cobra.Command {
	var last, kind, session string
	cmd := cli.Verb(a, &cobra.Command{Use: "audit", Short: "Show the ledger of all that was done here, or verify it",
		Long: `
audit lists the ledger of a workspace, the oldest entry first. What costs or changes something has its line there
before it is done: calls, programs, approvals, sessions that end, edits of memory, retries, routines, what was archived.
Lines hold names and digests, and no texts.

The lines are one chain in .council/audit/, which audit verify checks. A damaged ledger takes no more lines, and so
nothing that costs is done. Keep the folder under another name then, and a new ledger is begun.`,
		Example: `  council record audit --last 24h
  council record audit --type call --session latest
  council record audit verify`,
	}, func(c *cli.Command) error { return listLedger(c, last, kind, session) })
	cmd.Flags().Bool("json", false, "one entry a line, as JSON")
	cmd.AddCommand(cli.Verb(a,
		&cobra.Command{Use: "verify", Short: "Check that the ledger is whole, and that sessions agree with it",
			Long: `
verify reads the whole ledger and checks its chain: every line that was changed, added, removed or moved is found,
and the first one is named. It then holds the log of every session against what the ledger says of its end: so the end
of a log that was cut off or written anew is found, too.

Exit codes: 0 all is well · 3 a session is not in the record, or its end is not · 5 something is damaged`,
		}, func(c *cli.Command) error { return verifyLedger(c.Env, c.Root) }))
	f := cmd.Flags()
	f.StringVar(&last, "last", "", "only what is not older, such as 24h or 7d")
	f.StringVar(&kind, "type", "", "only entries of this type: "+strings.Join(audit.Types(), ", "))
	f.StringVar(&session, "session", "", "only what was done for this session")
	return cmd
}

// listLedger lists the entries of the ledger within a span, of a type, and of a session, as far as these are given.
func listLedger(c *cli.Command, last, kind, session string) error {
	if kind != "" {
		if err := site.KnownWord("type", kind, audit.Types()); err != nil {
			return err
		}
	}
	var id council.SessionID
	if session != "" {
		var err error
		if id, err = c.Root.Find(session); errors.Is(err, recorder.ErrUnknownSession) {
			id = council.SessionID(session) // a removed session still has its entries
		} else if err != nil {
			return err
		}
	}
	from, err := site.Since("last", last, c.Now())
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
}

func verifyLedger(a *cli.Env, root *recorder.Root) error {
	report, err := upkeep.VerifyLedger(root)
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
}
