package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
)

func (a *app) newRetry() *cobra.Command {
	run := a.plansVerb(&cobra.Command{
		Use: "run", Short: "Try now what is due, one session after the other", Args: cli.NoArgs,
	}, "", func(c *command, p *plans) error {
		return a.keep(c.ctx, p, func(k *keeper) error {
			for tried := 0; ; tried++ {
				e, ok := k.queue.Next(a.Now(), k.busy)
				if !ok || k.running.Err() != nil {
					a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
					return nil
				}
				if err := k.retry(c.ctx, e); err != nil {
					return err
				}
			}
		})
	})
	return newGroup("retry", "List the suspended sessions that are tried again, and try those that are due",
		`A session that is suspended by what may pass without anybody's help (a server that cannot be reached or fails, a time
limit, a rate limit) is tried again: when the provider asked for it, and after 10 seconds at least, then 20, 40 and so
on up to five minutes. After eight tries that got it no further it is parked until you release it. A try goes on with
the session, as council resume does.

Nothing happens by itself: council daemon tries what is due as long as it runs, council retry run once.`,
		a.plansVerb(&cobra.Command{
			Use: "list", Short: "List the sessions that wait for another try", Args: cli.NoArgs,
		}, jsonLines, listRetries), run,
		a.newRetryRule("release", "Let a session be tried at once, and as often again as at first",
			audit.RetryReleased, "Session %s is due now."),
		a.newRetryRule("drop", "Take a session out of the queue: it is left to council resume",
			audit.RetryDropped, "Session %s is not tried again by itself."))
}

func listRetries(c *command, p *plans) error {
	l := c.list(c.json, "SESSION", "STATE", "DUE", "TRIES", "WHY")
	for _, w := range p.queue.List() {
		var why []string
		for _, cause := range w.Causes {
			why = append(why, cause.Why)
		}
		state, due := "waiting", clock(w.Due.Local())
		switch {
		case p.busy(w.Session):
			state, due = "running", "-"
		case w.Parked:
			state, due = "parked", "-"
		case w.DueAt(c.Now()):
			state = "due"
		}
		l.add(w, w.Session, state, due, fmt.Sprintf("%d of %d", w.Tries, audit.RetryTries), strings.Join(why, ", "))
	}
	return l.print("No session waits for another try.")
}

// newRetryRule returns a command that records what a person wants of a session in the queue, which may be named by the
// beginning of its id.
func (a *app) newRetryRule(verb, short, action, words string) *cobra.Command {
	return a.plansVerb(&cobra.Command{
		Use: verb + " SESSION", Short: short, Args: cli.One("the id of a session"),
	}, "", func(c *command, p *plans) error {
		var found []council.SessionID
		for id := range p.queue {
			if strings.HasPrefix(string(id), c.args[0]) {
				found = append(found, id)
			}
		}
		if len(found) != 1 {
			return cli.Refuse(fmt.Sprintf("%s of the queue begin with %s", plural.Things(len(found), "session"),
				cli.Quote(c.args[0])), "council retry list has them.")
		}
		e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: a.By()}
		if action == audit.RetryReleased {
			e.Due = a.Now()
		}
		err := p.note(e)
		if err == nil {
			a.Say(words, found[0])
		}
		return err
	})
}
