package session

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/attend"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/site"
)

func newRetry(a *cli.Env) *cobra.Command {
	return cli.Verb(a, &cobra.Command{Use: "retry",
		Short: "Try suspended sessions again that are due, one after the other"},
		func(c *cli.Command) error {
			tried, err := c.Workspace.RetryDue(c.Ctx, keeper(a, c.Root))
			if err == nil {
				a.Say("%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
			}
			return err
		})
}

func listRetries(c *cli.Command, p *schedule.Plans) error {
	l := cli.NewList(c.Env, c.AsJSON, "SESSION", "STATE", "DUE", "TRIES", "WHY")
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
func newRetryRule(a *cli.Env, cmd *cobra.Command, action, words string) *cobra.Command {
	return cli.Verb(a, cmd, func(c *cli.Command) error {
		id, err := c.Workspace.RuleRetry(c.Args[0], action)
		if err == nil {
			a.Say(words, id)
		}
		return err
	})
}

// plansVerb is verb for what is planned in a record.
func plansVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *schedule.Plans) error) *cobra.Command {
	return cli.Verb(a, cmd, func(c *cli.Command) error {
		p, err := schedule.Open(a.World, c.Root, time.Time{})
		if err != nil {
			return err
		}
		return do(c, p)
	})
}

func newDaemon(a *cli.Env) *cobra.Command {
	return cli.Verb(a, &cobra.Command{Use: "daemon",
		Short: "Convene routines and try suspended sessions again, when they are due, until it is stopped",
		Long: `
daemon carries out what is due in one workspace, one session after the other: routines (council schedule list) and
sessions that were suspended by an outage or a rate limit (council schedule queue). Run it in the folder where you would
run council convene. It asks nobody: what needs a person, such as trust or a login, is told in its log, which is
standard error.

Ctrl-C or SIGTERM stops it: what is in hand is waited for and kept, and the session goes on when the daemon runs again.
A second one stops at once. There is one daemon for a workspace; docs/operations.md has a unit for systemd.`,
	}, func(c *cli.Command) error { return c.Workspace.Attend(c.Ctx, keeper(a, c.Root)) })
}

// keeper returns the keeper of a record.
func keeper(a *cli.Env, root *recorder.Root) attend.Keeper {
	alone := func() *cli.Env { return a.Alone(io.Discard, a.Signals) }
	return attend.Keeper{Trust: cli.TrustGate(alone()),
		Problem: func(f schedule.Routine) error { return RoutineProblem(a, root, f) },
		Hint:    func(err error) string { _, hint := cli.Explain(err); return hint },
		Request: func(f schedule.Routine) (*run.Request, error) {
			one := alone() // with settings of its own
			o, topic, err := conveneFor(one, root, f)
			if o.Show = unwatched; err == nil {
				err = o.complete(one, topic)
			}
			return &o.Request, err
		}}
}
