package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
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
			r, err := recorder.FindRoot(root, a.Record()...)
			if errors.Is(err, recorder.ErrNoRoot) && !asJSON {
				fmt.Fprintf(a.Out, "No council has met here yet (there is no folder %s).\n", hostile.Line(root))
				return nil
			}
			if err != nil {
				return err
			}
			defer r.Close()
			sessions, all, err := history.List(cmd.Context(), r, most)
			if err == nil {
				sessions, all, err = withAdopted(r, sessions, all, most)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.listSessionsJSON(sessions)
			}
			return errors.Join(a.listSessions(sessions), a.tellRest(all-len(sessions), "session", "council sessions", r))
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
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

// tellRest says how many things a list leaves out, and how to see them.
func (a *app) tellRest(n int, what, command string, r *recorder.Root) error {
	if n <= 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.Out, "And %s. All are listed by: %s\n", plural.Things(n, "older "+what),
		cli.CommandLine(r, command+" --limit 0"))
	return err
}

func (a *app) listSessions(sessions []recorder.Summary) error {
	if len(sessions) == 0 {
		fmt.Fprintln(a.Out, "No council has met here yet.")
		return nil
	}
	rows := [][]any{{"SESSION", "STATUS", "EVENTS", "TOPIC"}}
	for _, s := range sessions {
		rows = append(rows, []any{s.ID, hostile.Line(sessionStatus(s)), s.Events, terminal.Short(s.Topic, 60)})
	}
	return a.Table(rows...)
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

func (a *app) listSessionsJSON(sessions []recorder.Summary) error {
	for _, s := range sessions {
		if err := a.JSON(listed(s)); err != nil {
			return err
		}
	}
	return nil
}

func listed(s recorder.Summary) listedSession {
	l := listedSession{ID: s.ID, Topic: s.Topic, Council: s.Council, Status: s.Status, Events: s.Events,
		Outcome: s.Outcome}
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
	case statusAdopted:
		return adoptedWords(s.Outcome)
	case recorder.StatusClosed:
		return endedWords(*s.Outcome)
	}
	return string(s.Status)
}

func endedWords(o council.Outcome) string {
	words := "not decided"
	if o.Decided {
		words = "decided"
	}
	switch o.Documentation {
	case council.DocumentationApproved:
		words += ", document approved"
	case council.DocumentationUnapproved:
		words += ", document not approved"
	case council.DocumentationMissing:
		words += ", no document"
	}
	return words
}
