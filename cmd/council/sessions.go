package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (a *app) newSessions() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions, newest first",
		Long:  "sessions lists what is recorded. A unique beginning of an id, or latest, names a session in every command.",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := recorder.FindRoot(root, a.Record()...)
			if errors.Is(err, recorder.ErrNoRoot) && !asJSON {
				fmt.Fprintf(a.Out, "No council has met here yet (there is no folder %s).\n", hostile.Line(root))
				return nil
			}
			if err != nil {
				return err
			}
			defer r.Close()
			sessions, err := r.List()
			if err != nil {
				return err
			}
			if asJSON {
				return a.listSessionsJSON(sessions)
			}
			return a.listSessions(sessions)
		},
	}
	cli.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
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
	ID      council.SessionID `json:"id"`
	Started string            `json:"started,omitempty"` // RFC 3339, UTC
	Topic   string            `json:"topic,omitempty"`
	Council string            `json:"council,omitempty"`
	Status  recorder.Status   `json:"status"`
	Reason  string            `json:"reason,omitempty"` // why it is suspended or cannot be read
	Events  int               `json:"events"`
	Outcome *council.Outcome  `json:"outcome,omitempty"`
}

func (a *app) listSessionsJSON(sessions []recorder.Summary) error {
	for _, s := range sessions {
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
		if err := a.JSON(l); err != nil {
			return err
		}
	}
	return nil
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
