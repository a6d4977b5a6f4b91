package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/recorder/index"
)

// begun notes in the ledger that a command begins to work on a session, before anybody is asked anything. The function
// that it returns notes how it ended: suspended by a fault, with an error, or closed.
func (a *app) begun(root *recorder.Root, id council.SessionID, command string) (func(*council.Fault, error), error) {
	l, err := a.ledger(root)
	if err != nil {
		return nil, err
	}
	n, err := l.Append(audit.Entry{Type: audit.TypeRun, Action: audit.RunBegun, Session: id, What: command, By: a.By()})
	if err != nil {
		return nil, err
	}
	return func(suspended *council.Fault, err error) {
		e := audit.Entry{Type: audit.TypeRun, Action: audit.RunClosed, Session: id, Of: n}
		switch {
		case errors.Is(err, context.Canceled):
			e.Action, e.Why = audit.RunFailed, "stopped at once"
		case err != nil:
			e.Action, e.Why = audit.RunFailed, hostile.Shorten(cutSecrets(hostile.Line(err.Error())), 200)
		case suspended != nil:
			e.Action, e.Why = audit.RunSuspended, string(suspended.Kind)
		}
		if _, err := l.Append(e); err != nil { // what the session holds is recorded all the same
			a.Warn("council: the end of this run is not in the ledger: %v", err)
		}
	}, nil
}

func (a *app) newRuns() *cobra.Command {
	var limit int
	list := a.historyVerb(&cobra.Command{Use: "list", Short: "List the runs, newest first", Args: cli.NoArgs},
		func(c *command, ix *index.Index) error {
			most, err := listLimit(c.cmd, limit, c.json)
			if err != nil {
				return err
			}
			runs, all, err := ix.Runs(c.ctx, "", most)
			if err != nil {
				return err
			}
			l := c.listRuns(runs)
			err = l.print("No run is recorded here yet.")
			l.rest(all-len(runs), "run", cli.CommandLine(c.root, "council runs list --limit 0"))
			return err
		})
	limitFlag(list.Flags(), &limit)
	show := a.historyVerb(&cobra.Command{
		Use: "show [SESSION]", Short: "Show the runs of a session, the latest unless one is named", Args: cli.AtMostOne,
	}, func(c *command, ix *index.Index) error {
		id, err := c.root.Find(cli.NameOf(c.args))
		if err != nil {
			return err
		}
		runs, _, err := ix.Runs(c.ctx, id, 0)
		if err == nil {
			err = c.listRuns(runs).print(fmt.Sprintf("No run of session %s is recorded.", id))
		}
		if err != nil || c.json {
			return err
		}
		used, err := ix.Usage(c.ctx, "member", time.Time{}, id)
		if err != nil || len(used) == 0 {
			return err
		}
		c.Say("")
		return c.tableOfUse("member", used)
	})
	return newGroup("runs", "Tell when who worked on which session, and how that ended",
		`A run begins when a command begins to work on a session, and ends when the session is closed or suspended or the
command fails. One that has no end, and whose process is gone, was cut off: council resume goes on.`, list, show)
}

// historyVerb is verb with --json for a command that reads the database, in step with sessions and ledger. It tells
// what could not be read, after do.
func (a *app) historyVerb(cmd *cobra.Command, do func(*command, *index.Index) error) *cobra.Command {
	return a.verb(cmd, jsonLines, func(c *command) error {
		var unread []error
		ix, err := history.Open(c.ctx, c.root, func(err error) { unread = append(unread, err) })
		if err != nil {
			return err
		}
		if err := errors.Join(do(c, ix), ix.Close()); err != nil {
			return err
		}
		return a.tellUnread(unread, "What it holds is not counted.")
	})
}

func (c *command) listRuns(runs []index.Run) *listing {
	latest := map[council.SessionID]bool{}
	l := c.list(c.json, "SESSION", "RUN", "COMMAND", "STARTED", "TOOK", "STATUS")
	for _, run := range runs {
		if run.Status == "" {
			run.Status = "cut off"
			if _, held := c.root.Holder(run.Session); held && !latest[run.Session] {
				run.Status = "running"
			}
		}
		latest[run.Session] = true
		started, took, status := run.Started, "-", run.Status
		if from, err := time.Parse(time.RFC3339Nano, run.Started); err == nil {
			started = from.Format(time.DateTime)
			if to, err := time.Parse(time.RFC3339Nano, run.Ended); err == nil {
				took = to.Sub(from).Round(100 * time.Millisecond).String()
			}
		}
		if run.Error != "" {
			status += " (" + run.Error + ")"
		}
		l.add(run, run.Session, run.Attempt, run.Command, started, took,
			terminal.Short(status, 80))
	}
	return l
}
