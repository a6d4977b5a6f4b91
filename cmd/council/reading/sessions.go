package reading

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
)

func (d Desk) newSessions() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions, newest first",
		Long:  "sessions lists what is recorded. A unique beginning of an id, or latest, names a session in every command.",
		Args:  desk.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := recorder.FindRoot(root, d.Record...)
			if errors.Is(err, recorder.ErrNoRoot) && !asJSON {
				fmt.Fprintf(d.Out, "No council has met here yet (there is no folder %s).\n", hostile.Line(root))
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
				return d.listJSON(sessions)
			}
			return d.listPlain(sessions)
		},
	}
	desk.RootFlag(cmd.Flags(), &root)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (d Desk) listPlain(sessions []recorder.Summary) error {
	if len(sessions) == 0 {
		fmt.Fprintln(d.Out, "No council has met here yet.")
		return nil
	}
	w := tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tSTATUS\tEVENTS\tTOPIC")
	for _, s := range sessions {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", s.ID, hostile.Line(status(s)), s.Events, brief(s.Topic))
	}
	return w.Flush()
}

// listed is a session as sessions --json prints it.
type listed struct {
	ID      council.SessionID `json:"id"`
	Started string            `json:"started,omitempty"` // RFC 3339, UTC
	Topic   string            `json:"topic,omitempty"`
	Council string            `json:"council,omitempty"`
	Status  recorder.Status   `json:"status"`
	Reason  string            `json:"reason,omitempty"` // why it is suspended or cannot be read
	Events  int               `json:"events"`
	Outcome *council.Outcome  `json:"outcome,omitempty"`
}

func (d Desk) listJSON(sessions []recorder.Summary) error {
	for _, s := range sessions {
		l := listed{ID: s.ID, Topic: s.Topic, Council: s.Council, Status: s.Status, Events: s.Events, Outcome: s.Outcome}
		if !s.Started.IsZero() {
			l.Started = s.Started.Format("2006-01-02T15:04:05.000Z")
		}
		switch {
		case s.Err != nil:
			l.Reason = s.Err.Error()
		case s.Suspended != nil:
			l.Reason = s.Suspended.Error()
		}
		if err := terminal.JSON(d.Out, l); err != nil {
			return err
		}
	}
	return nil
}

// status says in a few words how a session stands.
func status(s recorder.Summary) string {
	switch s.Status {
	case recorder.StatusSuspended:
		return "suspended (" + s.Suspended.Error() + ")"
	case recorder.StatusRunning:
		return "running (" + s.Holder.String() + ")"
	case recorder.StatusUnreadable:
		return "unreadable (" + s.Err.Error() + ")"
	case recorder.StatusClosed:
		return ended(*s.Outcome)
	}
	return string(s.Status)
}

func ended(o council.Outcome) string {
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

// brief is the beginning of a topic, on one line.
func brief(topic string) string {
	runes := []rune(hostile.Line(topic))
	if len(runes) <= 60 {
		return string(runes)
	}
	return string(runes[:59]) + "…"
}
