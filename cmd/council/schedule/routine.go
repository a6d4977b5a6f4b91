package schedule

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/council/documents"
	"github.com/council-engine/council/council/routine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// NewRoutine returns the command routine.
func NewRoutine(a *cli.Env) *cobra.Command {
	list := plansVerb(a, &cobra.Command{Use: "list",
		Short: "List the routines: when each is due next, and what became of the last time"}, listRoutines)
	list.Flags().Bool("json", false, "one JSON object a line")
	return cli.NewGroup(&cobra.Command{Use: "routine", Short: "Convene a council again and again, on a schedule",
		Long: `
A routine is a council that convenes on a schedule. Each is a file in .council/routines that you may edit; council
daemon convenes them as long as it runs. What came due while no daemon ran is made up for once.`,
	},
		newRoutineAdd(a), list,
		routineVerb(a, &cobra.Command{Use: "show NAME",
			Short: "Show a routine: what it convenes, when, and its latest sessions"}, showRoutine),
		newRoutineRun(a),
		newRoutineRule(a, &cobra.Command{Use: "pause NAME", Short: "Let a routine rest until it is resumed"},
			audit.RoutinePaused, "%s rests."),
		newRoutineRule(a, &cobra.Command{Use: "resume NAME", Short: "Let a routine that was paused go on with its next turn"},
			audit.RoutineResumed, "%s goes on with its next turn."),
		newRoutineRule(a, &cobra.Command{Use: "remove NAME", Short: "Remove a routine; its sessions stay"},
			audit.RoutineRemoved, "%s is removed."))
}

