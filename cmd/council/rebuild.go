package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

func (a *app) newRebuild() *cobra.Command {
	var all, database bool
	cmd := a.verb(&cobra.Command{
		Use:   "rebuild [SESSION]",
		Short: "Render every derived file of a session again",
		Long: `rebuild renders the transcript, session.json, the documents and the handoff of a session (the latest, unless one is
named) from its log, and names what it changed. A file that somebody edited is kept beside the new one, under a name
that ends in .edited- and the time. The log and the conversations are not touched.

With --index it builds the database (council.db) from the sessions, their episodes, memory and the ledger, and writes
no other file.`,
		Args: cli.AtMostOne,
	}, "", func(c *command) error {
		switch {
		case all && len(c.args) > 0:
			return cli.Usage(c.cmd, errors.New("name a session or say --all, not both"))
		case database && (all || len(c.args) > 0):
			return cli.Usage(c.cmd, errors.New("--index is for the whole record: name no session, and leave --all out"))
		case database:
			w, err := c.memoryOf(c.root, "")
			if err != nil {
				return err
			}
			var unread []error
			sessions, calls, texts, err := w.Reindex(c.ctx, func(err error) { unread = append(unread, err) })
			if err != nil {
				return err
			}
			a.Say("The database was built again: %s, %s, %s to search.", plural.Things(sessions, "session"),
				plural.Things(calls, "call"), plural.Things(texts, "text"))
			return a.tellUnread(unread, "The database lacks what it holds.")
		case all:
			return a.rebuildAll(c.root)
		}
		id, err := c.root.Find(cli.NameOf(c.args))
		if err != nil {
			return err
		}
		return a.rebuild(c.root, id)
	})
	cmd.Flags().BoolVar(&all, "all", false, "rebuild every session that is not archived")
	cmd.Flags().BoolVar(&database, "index", false, "build the database again, and nothing else")
	return cmd
}

func (a *app) rebuild(r *recorder.Root, id council.SessionID) error {
	changed, err := r.Rebuild(id, a.Now())
	for _, c := range changed {
		what := c.Name + " was written again."
		if c.Gone {
			what = c.Name + " does not belong to the log and was taken away."
		}
		if c.Kept != "" {
			what += " What it held is kept as " + c.Kept + "."
		}
		a.Say("Session %s: %s", id, what)
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
func (a *app) rebuildAll(r *recorder.Root) error {
	sessions, err := r.List()
	if err != nil {
		return err
	}
	var first error
	for _, s := range sessions {
		err := a.rebuild(r, s.ID)
		if err == nil || errors.Is(err, recorder.ErrNotBegun) || errors.Is(err, recorder.ErrArchived) {
			continue
		}
		a.Warn("council: %v", err)
		if first == nil || errors.Is(err, recorder.ErrDamaged) {
			first = &cli.Told{Err: err}
		}
	}
	return first
}
