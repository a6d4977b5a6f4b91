package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newVerify() *cobra.Command {
	var root string
	var all bool
	cmd := &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Recompute a session from its log and compare every file",
		Long: `verify reads the log of a session (the latest, unless one is named) and changes nothing. It checks the chain and
the schema of every event, decides every consequence and counts every vote again by the rules, renders every derived
file and compares it byte for byte, and holds the conversations against the events.`,
		Args: atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := recorder.FindRoot(root, a.record...)
			if err != nil {
				return err
			}
			if !all {
				id, err := r.Find(nameOf(args))
				if err != nil {
					return err
				}
				return a.verify(r, id)
			}
			sessions, err := r.List()
			if err != nil {
				return err
			}
			var errs []error
			for _, s := range sessions {
				if s.Status != recorder.StatusEmpty {
					errs = append(errs, a.verify(r, s.ID))
				}
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVar(&root, "root", defaultRoot, "folder of the record")
	cmd.Flags().BoolVar(&all, "all", false, "verify every session")
	return cmd
}

// verify prints what was compared and what was found. What is wrong makes it fail as damage.
func (a *app) verify(r *recorder.Root, id council.SessionID) error {
	report, err := r.Verify(id)
	if err != nil && len(report.Checks) == 0 {
		return fmt.Errorf("session %s: %w", id, err)
	}
	fmt.Fprintf(a.stdout, "Session %s, %d events\n", id, report.Events)
	for _, c := range report.Checks {
		verdict := "ok"
		if len(c.Findings) > 0 {
			verdict = "NOT OK"
		}
		fmt.Fprintf(a.stdout, "  %-6s  %s: %s\n", verdict, c.Name, hostile.Line(c.Looked))
		for _, finding := range c.Findings {
			fmt.Fprintf(a.stdout, "          - %s\n", hostile.Line(finding))
		}
		for _, note := range c.Notes {
			fmt.Fprintf(a.stdout, "          (%s)\n", hostile.Line(note))
		}
	}
	if !report.OK() {
		return exitCode(exitDamaged)
	}
	return nil
}
