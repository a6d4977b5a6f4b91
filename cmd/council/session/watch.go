package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/site"
)

// Look is how a session is shown.
type Look struct{ full, Plain bool }

func (l *Look) flags(f *pflag.FlagSet) {
	f.BoolVar(&l.full, "full", false, "fill the whole terminal, so that you can scroll; keys are named in its last line")
	f.BoolVar(&l.Plain, "no-color", false, "show no colours, as with the environment variable NO_COLOR")
}

// Display is how a running session is shown.
type Display struct {
	Look
	json  bool
	Quiet bool
	Later bool

	Unattended bool // nobody watches: what was stopped goes on by itself later, see keeper
}

// Flags adds the flags of the display.
func (d *Display) Flags(f *pflag.FlagSet) {
	d.Look.flags(f)
	f.BoolVar(&d.json, "json", false, "write every event to standard output, one JSON object a line, as in events.json")
	f.BoolVar(&d.Quiet, "quiet", false, "say nothing while the session runs, and at its end only where the record is")
	f.BoolVar(&d.Later, "no-wait", false, "do not ask people at this terminal: the session waits for council answer")
}

// talks reports whether people are asked at this terminal.
func (d *Display) talks() bool { return !d.Later && !d.json && !d.Quiet }

// Check refuses flags that contradict each other, or this terminal.
func (d *Display) Check(a *cli.Env) error {
	if d.full && (d.json || d.Quiet || !a.Asked() || a.Getenv("TERM") == "dumb") {
		return site.Refuse("--full fills a terminal, and there is none, or something else is to be printed",
			"Leave --full out.")
	}
	if d.json && d.Quiet {
		return site.Refuse("--json and --quiet exclude each other", "Leave one of them out.")
	}
	return nil
}

// sayer prints a line about the session to people: to standard output, or with --json to standard error.
func sayer(a *cli.Env, d Display) func(format string, args ...any) {
	return func(format string, args ...any) {
		switch {
		case d.Quiet:
		case d.json:
			a.Warn(format, args...)
		default:
			a.Say(format, args...)
		}
	}
}

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

// errOver: nobody drives the session that is watched any more.
var errOver = errors.New("the session is over")

func watchSession(a *cli.Env, ctx context.Context, root *recorder.Root, id council.SessionID, l Look) error {
	d := Display{Look: l}
	if err := d.Check(a); err != nil {
		return err
	}
	ctx, leave := cli.StoppableContext(a, ctx)
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
	return conclude(a, sitting{root: root, session: session, show: d}, result)
}

// usualDuration returns how long a session of a charter usually takes; 0 where no model is asked.
func usualDuration(a *cli.Env, ctx context.Context, c *council.Charter) time.Duration {
	_, usual, _ := duration(a, ctx, c, budget.ForecastOf(c, make([]int64, len(c.Members))))
	return usual
}

// NewView returns what shows a session as is wished for, and at least what has gone wrong. Its State is for the caller
// to set. keys are for the full screen, where one more lets the person say something to all members; the last leaves,
// as Ctrl-C does.
func NewView(a *cli.Env, d Display, root *recorder.Root, id council.SessionID, keys []terminal.Key) *terminal.View {
	v := &terminal.View{Out: a.Out, Now: a.Now, Width: a.Width, Height: a.Height, Colour: cli.UseColours(a, d.Plain),
		Live: a.Terminal && a.Getenv("TERM") != "dumb"}
	if v.Live { // else the sessions of the record would be listed for nothing
		v.Keys = site.CommandLine(root, "council say "+root.Short(id)) + ` "…" tells members`
	}
	switch {
	case d.Quiet:
		v.Out, v.Live = io.Discard, false
	case d.json:
		v.Out, v.Live, v.Colour = a.Errs, false, false // what members wait for is not an event
	case d.full:
		say := func(ctx context.Context) { sayFrom(a, ctx, v, root, id) }
		keys = append(slices.Insert(keys, 0, terminal.Key{Press: "s", Does: "say", Do: say}),
			terminal.Key{Press: "\x03", Do: keys[len(keys)-1].Do})
		v.Full = &terminal.Full{Keyboard: a.Keys(), Raw: a.Raw, Keys: keys}
	}
	return v
}

// sayFrom asks the person at the full screen what to say to all members, and says it.
func sayFrom(a *cli.Env, ctx context.Context, v *terminal.View, root *recorder.Root, id council.SessionID) {
	defer v.Hold()()
	fmt.Fprint(a.Out, "Say to all members (Enter alone says nothing): ")
	text, err := a.Keys().Line(ctx)
	if err != nil || strings.TrimSpace(text) == "" {
		return
	}
	if err := sayToMembers(a, root, id, text); err != nil {
		v.Say("Not said: %v", err)
	} else {
		v.Say("You say: %s", hostile.Words(text))
	}
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
	text, cut, err := cli.ComposeNote(a, root, "note", text, council.MaxNote)
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

// reportUnheard says which notes came too late for the members of a session that is closed, and removes them.
func reportUnheard(a *cli.Env, s sitting) error {
	notes, err := live.Spooled(s.root, s.session.ID(), s.session.Events())
	for _, n := range notes {
		a.Warn("The session closed before a question told this note of %s: %s", hostile.Label(n.By), hostile.Words(n.Text))
	}
	if len(notes) > 0 {
		_, err = live.Spooled(s.root, s.session.ID(), nil, notes...)
	}
	return err
}