// routineVerb is verb for the routine that the first argument names.
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
  council routine add weekly --cron "0 9 * * 1" -- --council security --context src "What became riskier?"
  council routine add review --cron "0 18 * * MON-FRI" --tz Europe/Berlin --unless "no new commits since" \
    -- --diff HEAD~20 "Is what was merged today sound?"`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			r.Convene = args[1:]
			return addRoutine(a, cmd.Context(), root, args[0], r)
		}}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if cmd.ArgsLenAtDash() != 1 || len(args) < 2 {
			return cli.Usage(cmd, errors.New("add needs a name and, after --, what to convene"))
		}
		return nil
	}
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
	if _, err := commitFor(ctx, r); err != nil {
		return err
	}
	return a.InNewRecord(folder, func(root *recorder.Root) error {
		p, err := schedule.Open(a.World, root, time.Time{})
		if err != nil {
			return err
		}
		due, err := p.Add(a.World, name, r)
		if err == nil {
			a.Say("%s convenes at %s for the first time, if council daemon runs then.\nFile:  %s", name, site.Clock(due),
				p.RoutinePath(name))
		}
		return err
	})
}

// newRoutineRule returns a command that records what a person wants of a routine.
func newRoutineRule(a *cli.Env, cmd *cobra.Command, action, words string) *cobra.Command {
	return routineVerb(a, cmd, func(_ *cli.Command, p *schedule.Plans, f schedule.Routine) error {
		err := p.RuleRoutine(a.World, f, action)
		if err == nil {
			a.Say(words, f.Name)
		}
		return err
	})
}

func newRoutineRun(a *cli.Env) *cobra.Command {
	var show session.Display
	cmd := routineVerb(a, &cobra.Command{Use: "run NAME",
		Short: "Convene a routine now, whatever its schedule and its condition say"},
		func(c *cli.Command, p *schedule.Plans, f schedule.Routine) error {
			if err := show.Check(a); err != nil {
				return err
			}
			commit, err := commitFor(c.Ctx, f.Routine)
			if err == nil {
				_, err = fireRoutine(a, c.Ctx, p, f, commit, a.Now(), show, false)
			}
			return err
		})
	show.Flags(cmd.Flags())
	cli.TrustFlag(cmd.Flags(), a)
	return cmd
}

// conveneOf reads the flags and the topic of a routine. Errors are those of usage.
func conveneOf(a *cli.Env, words []string) (o session.ConveneOptions, topic []string, err error) {
	cmd := session.NewConvene(a, &o)
	refuse := func(problem string) error {
		return site.Refuse("a routine cannot convene this: "+problem, "council convene --help has the flags.")
	}
	if err := cli.PlainFlags(cmd.ParseFlags(words)); err != nil {
		return o, nil, refuse(err.Error())
	}
	topic = cmd.Flags().Args()
	if err := errors.Join(cmd.Args(cmd, topic), cli.NotBlank(cmd)); err != nil {
		return o, nil, refuse(err.Error())
	}
	for _, flag := range []string{"dry-run", "json", "quiet", "no-wait", "root", "batch", "jobs"} {
		if cmd.Flags().Changed(flag) {
			return o, nil, refuse("--" + flag + " has no place in it")
		}
	}
	if slices.Contains(topic, "-") || o.TopicFile == "-" || slices.Contains(o.Context.Contexts, "-") {
		return o, nil, refuse("nobody gives it standard input")
	}
	return o, topic, cli.ApplySettings(a, cmd)
}

// commitFor returns the digest of the commit at which the working folder is, where the routine's condition needs it.
func commitFor(ctx context.Context, r routine.Routine) (string, error) {
	if r.Unless == "" {
		return "", nil
	}
	id, err := documents.Commit(ctx, ".")
	if err != nil {
		return "", fmt.Errorf("git cannot tell whether there are new commits: %w", err)
	}
	return council.Digest(id), nil
}

// RoutineProblem says why a routine cannot be convened as it stands; nil: nothing is known that would keep it.
func RoutineProblem(a *cli.Env, root *recorder.Root, f schedule.Routine) error {
	o, _, err := conveneFor(a, root, f)
	if err == nil {
		_, err = seat.ReadCharter(a.World, o.Choice)
	}
	return err
}

// conveneFor is conveneOf for a routine that convenes in a record.
func conveneFor(a *cli.Env, root *recorder.Root, f schedule.Routine) (session.ConveneOptions, []string, error) {
	if f.Err != nil {
		return session.ConveneOptions{}, nil, f.Err
	}
	o, topic, err := conveneOf(a, f.Convene)
	if o.Config != "" || filepath.Clean(root.Path()) != filepath.Clean(site.Home()) {
		o.Root = root.Path()
	}
	return o, topic, err
}

// fireRoutine convenes a routine, and returns the session, if it came to one. Before anything of the session is written
// it is in the ledger that the session waits for another try, and then that the routine fires: if this process dies,
// the next daemon goes on with it.
func fireRoutine(a *cli.Env, ctx context.Context, p *schedule.Plans, f schedule.Routine, commit string, due time.Time,
	show session.Display, unattended bool) (council.SessionID, error) {
	e := audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineFailed, What: f.Name, Due: due, Digest: commit}
	o, topic, err := conveneFor(a, p.Root, f)
	if err == nil {
		o.Show, o.Unattended = show, unattended
		o.Begins = func(id council.SessionID) error {
			e.Action, e.Session = audit.RoutineFired, id
			if err := p.Note(p.Queue.RetryEntry(id, council.Fault{Kind: "interrupted"}, 0, a.Now())); err != nil {
				return err
			}
			return p.Note(e)
		}
		err = session.Convene(a, ctx, o, topic)
	}
	if err != nil && e.Session == "" {
		e.Why = hostile.Excerpt(site.CutSecrets(err.Error()), 200)
		err = errors.Join(p.Note(e), err)
	}
	return e.Session, err
}

// routine looks whether a routine is due, and convenes it then. It returns when it is due next; zero: never.
func (k *keeper) routine(ctx context.Context, f schedule.Routine) (acted bool, due time.Time, err error) {
	s, now := k.Routines[f.Name], k.env.Now()
	e := audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineChanged, What: f.Name, Digest: f.Digest}
	switch {
	case f.Err != nil:
		k.unusable(f, f.Err)
		return false, due, nil
	case s == nil || s.File != f.Digest:
		return true, due, k.Note(e)
	case s.Paused:
		return false, due, nil
	case s.ClockWentBack(now):
		e.Why = "the clock was set back"
		k.log("routine %s: the clock was set back, so its turns are counted from now on", f.Name)
		return true, due, k.Note(e)
	}
	if due, err = f.Next(s.Since); err != nil || now.Before(due) {
		return false, due, err
	}
	var commit string
	commit, f.Err = commitFor(ctx, f.Routine)
	if commit != "" && commit == s.Commit {
		k.log("routine %s is skipped: %s %s", f.Name, f.Unless, site.Clock(s.Since.In(due.Location())))
		return true, due, k.Note(audit.Entry{Type: audit.TypeRoutine, Action: audit.RoutineSkipped, What: f.Name,
			Why: f.Unless, Due: due})
	}
	k.log("routine %s is due since %s", f.Name, site.Clock(due))
	var id council.SessionID
	err = k.run(func(a *cli.Env) (err error) {
		id, err = fireRoutine(a, ctx, k.Plans, f, commit, due, unwatched, true)
		return err
	})
	if id != "" || errors.Is(err, ledger.ErrUnwritten) {
		return true, due, k.tell(id, err)
	}
	k.log("routine %s cannot be convened: %s", f.Name, withHint(err))
	return true, due, nil
}

// unusable writes into the log why a routine cannot be convened, once for each reason.
func (k *keeper) unusable(f schedule.Routine, err error) {
	words := fmt.Sprintf("routine %s cannot be convened: %v", f.Name, err)
	if !k.told[words] {
		k.told[words] = true
		k.log("%s", words)
	}
}
