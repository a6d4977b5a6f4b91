package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/attend"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewSchedule returns the command schedule: routines, and the queue of suspended sessions that are tried again.
func NewSchedule(a *cli.Env) *cobra.Command {
	daemon := cli.Verb(a, &cobra.Command{Use: "daemon",
		Short: "Convene routines and try suspended sessions again, when they are due, until it is stopped",
		Long: `
daemon carries out what is due in one workspace, one session after the other: routines (council schedule list) and
sessions that were suspended by an outage or a rate limit (council schedule queue). Run it in the folder where you would
run council convene. It asks nobody: what needs a person, such as trust or a login, is told in its log, which is
standard error.

Ctrl-C or SIGTERM stops it: what is in hand is waited for and kept, and the session goes on when the daemon runs again.
A second one stops at once. There is one daemon for a workspace; docs/operations.md has a unit for systemd.`,
	}, func(c *cli.Command) error { return c.Workspace.Attend(c.Ctx, keeper(a, c.Root)) })
	return cli.NewGroup(&cobra.Command{Use: "schedule", SuggestFor: []string{"cron", "routine", "retry"},
		Short: "Convene a council on a schedule, and try suspended sessions again",
		Long: `
A routine is a council that convenes on a schedule. Each is a file in .council/routines that you may edit.

A session that is suspended by what may pass without anybody's help (a server that cannot be reached or fails, a time
limit, a rate limit) is tried again: when the provider asked for it, and after 10 seconds at least, then 20, 40 and so
on up to five minutes. After eight tries that got it no further it is parked until you release it. A try goes on with
the session, as council resume does.

Nothing happens by itself: council schedule daemon convenes and tries what is due as long as it runs, and makes up once
for what came due before; council schedule retry tries once.`,
	},
		newRoutineAdd(a),
		plansVerb(a, &cobra.Command{Use: "list", Annotations: cli.JSONLines,
			Short: "List the routines: when each is due next, and what became of the last time"}, listRoutines),
		routineVerb(a, &cobra.Command{Use: "show NAME",
			Short: "Show a routine: what it convenes, when, and its latest sessions"},
			func(c *cli.Command, p *schedule.Plans, f schedule.Routine) error {
				cli.SayPage(a, "routine", struct {
					schedule.Listed
					File string
				}{p.List(c.World, f, 1<<10, RoutineProblem(a, p.Root, f)), p.RoutinePath(f.Name)})
				return nil
			}),
		newRoutineRun(a),
		newRoutineRule(a, &cobra.Command{Use: "pause NAME", Short: "Let a routine rest until it is resumed"},
			audit.RoutinePaused, "%s rests."),
		newRoutineRule(a, &cobra.Command{Use: "resume NAME", Short: "Let a routine that was paused go on with its next turn"},
			audit.RoutineResumed, "%s goes on with its next turn."),
		newRoutineRule(a, &cobra.Command{Use: "rm NAME", Short: "Remove a routine; its sessions stay"},
			audit.RoutineRemoved, "%s is removed."),
		plansVerb(a, &cobra.Command{Use: "queue", Annotations: cli.JSONLines,
			Short: "List the sessions that wait for another try"}, func(c *cli.Command, p *schedule.Plans) error {
			l := cli.NewList(c.Env, c.AsJSON, "SESSION", "STATE", "DUE", "TRIES", "WHY")
			for _, w := range p.Queue.List() {
				why := council.Map(w.Causes, func(c audit.Cause) string { return c.Why })
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
		}),
		cli.Verb(a, &cobra.Command{Use: "retry",
			Short: "Try suspended sessions again that are due, one after the other"}, func(c *cli.Command) error {
			tried, err := c.Workspace.RetryDue(c.Ctx, keeper(a, c.Root))
			return a.SayUnless(err, "%s.", plural.Things(tried, "session was tried again", "sessions were tried again"))
		}),
		newRetryRule(a, &cobra.Command{Use: "release SESSION",
			Short: "Let a session of the queue be tried at once, and as often again as at first"}, audit.RetryReleased,
			"Session %s is due now."),
		newRetryRule(a, &cobra.Command{Use: "drop SESSION",
			Short: "Take a session out of the queue: it is left to council resume"}, audit.RetryDropped,
			"Session %s is not tried again by itself."),
		daemon)
}

func routineVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *schedule.Plans,
	schedule.Routine) error) *cobra.Command {
	return plansVerb(a, cmd, func(c *cli.Command, p *schedule.Plans) error {
		f, err := p.Routine(c.Args[0])
		if err != nil {
			return err
		}
		return do(c, p, f)
	})
}

