// Package listing lists sessions, and the questions that wait for people.
package listing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/site"
)

// Filter says which sessions a list holds. The zero value keeps all.
type Filter struct {
	Session council.SessionID // only this one
	Since   string            // none older: a day such as 2026-11-01, or a time before now such as 7d or 12h
	Status  []string          // only those with one of these [minutes.Words] as their state or approval
	Limit   int               // at most so many, the newest; 0: all
}

// Keeps returns the test that a session must pass, or nil where every session does. A word of the filter that has no
// meaning is an [site.Invalid] error.
func (f Filter) Keeps(now time.Time) (func(recorder.Summary) bool, error) {
	since, err := site.Since("since", f.Since, now)
	if err != nil || f.Since == "" && f.Status == nil && f.Session == "" {
		return nil, err
	}
	for _, word := range f.Status {
		if err := site.KnownWord("status", word, minutes.Words()); err != nil {
			return nil, err
		}
	}
	return func(s recorder.Summary) bool {
		return (f.Session == "" || s.ID == f.Session) && !s.Started.Before(since) && (f.Status == nil ||
			slices.Contains(f.Status, string(s.State)) || slices.Contains(f.Status, s.Approval))
	}, nil
}

// List returns the newest sessions of a workspace that a filter keeps, and how many it would keep without a limit.
func List(world *site.World, ctx context.Context, r *recorder.Root, f Filter) ([]Listed, int, error) {
	keeps, err := f.Keeps(world.Now())
	if err != nil {
		return nil, 0, err
	}
	most, read := f.Limit, f.Limit
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
