package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
)

func (a *app) newFsck() *cobra.Command {
	var repair bool
	return withFlags(vars{"repair": &repair}, a.verb("fsck", func(c *command) error { return c.fsck(repair) }))
}

func (c *command) fsck(repair bool) error {
	trust := func(id council.SessionID) (recorder.Trust, error) { return c.trustIn(c.root, id) }
	report, err := c.root.Check(trust)
	if err != nil {
		return err
	}
	c.tellCheckup(report)
	if repair {
		c.tellRepairs(c.root.Repair(report, c.Inputs()))
		report, err = c.root.Check(trust)
	}
	switch worst := report.Worst(); {
	case err != nil:
		return err
	case worst == recorder.Damage:
		return &cli.Told{Err: recorder.ErrDamaged}
	case worst == recorder.Finding:
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

func (c *command) tellCheckup(r recorder.Findings) {
	counts := map[recorder.Weight]int{}
	for _, f := range r.Found {
		counts[f.Weight]++
		safe := map[bool]string{true: " (--repair does it.)"}[f.Repair]
		c.show(f, func() {
			c.Say("%-8s %s\n         %s\n         %s%s", f.Weight, hostile.Line(f.Path), terminal.Words(f.Problem), f.Do, safe)
		})
	}
	if !c.json {
		c.Say("Sessions: %d. Damaged places: %d. Findings: %d. Remarks: %d.", r.Sessions,
			counts[recorder.Damage], counts[recorder.Finding], counts[recorder.Remark])
	}
}

func (c *command) tellRepairs(all []recorder.Repaired) {
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
		c.show(shown, func() { c.Say("%s %s\n         %s", state, hostile.Line(one.Path), terminal.Words(what)) })
	}
}

func (a *app) newRebuild() *cobra.Command {
	var all, database bool
	return withFlags(vars{"all": &all, "index": &database}, a.verb("rebuild", func(c *command) error {
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
	}))
}

func (a *app) rebuild(r *recorder.Root, id council.SessionID) error {
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
