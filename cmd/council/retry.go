package main

import (
	"context"
	"fmt"
	"strings"
	"time"

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
		`retry looks after the queue of suspended sessions. A session enters it when it is suspended by what may pass without
anybody's help: a server that cannot be reached or fails, a time limit, a rate limit. It is due when the provider
asked to be tried again, and after 10 seconds at least, then 20, 40 and so on up to five minutes. After eight tries
that got it no further it is parked until you release it. A try goes on with the session, as council resume does.

Nothing happens by itself: council daemon tries what is due as long as it runs, council retry run once.`,
		a.newRetryList(&root), a.newRetryRun(&root), a.newRetryRelease(&root), a.newRetryDrop(&root))
	cli.RootFlag(cmd.PersistentFlags(), &root)
	return cmd
}

type listedRetry struct {
	Session council.SessionID `json:"session"`
	State   string            `json:"state"`
	Due     time.Time         `json:"due"`
	Tries   int               `json:"tries"`
	Causes  []listedCause     `json:"causes"`
}

type listedCause struct {
	Why string    `json:"why"`
	Due time.Time `json:"due"`
}

func (a *app) newRetryList(root *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions that wait for another try",
		Args:  cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.inPlans(*root, func(p *plans) error { return a.listRetries(p, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

func (a *app) listRetries(p *plans, asJSON bool) error {
	rows := [][]any{{"SESSION", "STATE", "DUE", "TRIES", "WHY"}}
	for _, w := range p.queue.List() {
		l := listedRetry{Session: w.Session, State: "waiting", Due: w.Due.UTC(), Tries: w.Tries}
		var why []string
		for _, c := range w.Causes {
			l.Causes = append(l.Causes, listedCause{c.Why, c.Due.UTC()})
			why = append(why, c.Why)
		}
		due := clock(w.Due)
		switch {
		case p.busy(w.Session):
			l.State, due = "running", "-"
		case w.Parked:
			l.State, due = "parked", "-"
		case !a.Now().Before(w.Due):
			l.State = "due"
		}
		if asJSON {
			if err := a.JSON(l); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []any{hostile.Line(string(w.Session)), l.State, due,
			fmt.Sprintf("%d of %d", w.Tries, audit.RetryTries), hostile.Line(strings.Join(why, ", "))})
	}
	switch {
	case asJSON:
		return nil
	case len(rows) == 1:
		fmt.Fprintln(a.Out, "No session waits for another try.")
		return nil
	}
	return a.Table(rows...)
}

func (a *app) newRetryRun(root *string) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Try now what is due, one session after the other",
		Long: `run goes on with each session that is due, one after the other, and ends when none is. It looks at no routine. While
council daemon runs there is nothing to do for it: the daemon does the same.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.keep(cmd.Context(), *root, func(ctx context.Context, k *keeper) error {
				for tried := 0; ; tried++ {
					e, ok := k.queue.Next(a.Now(), k.busy)
					if !ok || k.stopping() {
						a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
						return nil
					}
					if e.Action != audit.RetryFired {
						tried--
					}
					if err := k.retry(ctx, e); err != nil {
						return err
					}
				}
			})
		},
	}
}

func (a *app) newRetryRelease(root *string) *cobra.Command {
	return &cobra.Command{
		Use:   "release SESSION",
		Short: "Let a session be tried at once, and as often again as at first",
		Args:  cli.One("the id of a session"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.ruleOnRetry(*root, args[0], audit.RetryReleased, "Session %s is due now.")
		},
	}
}

func (a *app) newRetryDrop(root *string) *cobra.Command {
	return &cobra.Command{
		Use:   "drop SESSION",
		Short: "Take a session out of the queue; it stays suspended, and council resume goes on with it",
		Args:  cli.One("the id of a session"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.ruleOnRetry(*root, args[0], audit.RetryDropped, "Session %s is not tried again by itself.")
		},
	}
}

// ruleOnRetry records what a person wants of a session in the queue, which may be named by the beginning of its id.
func (a *app) ruleOnRetry(folder, name, action, words string) error {
	return a.inPlans(folder, func(p *plans) error {
		var found []council.SessionID
		for _, w := range p.queue.List() {
			if strings.HasPrefix(string(w.Session), name) {
				found = append(found, w.Session)
			}
		}
		if len(found) != 1 {
			problem := cli.Quote(name) + " waits for no other try"
			if len(found) > 1 {
				problem = plural.Things(len(found), "session") + " of the queue begin with " + cli.Quote(name)
			}
			return cli.Refuse(problem, "council retry list has the sessions that do.")
		}
		e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: a.By()}
		if action == audit.RetryReleased {
			e.Due = a.Now().UTC()
		}
		if err := p.note(e); err != nil {
			return err
		}
		a.Say(words, found[0])
		return nil
	})
}