func newRoutineAdd(a *cli.Env) *cobra.Command {
	var root string
	var r routine.Routine
	cmd := &cobra.Command{Use: "add NAME --cron SCHEDULE -- CONVENE",
		Short: "Add a routine: when, and what to convene, as flags and topic of council convene",
		Long: `
add keeps what comes after -- as a routine: flags and topic, as council convene takes them. Paths are those of this
folder, where the daemon is to run too. The schedule has the five fields of cron: minute, hour, day of the month, month,
day of the week.`,
		Example: `
  council schedule add weekly --cron "0 9 * * 1" -- --council security --context src "What became riskier?"
  council schedule add review --cron "0 18 * * MON-FRI" --tz Europe/Berlin --unless "no new commits since" \
    -- --diff HEAD~20 "Is what was merged today sound?"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() != 1 || len(args) < 2 {
				return cli.Usage(cmd, errors.New("add needs a name and, after --, what to convene"))
			}
			return nil
		}, RunE: func(cmd *cobra.Command, args []string) error {
			r.Convene = args[1:]
			return addRoutine(a, cmd.Context(), root, args[0], r)
		}}
	f := cmd.Flags()
	cli.RootFlag(f, &root)
	f.StringVar(&r.Cron, "cron", "", "when, such as \"0 9 * * 1\" for Mondays at nine, or @daily")
	f.StringVar(&r.TimeZone, "tz", "", "time zone of the schedule, such as Europe/Berlin (default: that of the machine)")
	cli.TrustFlag(f, a)
	f.StringVar(&r.Unless, "unless", "", `"`+routine.NoNewCommits+
		`": skip it while the repository of this folder is at the commit of the last time`)
	return cmd
}

func addRoutine(a *cli.Env, ctx context.Context, folder, name string, r routine.Routine) error {
	if err := errors.Join(routine.CheckName(name), r.Check()); err != nil {
		return err
	}
	o, topic, err := conveneOf(a, r.Convene)
	if err != nil {
		return err
	}
	o.Show = unwatched
	planned, err := o.Plan(a, ctx, topic)
	if err != nil {
		return fmt.Errorf("council convene would not take this: %w", err)
	}
	if err := cli.TrustGate(a).Pass(ctx, planned.ByFile, &planned.Charter); err != nil { // nobody asks the daemon's user
		return err
	}
	if _, err := attend.Commit(ctx, r); err != nil {
		return err
	}
	return a.InNewRecord(folder, func(root *recorder.Root) error {
		p, err := schedule.Open(a.World, root, time.Time{})
		if err != nil {
			return err
		}
		due, err := p.Add(a.World, name, r)
		return a.SayUnless(err,
			"%s convenes at %s for the first time, if council schedule daemon runs then.\nFile:  %s", name, site.Clock(due),
			p.RoutinePath(name))
	})
}

func newRoutineRule(a *cli.Env, cmd *cobra.Command, action, words string) *cobra.Command {
	return routineVerb(a, cmd, func(_ *cli.Command, p *schedule.Plans, f schedule.Routine) error {
		return a.SayUnless(p.RuleRoutine(a.World, f.Name, action), words, f.Name)
	})
}

func newRoutineRun(a *cli.Env) *cobra.Command {
	var show Display
	cmd := routineVerb(a, &cobra.Command{Use: "run NAME",
		Short: "Convene a routine now, whatever its schedule and its condition say"},
		func(c *cli.Command, p *schedule.Plans, f schedule.Routine) error {
			commit, err := attend.Commit(c.Ctx, f.Routine)
			if err = cmp.Or(show.Check(a), err); err != nil {
				return err
			}
			_, err = attend.Fire(a.World, p, f, commit, a.Now(), func(begins func(council.SessionID) error) error {
				o, topic, err := conveneFor(a, p.Root, f)
				if err != nil {
					return err
				}
				o.Show, o.Begins = show, begins
				return Convene(a, c.Ctx, o, topic)
			})
			return err
		})
	show.Flags(cmd.Flags())
	cli.TrustFlag(cmd.Flags(), a)
	return cmd
}

