package record

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/internal/prefetch"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
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
		Example: `  council gc
  council gc --retention 30 --apply
  council gc restore 20261121`,
	}, func(c *cli.Command) error {
		if retention < 0 {
			return cli.Usage(c.Cmd, fmt.Errorf("--retention is a number of days, not %d", retention))
		}
		return collectGarbage(a, c.Root, retention, apply)
	})
	f := cmd.Flags()
	f.IntVar(&retention, "retention", 90, "days for which what has ended stays as it is")
	f.BoolVar(&apply, "apply", false, "do it; otherwise nothing is changed")
	cmd.AddCommand(cli.SessionVerb(a, &cobra.Command{Use: "restore SESSION",
		Short: "Take a session out of the archive, so that it can be changed"},
		func(c *cli.Command, id council.SessionID) error {
			if !c.Root.Archived(id) {
				a.Say("Session %s is not archived.", id)
				return nil
			}
			err := c.Root.Restore(id, func(log []wire.Entry) error { return announceMove(a, c.Root, "restored", id, log) })
			if err == nil {
				a.Say("Session %s is restored. The next council gc --apply archives it again, unless something is added to it.", id)
			}
			return err
		}))
	return cmd
}

// announceMove notes in the ledger that a session is moved.
func announceMove(a *cli.Env, r *recorder.Root, action string, id council.SessionID, log []wire.Entry) error {
	return a.Enter(r, audit.Entry{Type: audit.TypeGC, Action: action, Session: id, What: recorder.PackPath(id),
		Digest: log[len(log)-1].Sum, Events: len(log)})
}

// collectGarbage does what it is for, or says what that would be.
func collectGarbage(a *cli.Env, r *recorder.Root, retention int, apply bool) error {
	before := a.Now().UTC().AddDate(0, 0, -retention)
	moved, err := archiveSessions(a, r, before, apply)
	if err != nil {
		return err
	}
	packed, packs, problems, err := packSessions(a, r, before, apply)
	if err != nil {
		return err
	}
	var archived, turns string
	if moved > 0 {
		archived = plural.Things(moved, "session") + " archived"
	}
	if packs > 0 {
		turns = fmt.Sprintf("%s turns packed into %s", plural.Thousands(packed), plural.Things(packs, "file"))
	}
	switch done := site.Joined(", ", archived, turns); {
	case done == "":
		a.Say("There is nothing to archive or pack from before %s.", before.Format(time.DateOnly))
	case apply:
		a.Say("Done: %s.", done)
	default:
		a.Say("With --apply: %s. Nothing was changed.", done)
	}
	return cli.TellUnread(a, problems, remadeFromSessions)
}

// aged is a session that is not archived, or not wholly.
type aged struct {
	events int
	ended  time.Time
	stays  string // why it is not archived; "" if it is to be
	young  bool   // it has not come to the end of the retention, or is archived
}

// archiveSessions archives the sessions that ended before a time, and names those that stay.
func archiveSessions(a *cli.Env, r *recorder.Root, before time.Time, apply bool) (moved int, err error) {
	ids, err := r.IDs()
	if err != nil {
		return 0, err
	}
	unsettled, err := r.Unsettled()
	if err != nil {
		return 0, err
	}
	for id, s := range prefetch.Each(ids, func(id council.SessionID) aged { return judgeAge(a, r, id, before) }) {
		if s.young {
			continue
		}
		if s.stays == "" && slices.Contains(unsettled, id) {
			s.stays = "what follows from its end is not done yet: the next command that writes does it"
		}
		if s.stays == "" && apply {
			err := r.Archive(id, func(log []wire.Entry) error {
				if len(log) != s.events {
					return fmt.Errorf("%w: something was added to it meanwhile", recorder.ErrNotArchivable)
				}
				return announceMove(a, r, "archived", id, log)
			})
			if errors.Is(err, recorder.ErrNotArchivable) || errors.Is(err, recorder.ErrLocked) {
				s.stays = err.Error()
			} else if err != nil {
				return moved, fmt.Errorf("cannot archive session %s: %w", id, err)
			}
		}
		if s.stays != "" {
			a.Say("%s stays: %s", id, s.stays)
			continue
		}
		a.Say("%s  ended on %s", recorder.PackPath(id), s.ended.Format(time.DateOnly))
		moved++
	}
	return moved, nil
}

// judgeAge says whether a session is to be archived.
func judgeAge(a *cli.Env, r *recorder.Root, id council.SessionID, before time.Time) aged {
	pending := r.MoveInterrupted(id)
	began, failed := time.Parse("20060102-150405", string(id)[:min(len(id), len("20060102-150405"))])
	if r.Archived(id) && !pending || failed == nil && began.After(before) {
		return aged{young: true}
	}
	entries, err := r.Read(id)
	if err != nil {
		return aged{stays: err.Error()}
	}
	s := aged{events: len(entries), ended: entries[len(entries)-1].Time}
	switch {
	case pending: // a move was cut off, and is finished
	case s.ended.After(before):
		s.young = true
	default:
		if s.stays = unended(entries); s.stays == "" {
			if holder, running := r.Holder(id); running {
				s.stays = "it is in use by " + holder.String()
			} else if err := site.CheckIntact(a.World, r, id); err != nil {
				s.stays = err.Error()
			}
		}
	}
	return s
}

// unended returns what a session still waits for, or what it failed in; "" if it has come to a good end.
func unended(entries []wire.Entry) string {
	m := render.MinutesOf(entries)
	switch {
	case m.Suspended != nil:
		return "it is suspended (" + m.Suspended.Error() + ")"
	case m.Outcome == nil:
		return "it was interrupted; council resume goes on with it"
	case m.Outcome.Documentation == council.DocumentationUnapproved:
		return "its document was not approved"
	case m.Outcome.Documentation == council.DocumentationMissing:
		return "it was to write a document, and there is none"
	}
	switch status := m.Handoff.Status; status {
	case council.ExecutionAwaitingApproval, council.ExecutionUnderWay, council.ExecutionFailed:
		return "its execution " + status.Words()
	}
	return ""
}

// packSessions packs the turns of the sessions of days before a time. It returns how many turns are packed into how
// many files, and what cannot be read.
func packSessions(a *cli.Env, r *recorder.Root, before time.Time, apply bool) (n, packs int, problems []error,
	err error) {
	c := episodes.New(r.Files())
	all, err := c.Pack(before, false)
	for _, p := range all {
		if apply && err == nil && p.Files > 0 {
			err = a.Enter(r, audit.Entry{Type: audit.TypeGC, Action: "packed", What: p.Pack})
		}
	}
	if apply && err == nil {
		all, err = c.Pack(before, true)
	}
	for _, p := range all {
		problems = append(problems, p.Problems...)
		if err == nil && p.Files > 0 {
			a.Say("%s  %s (%s bytes)", p.Pack, plural.Things(p.Files, "turn"), plural.Thousands(p.Bytes))
			n, packs = n+p.Files, packs+1
		}
	}
	return n, packs, problems, err
}
