package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/history"
	"github.com/council-engine/council/workspace/registry"
	"github.com/council-engine/council/workspace/site"
)

type sessionsOptions struct {
	root, since      string
	status           []string
	json, everywhere bool
	limit            int
}

func newSessions(a *cli.Env) *cobra.Command {
	var o sessionsOptions
	cmd := cli.Standalone("sessions", func(cmd *cobra.Command, _ []string) error {
		most, err := cli.ListLimit(cmd, o.limit, o.json)
		if err != nil {
			return err
		}
		keeps, err := sessionFilter(a, o)
		if err != nil {
			return err
		}
		if o.everywhere {
			return listEverywhere(a, cmd.Context(), o, most, keeps)
		}
		err = a.InRecord(o.root, func(r *recorder.Root) error {
			sessions, all, err := sessionsIn(a, cmd.Context(), r, most, keeps)
			if err != nil {
				return err
			}
			return tellSessions(a, o, sessions, all, "No council has met here yet.",
				site.CommandLine(r, "council sessions --limit 0"))
		})
		if errors.Is(err, recorder.ErrNoRoot) && !o.json {
			a.Say("No council has met here yet (there is no folder %s).", o.root)
			return nil
		}
		return err
	})
	f := cmd.Flags()
	cli.RootFlag(f, &o.root)
	f.StringSliceVar(&o.status, "status", nil, "")
	cli.AddFlags(f, cli.Flags{"json": &o.json, "all-workspaces": &o.everywhere, "since": &o.since})
	cli.LimitFlag(f, &o.limit)
	cmd.MarkFlagsMutuallyExclusive("all-workspaces", "root")
	return cmd
}

// sessionFilter returns what the flags keep of a list; nil: everything.
func sessionFilter(a *cli.Env, o sessionsOptions) (func(recorder.Summary) bool, error) {
	since, err := cli.SinceTime("since", o.since, a.Now())
	if err != nil || o.since == "" && o.status == nil {
		return nil, err
	}
	for _, word := range o.status {
		if err := site.KnownWord("status", word, minutes.Words()); err != nil {
			return nil, err
		}
	}
	return func(s recorder.Summary) bool {
		return !s.Started.Before(since) && (o.status == nil || slices.Contains(o.status, string(s.State)) ||
			slices.Contains(o.status, s.Approval))
	}, nil
}

// sessionsIn returns the newest sessions of a workspace that are kept, and how many there are.
func sessionsIn(a *cli.Env, ctx context.Context, r *recorder.Root, most int, keeps func(recorder.Summary) bool) (
	[]listedSession, int, error,
) {
	read := most
	if keeps != nil {
		read = 0
	}
	sessions, all, err := history.List(ctx, r, read)
	if err == nil {
		sessions, all, err = withAdopted(r, sessions, all, read)
	}
	succeeded := successorsAmong(a, r, sessions)
	if err == nil && keeps != nil {
		sessions = slices.DeleteFunc(sessions, func(s recorder.Summary) bool { return !keeps(s) })
		if all = len(sessions); most > 0 {
			sessions = sessions[:min(all, most)]
		}
	}
	ids, failed := r.IDs()
	short := recorder.Short(ids)
	var found []listedSession
	for _, s := range sessions {
		l := listed(s, short(s.ID))
		if later := succeeded[s.ID]; later != nil {
			l.successors = *later
		}
		found = append(found, l)
	}
	return found, all, errors.Join(err, failed)
}

// tellSessions prints a list of sessions, of which there are all.
func tellSessions(a *cli.Env, o sessionsOptions, sessions []listedSession, all int, none, command string) error {
	heads := []any{"SESSION", "WHEN", "QUESTION", "OUTCOME", "VOTE", "APPROVED", "USD"}
	if o.everywhere {
		heads = slices.Insert(heads, 0, any("WORKSPACE"))
	}
	if o.since != "" || o.status != nil {
		none = "No session is like that."
	}
	l := cli.NewList(a, o.json, heads...)
	for _, s := range sessions {
		vote, cost := "-", "-"
		if s.Vote != nil {
			vote = fmt.Sprintf("%d:%d", s.Vote.Yes, s.Vote.No)
		}
		if s.CostUSD != nil {
			cost = strings.TrimSuffix(council.Dollars(*s.CostUSD).String(), " USD")
		}
		day, _, _ := strings.Cut(s.Started, "T")
		cells := []any{s.Workspace, s.Short, cmp.Or(day, "-"), hostile.Excerpt(s.Topic, 60),
			cli.Joined(", ", string(s.State), s.Words()), vote, cmp.Or(s.Approval, "-"), cost}
		l.Add(s, cells[len(cells)-len(heads):]...)
	}
	err := l.Print(none)
	for _, s := range sessions {
		if s.Reason != "" && !o.json {
			a.Say("%s is %s (%s).", s.Short, s.State, s.Reason)
		}
	}
	l.Rest(all-len(sessions), "session", command)
	return err
}

// listEverywhere lists the newest sessions of all of the user's workspaces. A workspace that is missing or cannot be
// read is named; the others are listed.
func listEverywhere(a *cli.Env,
	ctx context.Context, o sessionsOptions, most int, keeps func(recorder.Summary) bool,
) error {
	r, err := registry.Read(a.World)
	if err != nil {
		return err
	}
	var all []listedSession
	sum := 0
	for _, w := range r.Workspaces {
		why := registry.WhyMissing(w)
		if why == "" {
			err := a.InRecord(w.Record, func(root *recorder.Root) error {
				sessions, n, err := sessionsIn(a, ctx, root, most, keeps)
				for _, s := range sessions {
					s.Workspace = w.Name
					all = append(all, s)
				}
				sum += n
				return err
			})
			if err == nil {
				continue
			}
			why = err.Error()
		}
		a.Warn("Workspace %s in %s is left out: %s", w.Name, site.PathLine(w.Path), ended(why))
	}
	slices.SortStableFunc(all, func(x, y listedSession) int {
		return cmp.Or(cmp.Compare(y.Started, x.Started), cmp.Compare(y.ID, x.ID))
	})
	if most > 0 {
		all = all[:min(len(all), most)]
	}
	return tellSessions(a, o, all, sum, "No council has met in any of your workspaces yet.",
		"council sessions --all-workspaces --limit 0")
}

type listedSession struct {
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

func listed(s recorder.Summary, short string) listedSession {
	l := listedSession{ID: s.ID, Short: short, Topic: s.Topic, Council: s.Council, Gist: s.Gist, Events: s.Events,
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

// sessionStatus describes in a few words how a session stands.
func sessionStatus(s recorder.Summary) string {
	if l := listed(s, ""); l.Reason != "" {
		return fmt.Sprintf("%s (%s)", s.State, l.Reason)
	}
	return cli.Joined(", ", string(s.State), s.Approval)
}