// conveneOf reads the flags and the topic of a routine. Errors are those of usage.
func conveneOf(a *cli.Env, words []string) (o ConveneOptions, topic []string, err error) {
	cmd := NewConvene(a, &o)
	refuse := func(problem string) error {
		return site.Refuse("a routine cannot convene this: "+problem, "council convene --help has the flags.")
	}
	if err = cli.PlainFlags(cmd.ParseFlags(words)); err == nil {
		topic = cmd.Flags().Args()
		err = errors.Join(cmd.Args(cmd, topic), cli.NotBlank(cmd))
	}
	if err != nil {
		return o, nil, refuse(err.Error())
	}
	for _, flag := range []string{"dry-run", "json", "quiet", "no-wait", "root", "batch", "jobs", "yes"} {
		if cmd.Flags().Changed(flag) {
			return o, nil, refuse("--" + flag + " has no place in it")
		}
	}
	if slices.Contains(topic, "-") || o.TopicFile == "-" || slices.Contains(o.Context.Paths, "-") {
		return o, nil, refuse("nobody gives it standard input")
	}
	return o, topic, cli.ApplySettings(a, cmd)
}

// RoutineProblem says why a routine cannot be convened as it stands; nil: nothing is known that would keep it.
func RoutineProblem(a *cli.Env, root *recorder.Root, f schedule.Routine) error {
	o, _, err := conveneFor(a, root, f)
	if err == nil {
		_, err = seat.ReadCharter(a.World, o.Choice)
	}
	return err
}

// unwatched is the display of a session of the daemon.
var unwatched = Display{Quiet: true, Later: true}

func conveneFor(a *cli.Env, root *recorder.Root, f schedule.Routine) (ConveneOptions, []string, error) {
	if f.Err != nil {
		return ConveneOptions{}, nil, f.Err
	}
	o, topic, err := conveneOf(a, f.Convene)
	if o.Config != "" || filepath.Clean(root.Path()) != filepath.Clean(site.Home()) {
		o.Root = root.Path()
	}
	return o, topic, err
}

func listRoutines(c *cli.Command, p *schedule.Plans) error {
	all, err := p.ListAll(c.World, func(root *recorder.Root, r schedule.Routine) error {
		return RoutineProblem(c.Env, root, r)
	})
	if err != nil {
		return err
	}
	l := cli.NewList(c.Env, c.AsJSON, "ROUTINE", "NEXT", "SCHEDULE", "LAST")
	var problems []string
	for _, one := range all {
		last := "-"
		if len(one.Past) > 0 {
			last = hostile.Excerpt(one.Past[0].String(), 70)
		}
		l.Add(one, one.Name, one.NextWords(), one.Schedule(), last)
		if one.Problem != "" && !c.AsJSON {
			problems = append(problems, one.Name+" cannot be convened: "+hostile.Words(one.Problem))
		}
	}
	err = l.Print("There is no routine. To add one: council schedule add --help")
	c.SayAll(problems)
	return err
}

// newRetryRule returns a command that records what a person wants of a session in the queue, by how its id begins.
func newRetryRule(a *cli.Env, cmd *cobra.Command, action, words string) *cobra.Command {
	return cli.Verb(a, cmd, func(c *cli.Command) error {
		id, err := c.Workspace.RuleRetry(c.Args[0], action)
		return a.SayUnless(err, words, id)
	})
}

func plansVerb(a *cli.Env, cmd *cobra.Command, do func(*cli.Command, *schedule.Plans) error) *cobra.Command {
	open := func(c *cli.Command) (*schedule.Plans, error) { return schedule.Open(a.World, c.Root, time.Time{}) }
	return cli.Verb(a, cmd, cli.With(open, do))
}

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
