// Package listing lists sessions, and the questions that wait for people.
package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/site"
)

// List returns the newest sessions of a workspace that are kept, and how many there are.
func List(world *site.World, ctx context.Context, r *recorder.Root, most int, keeps func(recorder.Summary) bool) (
	[]Listed, int, error,
) {
	read := most
	if keeps != nil {
		read = 0
	}
	sessions, all, err := history.List(ctx, r, read)
	if err == nil {
		sessions, all, err = withAdopted(r, sessions, all, read)
	}
	succeeded := successorsAmong(world, r, sessions)
	if err == nil && keeps != nil {
		sessions = slices.DeleteFunc(sessions, func(s recorder.Summary) bool { return !keeps(s) })
		if all = len(sessions); most > 0 {
			sessions = sessions[:min(all, most)]
		}
	}
	ids, failed := r.IDs()
	short := recorder.Short(ids)
	var found []Listed
	for _, s := range sessions {
		l := listed(s, short(s.ID))
		if later := succeeded[s.ID]; later != nil {
			l.successors = *later
		}
		found = append(found, l)
	}
	return found, all, errors.Join(err, failed)
}

// Listed is a session in a list, as --json prints it.
type Listed struct {
	Workspace string            `json:"workspace,omitempty"` // its name, where those of several are listed
	ID        council.SessionID `json:"id"`
	Short     string            `json:"short"`             // the shortest name that is its own there
	Started   string            `json:"started,omitempty"` // RFC 3339, UTC
	Topic     string            `json:"topic,omitempty"`
	Council   string            `json:"council,omitempty"`
	minutes.Gist
	successors
	Reason  string           `json:"reason,omitempty"` // why it is suspended or cannot be read, or who runs it
	Events  int              `json:"events"`
	Outcome *council.Outcome `json:"outcome,omitempty"`
}

func listed(s recorder.Summary, short string) Listed {
	l := Listed{ID: s.ID, Short: short, Topic: s.Topic, Council: s.Council, Gist: s.Gist, Events: s.Events,
		Outcome: s.Outcome}
	if !s.Started.IsZero() {
		l.Started = s.Started.Format("2006-01-02T15:04:05.000Z")
	}
	switch {
	case s.Err != nil:
		l.Reason = s.Err.Error()
	case s.Suspended != nil:
		l.Reason = s.Suspended.Error()
	case s.State == minutes.StateRunning:
		l.Reason = s.Holder.String()
	}
	return l
}

// Status describes in a few words how a session stands.
func Status(s recorder.Summary) string {
	if l := listed(s, ""); l.Reason != "" {
		return fmt.Sprintf("%s (%s)", s.State, l.Reason)
	}
	return site.Joined(", ", string(s.State), s.Approval)
}
