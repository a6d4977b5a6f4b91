package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

func (a *app) newRetry() *cobra.Command {
	var root string
	cmd := newGroup("retry", "List the suspended sessions that are tried again, and try those that are due",
		`A session that is suspended by what may pass without anybody's help (a server that cannot be reached or fails, a time
limit, a rate limit) is tried again: when the provider asked for it, and after 10 seconds at least, then 20, 40 and so
on up to five minutes. After eight tries that got it no further it is parked until you release it. A try goes on with
the session, as council resume does.

Nothing happens by itself: council daemon tries what is due as long as it runs, council retry run once.`,
		a.newPlansList(&root, "List the sessions that wait for another try", a.listRetries), a.newRetryRun(&root),
		a.newRetryRule(&root, "release", "Let a session be tried at once, and as often again as at first",
			audit.RetryReleased, "Session %s is due now."),
		a.newRetryRule(&root, "drop", "Take a session out of the queue: it is left to council resume",
			audit.RetryDropped, "Session %s is not tried again by itself."))
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

func (a *app) listRetries(p *plans, asJSON bool) error {
	rows := [][]any{{"SESSION", "STATE", "DUE", "TRIES", "WHY"}}
	for _, w := range p.queue.List() {
		if asJSON {
			if err := a.JSON(w); err != nil {
				return err
			}
			continue
		}
		var why []string
		for _, c := range w.Causes {
			why = append(why, c.Why)
		}
		state, due := "waiting", clock(w.Due.Local())
		switch {
		case p.busy(w.Session):
			state, due = "running", "-"
		case w.Parked:
			state, due = "parked", "-"
		case w.DueAt(a.Now()):
			state = "due"
		}
		rows = append(rows, []any{hostile.Line(string(w.Session)), state, due,
			fmt.Sprintf("%d of %d", w.Tries, audit.RetryTries), hostile.Line(strings.Join(why, ", "))})
	}
	if asJSON {
		return nil
	}
	if len(rows) == 1 {
		a.Say("No session waits for another try.")
		return nil
	}
	return a.Table(rows...)
}

func (a *app) newRetryRun(root *string) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Try now what is due, one session after the other",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.keep(cmd.Context(), *root, func(ctx context.Context, k *keeper) error {
				for tried := 0; ; tried++ {
					e, ok := k.queue.Next(a.Now(), k.busy)
					if !ok || k.running.Err() != nil {
						a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
						return nil
					}
					if err := k.retry(ctx, e); err != nil {
						return err
					}
				}
			})
		},
	}
}

// newRetryRule returns a command that records what a person wants of a session in the queue, which may be named by the
// beginning of its id.
func (a *app) newRetryRule(root *string, verb, short, action, words string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " SESSION", Short: short, Args: cli.One("the id of a session"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.inPlans(*root, func(p *plans) error {
				var found []council.SessionID
				for id := range p.queue {
					if strings.HasPrefix(string(id), args[0]) {
						found = append(found, id)
					}
				}
				if len(found) != 1 {
					return cli.Refuse(fmt.Sprintf("%s of the queue begin with %s", plural.Things(len(found), "session"),
						cli.Quote(args[0])), "council retry list has them.")
				}
				e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: a.By()}
				if action == audit.RetryReleased {
					e.Due = a.Now()
				}
				if err := p.note(e); err != nil {
					return err
				}
				a.Say(words, found[0])
				return nil
			})
		},
	}
}
