package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
)

func (a *app) newSessions() *cobra.Command {
	var root string
	var asJSON, everywhere bool
	var limit int
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions, newest first",
		Long:  "sessions lists what is recorded. A unique beginning of an id, or latest, names a session in every command.",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			most, err := listLimit(cmd, limit, asJSON)
			if err != nil {
				return err
			}
			if everywhere {
				return a.listEverywhere(cmd.Context(), most, asJSON)
			}
			err = a.InRecord(root, func(r *recorder.Root) error { return a.listSessions(cmd.Context(), r, most, asJSON) })
			if errors.Is(err, recorder.ErrNoRoot) && !asJSON {
				a.Say("No council has met here yet (there is no folder %s).", root)
				return nil
			}
			return err
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, jsonLines)
	cmd.Flags().BoolVar(&everywhere, "all-workspaces", false, "list those of all your workspaces (council workspace list)")
	limitFlag(cmd.Flags(), &limit)
	cmd.MarkFlagsMutuallyExclusive("all-workspaces", "root")
	return cmd
}

// usualLimit is how many lines a list has unless more are asked for: what fits on a screen.
const usualLimit = 20

// limitFlag adds the flag of a list that is cut.
func limitFlag(f *pflag.FlagSet, limit *int) {
	f.IntVar(limit, "limit", usualLimit, "how many, the newest first; 0 is all, as with --json where no limit is given")
}

// listLimit returns how many things a list may hold, 0 being all. Programs are given all unless they ask for less.
func listLimit(cmd *cobra.Command, limit int, asJSON bool) (int, error) {
	if limit < 0 {
		return 0, cli.Usage(cmd, fmt.Errorf("--limit is 0, for all, or more, not %d", limit))
	}
	if asJSON && !cmd.Flags().Changed("limit") {
		return 0, nil
	}
	return limit, nil
}

// rest says how many things a list leaves out, and which command lists all.
func (l *listing) rest(n int, what, command string) {
	if n > 0 && !l.json {
		l.Say("And %s. All are listed by: %s", plural.Things(n, "older "+what), command)
	}
}

func (a *app) listSessions(ctx context.Context, r *recorder.Root, most int, asJSON bool) error {
	sessions, all, err := history.List(ctx, r, most)
	if err == nil {
		sessions, all, err = withAdopted(r, sessions, all, most)
	}
	if err != nil {
		return err
	}
	l := a.list(asJSON, "SESSION", "STATUS", "EVENTS", "TOPIC")
	for _, s := range sessions {
		l.add(listed(s, ""), s.ID, sessionStatus(s), s.Events, terminal.Short(s.Topic, 60))
	}
	err = l.print("No council has met here yet.")
	l.rest(all-len(sessions), "session", cli.CommandLine(r, "council sessions --limit 0"))
	return err
}

// listEverywhere lists the newest sessions of all of the user's workspaces. A workspace that is missing or cannot be
// read is named; the others are listed.
func (a *app) listEverywhere(ctx context.Context, most int, asJSON bool) error {
	type found struct {
		workspace string
		recorder.Summary
	}
	r, err := a.readRegistry()
	if err != nil {
		return err
	}
	var all []found
	sum := 0
	for _, w := range r.Workspaces {
		why := whyMissing(w)
		if why == "" {
			err := a.InRecord(w.Record, func(root *recorder.Root) error {
				sessions, n, err := history.List(ctx, root, most)
				for _, s := range sessions {
					all = append(all, found{w.Name, s})
				}
				sum += n
				return err
			})
			if err == nil {
				continue
			}
			why = err.Error()
		}
		a.Warn("Workspace %s in %s is left out: %s", w.Name, pathLine(w.Path), ended(why))
	}
	slices.SortStableFunc(all, func(x, y found) int {
		return cmp.Or(y.Started.Compare(x.Started), cmp.Compare(y.ID, x.ID))
	})
	if most > 0 {
		all = all[:min(len(all), most)]
	}
	l := a.list(asJSON, "WORKSPACE", "SESSION", "STATUS", "EVENTS", "TOPIC")
	for _, s := range all {
		l.add(listed(s.Summary, s.workspace), s.workspace, s.ID, sessionStatus(s.Summary), s.Events,
			terminal.Short(s.Topic, 60))
	}
	err = l.print("No council has met in any of your workspaces yet.")
	l.rest(sum-len(all), "session", "council sessions --all-workspaces --limit 0")
	return err
}

type listedSession struct {
	Workspace string            `json:"workspace,omitempty"` // its name, where those of several are listed
	ID        council.SessionID `json:"id"`
	Started   string            `json:"started,omitempty"` // RFC 3339, UTC
	Topic     string            `json:"topic,omitempty"`
	Council   string            `json:"council,omitempty"`
	Status    recorder.Status   `json:"status"`
	Reason    string            `json:"reason,omitempty"` // why it is suspended or cannot be read
	Events    int               `json:"events"`
	Outcome   *council.Outcome  `json:"outcome,omitempty"`
}

func listed(s recorder.Summary, workspace string) listedSession {
	l := listedSession{Workspace: workspace, ID: s.ID, Topic: s.Topic, Council: s.Council, Status: s.Status,
		Events: s.Events, Outcome: s.Outcome}
	if !s.Started.IsZero() {
		l.Started = s.Started.Format("2006-01-02T15:04:05.000Z")
	}
	switch {
	case s.Err != nil:
		l.Reason = s.Err.Error()
	case s.Suspended != nil:
		l.Reason = s.Suspended.Error()
	}
	return l
}

// sessionStatus describes in a few words how a session stands.
func sessionStatus(s recorder.Summary) string {
	switch s.Status {
	case recorder.StatusSuspended:
		return "suspended (" + s.Suspended.Error() + ")"
	case recorder.StatusRunning:
		return "running (" + s.Holder.String() + ")"
	case recorder.StatusUnreadable:
		return "unreadable (" + s.Err.Error() + ")"
	case recorder.StatusClosed:
		return endedWords(*s.Outcome)
	case statusAdopted:
		if s.Outcome == nil {
			return "cut off, of roundtable"
		}
		return endedWords(*s.Outcome) + ", of roundtable"
	}
	return string(s.Status)
}

func endedWords(o council.Outcome) string {
	words := "not decided"
	if o.Decided {
		words = "decided"
	}
	return words + map[council.DocumentationStatus]string{
		council.DocumentationApproved:   ", document approved",
		council.DocumentationUnapproved: ", document not approved",
		council.DocumentationMissing:    ", no document",
	}[o.Documentation]
}
