package session

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// NewWatch returns the command watch.
func NewWatch(a *cli.Env) *cobra.Command {
	var d Display
	cmd := cli.SessionVerb(a,
		&cobra.Command{Use: "watch [SESSION]", Short: "Watch a session that runs in another terminal",
			Long: `
watch tells a session (the latest, unless one is named) from its beginning, follows it as long as it runs, and ends
with its outcome and exit code. It shows what convene shows: who is asked what, what they say as they say it, what they
wait for, and what the session has taken. Of a session that is closed or suspended it tells the story.

The session does not notice that it is watched. Ctrl-C ends only the watching. In a pipe, plain lines are written.`,
			Example: `  council watch
  council watch latest --full`,
		}, func(c *cli.Command, id council.SessionID) error { return watchSession(c, id, d) })
	d.look(cmd.Flags())
	return cmd
}

func watchSession(c *cli.Command, id council.SessionID, d Display) error {
	a, root := c.Env, c.Root
	entries, err := root.Read(id)
	if err = cmp.Or(d.Check(a), err); err != nil {
		return err
	}
	ctx, leave := a.Stoppable(c.Ctx)
	defer leave()
	var state atomic.Pointer[live.State]
	view := NewView(a, d, root, id, []terminal.Key{{Press: "q", Does: "leave", Do: func(context.Context) { leave() }}})
	view.State = state.Load
	view.Keys = "Ctrl-C leaves · " + view.Keys
	if p, ok := entries[0].Event.Payload.(council.SessionStarted); ok && view.Live {
		view.Usual = usualDuration(a, ctx, &p.Charter)
	}
	hide := view.Begin(nil)
	err = live.Follow(ctx, root, id, func(u live.Update) error {
		for _, e := range u.Entries {
			view.Observe(e.Event)
		}
		if state.Store(&u.State); !u.Running {
			return io.EOF
		}
		view.Changed()
		return nil
	})
	hide()
	if ctx.Err() != nil {
		return nil
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	session, err := site.Replay(root, id)
	if err != nil {
		return err
	}
	result := engine.Result{Outcome: session.Ready().Outcome, Suspended: session.Suspended()}
	if result.Outcome == nil && result.Suspended == nil {
		a.Warn("Nobody drives the session at present, and it is not closed.\nGo on with: %s",
			site.CommandLine(root, "council resume "+root.Short(id)))
		return cli.ExitCode(cli.ExitSuspended)
	}
	err = face{a, d}.Ended(&run.Session{Root: root, Session: session}, result)
	return cmp.Or(err, cli.ResultCode(result))
}

// NewSay returns the command say.
func NewSay(a *cli.Env) *cobra.Command {
	return cli.SessionVerb(a, &cobra.Command{Use: "say SESSION TEXT", Short: "Give all members of an open session a note",
		Long: `
say tells all members of a session that is not closed what they should know, such as a price that has changed. The
note is recorded with your name and stands in the minutes. Members are not told your name.

Each member is told it with the next question that is put to it; a question that a member has already stays as it is.
The session may be running in another terminal: then the note is kept, and recorded as soon as no question is with a
member.`,
		Example: `  council say latest "The budget was cut by half this morning."`,
	}, func(c *cli.Command, id council.SessionID) error { return sayToMembers(a, c.Root, id, c.Args[1]) })
}

// sayToMembers gives all members of a session a note, and prints when they get it.
func sayToMembers(a *cli.Env, root *recorder.Root, id council.SessionID, text string) error {
	said, err := run.Say(a.World, root, id, text)
	if err == nil {
		a.SayAll(cli.SaidLines(said, id))
	}
	return err
}

// ResumeOptions are the flags of resume.
type ResumeOptions struct {
	run.Resumption
	ambiguous string // ask or absent: how to treat a question that was put before a crash and has no recorded answer
	without   []string
	caps      cli.BudgetFlags
	show      Display
}

// NewResume returns the command resume.
func NewResume(a *cli.Env) *cobra.Command {
	o := ResumeOptions{Resumption: run.Resumption{Session: run.Unfinished}}
	cmd := &cobra.Command{Use: "resume [SESSION]", Short: "Go on with a session that was suspended or cut off",
		Long: `
resume goes on with a session where it stopped. What members answered before is not asked, and not paid, again.
Without SESSION it takes the latest session that is not closed.`,
		Args: cli.AsUsed, RunE: func(cmd *cobra.Command, args []string) error {
			if o.ambiguous != "ask" && o.ambiguous != "absent" {
				return site.Refuse("--ambiguous is ask or absent, not "+site.Quote(o.ambiguous),
					"Leave it out to put the questions again.")
			}
			o.Absent = o.ambiguous == "absent"
			o.Without = council.Map(o.without, func(m string) council.MemberID { return council.MemberID(m) })
			if len(args) == 1 {
				o.Session = args[0]
			}
			return resume(a, cmd.Context(), o)
		}}
	f := cmd.Flags()
	cli.RootFlag(f, &o.Root)
	f.StringVar(&o.Adjourn, "adjourn", "", "do not go on: close the session as it stands, for this reason")
	f.StringVar(&o.ambiguous, "ambiguous", "ask",
		"questions that were put before a crash and not answered: ask puts them again, absent goes on without")
	f.BoolVar(&o.Approve, "approve-execution", false,
		"approve in advance an execution brief that members vote on with the document")
	f.StringArrayVar(&o.Moves, "base-url", nil,
		"MEMBER=URL: the server of a member is at another address from now on; as often as needed")
	f.StringArrayVar(&o.without, "without", nil,
		"MEMBER: go on without the member, which is asked nothing more; as often as needed")
	cli.TrustFlag(f, a)
	o.caps.AddFlags(f, "the whole session")
	cmd.MarkFlagsMutuallyExclusive("adjourn", "base-url")
	cmd.MarkFlagsMutuallyExclusive("adjourn", "without")
	o.show.Flags(f)
	return cmd
}

// resume goes on with a session, and prints how it went.
func resume(a *cli.Env, ctx context.Context, o ResumeOptions) (err error) {
	o.Caps, err = o.caps.Caps()
	if err = cmp.Or(o.show.Check(a), err); err != nil {
		return err
	}
	o.Trust = cli.TrustGate(a)
	result, err := run.Resume(ctx, a.World, &o.Resumption, face{a, o.show})
	if err != nil {
		return err
	}
	return cli.ResultCode(result)
}
