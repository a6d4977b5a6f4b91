package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
)

// foundSession is a session of one of the user's workspaces.
type foundSession struct {
	workspace string
	recorder.Summary
}

// listEverywhere lists the newest sessions of all of the user's workspaces. A workspace that is missing or cannot be
// read is named; the others are listed.
func (a *app) listEverywhere(ctx context.Context, most int, asJSON bool) error {
	r, err := a.readRegistry()
	if err != nil {
		return err
	}
	var all []foundSession
	sum := 0
	for _, w := range r.Workspaces {
		if why := whyMissing(w); why != "" {
			a.Warn("Workspace %s in %s is left out: %s.", w.Name, pathLine(w.Path), why)
			continue
		}
		err := a.InRecord(w.Record, func(root *recorder.Root) error {
			sessions, n, err := history.List(ctx, root, most)
			for _, s := range sessions {
				all = append(all, foundSession{w.Name, s})
			}
			sum += n
			return err
		})
		if err != nil {
			a.Warn("Workspace %s in %s is left out: %v", w.Name, pathLine(w.Path), err)
		}
	}
	slices.SortStableFunc(all, func(x, y foundSession) int {
		return cmp.Or(y.Started.Compare(x.Started), cmp.Compare(y.ID, x.ID))
	})
	if most > 0 {
		all = all[:min(len(all), most)]
	}
	rows := [][]any{{"WORKSPACE", "SESSION", "STATUS", "EVENTS", "TOPIC"}}
	for _, s := range all {
		if asJSON {
			l := listed(s.Summary)
			l.Workspace = s.workspace
			if err := a.JSON(l); err != nil {
				return err
			}
		}
		rows = append(rows, []any{s.workspace, s.ID, hostile.Line(sessionStatus(s.Summary)), s.Events,
			terminal.Short(s.Topic, 60)})
	}
	if asJSON {
		return nil
	}
	if err := a.Table(rows...); err != nil || sum <= len(all) {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "And %s. All are listed by: council sessions --all-workspaces --limit 0\n",
		plural.Things(sum-len(all), "older session"))
	return err
}
