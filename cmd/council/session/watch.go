package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	var l Look
	cmd := cli.SessionVerb(a,
		&cobra.Command{Use: "watch [SESSION]", Short: "Watch a session that runs in another terminal",
			Long: `
watch tells a session (the latest, unless one is named) from its beginning, follows it as long as it runs, and ends
with its outcome and exit code. It shows what convene shows: who is asked what, what they say as they say it, what they
wait for, and what the session has taken. Of a session that is closed or suspended it tells the story.

The session does not notice that it is watched. Ctrl-C ends only the watching. In a pipe, plain lines are written.`,
			Example: `  council watch
  council watch latest --full`,
		}, func(c *cli.Command, id council.SessionID) error {
			return watchSession(a, c.Ctx, c.Root, id, l)
		})
	l.flags(cmd.Flags())
	return cmd
}

// errOver: no process drives the watched session any more.
var errOver = errors.New("the session is over")

func watchSession(a *cli.Env, ctx context.Context, root *recorder.Root, id council.SessionID, l Look) error {
	d := Display{Look: l}
	if err := d.Check(a); err != nil {
		return err
	}
	ctx, leave := a.Stoppable(ctx)
	defer leave()
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
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
			return errOver
		}
		view.Changed()
		return nil
	})
	hide()
	if ctx.Err() != nil {
		return nil
	}
	if !errors.Is(err, errOver) {
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
	}, func(c *cli.Command, id council.SessionID) error {
		return sayToMembers(a, c.Root, id, c.Args[1])
	})
}

func sayToMembers(a *cli.Env, root *recorder.Root, id council.SessionID, text string) error {
	text, cut, err := site.ComposeNote(a.World, root, "note", text, council.MaxNote)
	if err != nil {
		return err
	}
	note := council.NoteGiven{By: a.By(), Text: text}
	if _, running := root.Holder(id); running {
		return handNote(a, root, id, note, cut)
	}
	damaged := site.CheckIntact(a.World, root, id) // before anything of the session is mended
	folder, session, err := site.OpenUnfinished(a.World, root, id)
	if errors.Is(err, recorder.ErrLocked) {
		return handNote(a, root, id, note, cut)
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	if session.Ready().Outcome != nil {
		return tooLate(id)
	}
	if damaged != nil {
		a.Warn("Warning: %v. council verify says more.", damaged)
	}
	kept, err := live.Spooled(root, id, session.Events())
	if err != nil {
		return err
	}
	for _, n := range append(kept, note) {
		if err := site.Rule(session, folder, n); err != nil {
			return err
		}
	}
	if _, err := live.Spooled(root, id, session.Events()); err != nil { // which removes what is recorded
		return err
	}
	if err := folder.Finalize(); err != nil {
		return err
	}
	a.AnchorSession(folder)
	sayAll(a, cli.CutWords(cut))
	recorded := council.Seq(len(session.Events()))
	a.Say("The note is %s of session %s. Each member is told it with its next question.", recorded.ID(), id)
	a.Say("Go on with: %s", site.CommandLine(root, "council resume "+string(id)))
	return nil
}

func sayAll(a *cli.Env, lines []string) {
	for _, words := range lines {
		a.Say("%s", words)
	}
}

func tooLate(id council.SessionID) error {
	return fmt.Errorf("session %s is closed: no member is asked any more, so none would be told the note", id)
}

// handNote keeps a note for the process that drives a session.
func handNote(a *cli.Env, root *recorder.Root, id council.SessionID, note council.NoteGiven, cut council.Topic) error {
	note, err := live.Spool(root, id, note, a.Now())
	if err != nil {
		return err
	}
	// The driver looks for notes after it has closed the session; so either it or this process sees that one came late.
	var log []council.Event
	closed, err := root.Closed(id)
	for e := range site.Events(closed) {
		log = append(log, e)
	}
	if err == nil && len(log) > 0 && !note.In(log) {
		_, err := live.Spooled(root, id, log, note)
		return errors.Join(tooLate(id), err)
	}
	sayAll(a, cli.CutWords(cut))
	a.Say("Session %s is running. The note is kept, and recorded as soon as no question is with a member. Each member is "+
		"told it with its next question; should there be none, the session's end says so.", id)
	return nil
}
