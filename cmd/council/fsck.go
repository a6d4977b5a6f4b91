package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newFsck() *cobra.Command {
	var root string
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Look through the whole record, and repair what can be repaired safely",
		Long: `fsck reads everything in the folder of the record, writes nothing, and names what is not as it should be: damage,
torn ends, derived files out of step, what interrupted writes left behind, links, permissions, strangers.

--repair does what is safe: torn ends are cut off (the bytes are kept beside), derived files are rendered again
(somebody's edits are kept beside), leftovers are removed, other users are kept out. Damage is never touched.

Exit codes: 0 all is well · 3 something was found · 5 a session is damaged. With --repair they tell what remains.`,
		Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.fsck(root, repair, asJSON) },
	}
	f := cmd.Flags()
	cli.RootFlag(f, &root)
	f.BoolVar(&repair, "repair", false, "do what is safe, and say what is lost")
	f.BoolVar(&asJSON, "json", false, "one JSON object a line: what was found, then what was repaired")
	return cmd
}

func (a *app) fsck(folder string, repair, asJSON bool) error {
	root, err := recorder.FindRoot(folder, a.Record()...)
	if err != nil {
		return err
	}
	defer root.Close()
	trust := func(id council.SessionID) (recorder.Trust, error) { return a.trustIn(root, id) }
	report, err := root.Check(trust)
	if err != nil {
		return err
	}
	if err := a.tellCheckup(report, asJSON); err != nil {
		return err
	}
	if repair {
		if err := a.tellRepairs(root.Repair(report, a.Inputs()), asJSON); err != nil {
			return err
		}
		if report, err = root.Check(trust); err != nil {
			return err
		}
	}
	switch report.Worst() {
	case recorder.Damage:
		return &cli.Told{Err: recorder.ErrDamaged}
	case recorder.Finding:
		return &cli.Told{Err: cli.ErrFindings}
	}
	return nil
}

func (a *app) tellCheckup(r recorder.Findings, asJSON bool) error {
	if asJSON {
		for _, f := range r.Found {
			if err := a.JSON(f); err != nil {
				return err
			}
		}
		return nil
	}
	counts := map[recorder.Weight]int{}
	for _, f := range r.Found {
		counts[f.Weight]++
		safe := ""
		if f.Repair {
			safe = " (--repair does it.)"
		}
		a.Say("%-8s %s\n         %s\n         %s%s", f.Weight, hostile.Line(f.Path), terminal.Words(f.Problem), f.Do, safe)
	}
	fmt.Fprintf(a.Out, "Sessions: %d. Damaged places: %d. Findings: %d. Remarks: %d.\n", r.Sessions,
		counts[recorder.Damage], counts[recorder.Finding], counts[recorder.Remark])
	return nil
}

func (a *app) tellRepairs(all []recorder.Repaired, asJSON bool) error {
	for _, one := range all {
		failed := ""
		if one.Err != nil {
			failed = one.Err.Error()
		}
		if asJSON {
			err := a.JSON(struct {
				recorder.Repaired
				Failed string `json:"failed,omitempty"`
			}{one, failed})
			if err != nil {
				return err
			}
			continue
		}
		if failed != "" {
			a.Say("not done %s\n         %s.", hostile.Line(one.Path), terminal.Words(failed))
			continue
		}
		a.Say("done     %s\n         %s", hostile.Line(one.Path), terminal.Words(one.Did))
	}
	return nil
}
