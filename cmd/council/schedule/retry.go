package schedule

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

// NewRetry returns the command retry.
func NewRetry(a *cli.Env) *cobra.Command {
	run := plansVerb(a, "retry run", func(c *cli.Command, p *schedule.Plans) error {
		return keepSchedule(a, c.Ctx, p, func(k *keeper) error {
			for tried := 0; ; tried++ {
				e, ok := k.Queue.Next(a.Now(), k.Busy)
				if !ok || k.running.Err() != nil {
					a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
					return nil
				}
				if err := k.retry(c.Ctx, e); err != nil {
					return err
				}
			}
		})
	})
	return cli.NewGroup("retry",
		plansVerb(a, "retry list", listRetries), run,
		newRetryRule(a, "retry release", audit.RetryReleased, "Session %s is due now."),
		newRetryRule(a, "retry drop", audit.RetryDropped, "Session %s is not tried again by itself."))
}

func listRetries(c *cli.Command, p *schedule.Plans) error {
	l := cli.NewList(c.Env, c.Json, "SESSION", "STATE", "DUE", "TRIES", "WHY")
	for _, w := range p.Queue.List() {
		var why []string
		for _, cause := range w.Causes {
			why = append(why, cause.Why)
		}
		state, due := "waiting", site.Clock(w.Due.Local())
		switch {
		case p.Busy(w.Session):
			state, due = "running", "-"
		case w.Parked:
			state, due = "parked", "-"
		case w.DueAt(c.Now()):
			state = "due"
		}
		l.Add(w, w.Session, state, due, fmt.Sprintf("%d of %d", w.Tries, audit.RetryTries), strings.Join(why, ", "))
	}
	return l.Print("No session waits for another try.")
}

// newRetryRule returns a command that records what a person wants of a session in the queue, which may be named by the
// beginning of its id.
func newRetryRule(a *cli.Env, path, action, words string) *cobra.Command {
	return plansVerb(a, path, func(c *cli.Command, p *schedule.Plans) error {
		var found []council.SessionID
		for id := range p.Queue {
			if strings.HasPrefix(string(id), c.Args[0]) {
				found = append(found, id)
			}
		}
		if len(found) != 1 {
			return site.Refuse(fmt.Sprintf("%s of the queue begin with %s", plural.Things(len(found), "session"),
				site.Quote(c.Args[0])), "council retry list has them.")
		}
		e := audit.Entry{Type: audit.TypeRetry, Action: action, Session: found[0], By: a.By()}
		if action == audit.RetryReleased {
			e.Due = a.Now()
		}
		err := p.Note(e)
		if err == nil {
			a.Say(words, found[0])
		}
		return err
	})
}

// plansVerb is verb for what is planned in a record.
func plansVerb(a *cli.Env, path string, do func(*cli.Command, *schedule.Plans) error) *cobra.Command {
	return cli.Verb(a, path, func(c *cli.Command) error {
		p, err := schedule.Open(a.World, c.Root, time.Time{})
		if err != nil {
			return err
		}
		return do(c, p)
	})
}
