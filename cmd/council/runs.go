package main

import (
	"cmp"
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
	var list *cobra.Command
	list = a.historyVerb("list", "List the runs, newest first", cli.NoArgs,
		func(ctx context.Context, r *recorder.Root, ix *index.Index, _ []string, asJSON bool) error {
			most, err := listLimit(list, limit, asJSON)
			if err != nil {
				return err
			}
			runs, all, err := ix.Runs(ctx, "", most)
			if err == nil {
				err = a.listRuns(r, runs, asJSON)
			}
			if err != nil || asJSON {
				return err
			}
			if all == 0 {
				fmt.Fprintln(a.Out, "No run is recorded here yet.")
			}
			return a.tellRest(all-len(runs), "run", "council runs list", r)
		})
	limitFlag(list.Flags(), &limit)
	show := a.historyVerb("show [SESSION]", "Show the runs of a session, the latest unless one is named",
		cli.AtMostOne, func(ctx context.Context, r *recorder.Root, ix *index.Index, args []string, asJSON bool) error {
			id, err := r.Find(cli.NameOf(args))
			if err != nil {
				return err
			}
			runs, _, err := ix.Runs(ctx, id, 0)
			if err == nil {
				err = a.listRuns(r, runs, asJSON)
			}
			if err != nil || asJSON {
				return err
			}
			if len(runs) == 0 {
				a.Say("No run of session %s is recorded.", id)
			}
			used, err := ix.Usage(ctx, "member", time.Time{}, id)
			if err != nil || len(used) == 0 {
				return err
			}
			fmt.Fprintln(a.Out)
			return a.tableOfUse("member", used)
		})
	return newGroup("runs", "Tell when who worked on which session, and how that ended",
		`A run begins when a command begins to work on a session, and ends when the session is closed or suspended or the
command fails. One that has no end, and whose process is gone, was cut off: council resume goes on.`, list, show)
}

// historyVerb returns a command that reads the database, in step with sessions and ledger. It tells what could not be
// read, after do.
func (a *app) historyVerb(use, short string, args cobra.PositionalArgs, do func(ctx context.Context, r *recorder.Root,
	ix *index.Index, args []string, asJSON bool) error) *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.InRecord(root, func(r *recorder.Root) error {
				var unread []error
				ix, err := history.Open(cmd.Context(), r, func(err error) { unread = append(unread, err) })
				if err != nil {
					return err
				}
				if err := errors.Join(do(cmd.Context(), r, ix, args, asJSON), ix.Close()); err != nil {
					return err
				}
				return a.tellUnread(unread, "What it holds is not counted.")
			})
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// shownRun is a run as --json prints it.
type shownRun struct {
	index.Run
	Started string `json:"started"`
	Ended   string `json:"ended,omitempty"`
}

func (a *app) listRuns(r *recorder.Root, runs []index.Run, asJSON bool) error {
	latest := map[council.SessionID]bool{}
	rows := [][]any{{"SESSION", "RUN", "COMMAND", "STARTED", "TOOK", "STATUS"}}
	for _, run := range runs {
		if run.Status == "" {
			run.Status = "cut off"
			if _, held := r.Holder(run.Session); held && !latest[run.Session] {
				run.Status = "running"
			}
		}
		latest[run.Session] = true
		if asJSON {
			if err := a.JSON(shownRun{run, run.Started, run.Ended}); err != nil {
				return err
			}
			continue
		}
		started, took := run.Started, ""
		if from, err := time.Parse(time.RFC3339Nano, run.Started); err == nil {
			started = from.Format("2006-01-02 15:04:05")
			if to, err := time.Parse(time.RFC3339Nano, run.Ended); err == nil {
				took = to.Sub(from).Round(100 * time.Millisecond).String()
			}
		}
		status := run.Status
		if run.Error != "" {
			status += " (" + run.Error + ")"
		}
		rows = append(rows, []any{run.Session, run.Attempt, hostile.Line(run.Command), started, cmp.Or(took, "-"),
			terminal.Short(status, 80)})
	}
	if asJSON || len(runs) == 0 {
		return nil
	}
	return a.Table(rows...)
}
