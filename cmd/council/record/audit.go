package record

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
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
		Example: `  council audit --last 24h
  council audit --type call --session latest
  council audit verify`,
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

// listLedger lists the entries of the ledger within the last span, of a type, and of a session, as far as these are
// given.
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
			id = council.SessionID(session) // what is gone still has its entries
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

// verifyLedger prints what a verification of the ledger found.
func verifyLedger(a *cli.Env, root *recorder.Root) error {
	ends := sessionEnds{}
	report, err := ledger.Verify(root.Files(), ends.take)
	if errors.Is(err, ledger.ErrDamaged) {
		fmt.Fprintf(a.Out, "Ledger:   damaged behind %s.\n", plural.Things(int(report.Entries), "entry", "entries"))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Ledger:   one chain of %s.\n", plural.Things(int(report.Entries), "entry", "entries"))
	if report.Torn {
		fmt.Fprintln(a.Out, "          Its last line was cut off while it was written; the next entry mends that.")
	}
	agreed := 0
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		words, wrong := endAgrees(root, id, ends[id])
		if wrong == nil {
			agreed++
			continue
		}
		a.Say("Session %s: %s", id, words)
		if err == nil || errors.Is(wrong, recorder.ErrDamaged) {
			err = &cli.Told{Err: wrong}
		}
	}
	fmt.Fprintf(a.Out, "Sessions: %d of %d agree with what the ledger says of their ends.\n", agreed, len(ends))
	return err
}

// sessionEnds are the entries that hold how far a session had come, by session. Those that were announced and never
// recorded, because the process was killed between, are left out as soon as another takes their place.
type sessionEnds map[council.SessionID][]audit.Entry

func (s sessionEnds) take(e audit.Entry) {
	if e.Type != audit.TypeSession || e.Digest == "" {
		return
	}
	s[e.Session] = append(slices.DeleteFunc(s[e.Session], func(before audit.Entry) bool {
		return before.Events >= e.Events
	}), e)
}

// endAgrees holds the log of a session against its entries. The error is an [recorder.ErrDamaged] or a
// [cli.ErrFindings], and comes with its words.
func endAgrees(root *recorder.Root, id council.SessionID, ends []audit.Entry) (words string, err error) {
	entries, err := root.Read(id)
	if err != nil && !errors.Is(err, recorder.ErrNotBegun) && !errors.Is(err, recorder.ErrUnknownSession) {
		return fmt.Sprintf("its log cannot be read: %v.", err), recorder.ErrDamaged
	}
	for _, e := range ends {
		was := fmt.Sprintf("with its event e%d it was %s at %s (entry %d)", e.Events, e.Action,
			e.At.UTC().Format(time.DateTime), e.Seq)
		switch {
		case errors.Is(err, recorder.ErrUnknownSession):
			return was + ", and it is not in the record any more.", cli.ErrFindings
		case e.Events == len(entries)+1:
			return was + ", which is not in its log: the process was killed, or the event was cut off. Go on with: " +
				"council resume " + string(id), cli.ErrFindings
		case e.Events > len(entries):
			return fmt.Sprintf("%s, and its log ends with e%d.", was, len(entries)), recorder.ErrDamaged
		case entries[e.Events-1].Sum != e.Digest:
			return was + ", and its log has another event there.", recorder.ErrDamaged
		}
	}
	return "", nil
}
