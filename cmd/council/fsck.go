package main

import (
	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newFsck() *cobra.Command {
	var repair bool
	cmd := a.verb(&cobra.Command{
		Use:   "fsck",
		Short: "Look through the whole record, and repair what can be repaired safely",
		Long: `fsck reads everything in the folder of the record, writes nothing, and names what is not as it should be: damage,
torn ends, derived files out of step, what interrupted writes left behind, links, permissions, strangers.

--repair does what is safe: torn ends are cut off (the bytes are kept beside), derived files are rendered again
(somebody's edits are kept beside), leftovers are removed, other users are kept out. Damage is never touched.

Exit codes: 0 all is well · 3 something was found · 5 a session is damaged. With --repair they tell what remains.`,
		Args: cli.NoArgs,
	}, "one JSON object a line: what was found, then what was repaired", func(c *command) error { return c.fsck(repair) })
	cmd.Flags().BoolVar(&repair, "repair", false, "do what is safe, and say what is lost")
	return cmd
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
		if c.json {
			c.JSON(f)
			continue
		}
		safe := ""
		if f.Repair {
			safe = " (--repair does it.)"
		}
		c.Say("%-8s %s\n         %s\n         %s%s", f.Weight, hostile.Line(f.Path), terminal.Words(f.Problem), f.Do, safe)
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
		if one.Err != nil {
			shown.Failed = one.Err.Error()
		}
		switch {
		case c.json:
			c.JSON(shown)
		case one.Err != nil:
			c.Say("not done %s\n         %s.", hostile.Line(one.Path), terminal.Words(shown.Failed))
		default:
			c.Say("done     %s\n         %s", hostile.Line(one.Path), terminal.Words(one.Did))
		}
	}
}
