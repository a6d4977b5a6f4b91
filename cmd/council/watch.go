package main

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
	"github.com/council-engine/council/cmd/council/live"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/recorder"
)

// look is how a session is shown.
type look struct{ full, plain bool }

func (l *look) flags(f *pflag.FlagSet) {
	f.BoolVar(&l.full, "full", false, "fill the whole terminal, so that you can scroll; keys are named in its last line")
	f.BoolVar(&l.plain, "no-color", false, "show no colours, as with the environment variable NO_COLOR")
}

type display struct {
	look
	json  bool
	quiet bool
	later bool

	unattended bool // nobody watches: what was stopped goes on by itself later, see keeper
}

func (d *display) flags(f *pflag.FlagSet) {
	d.look.flags(f)
	f.BoolVar(&d.json, "json", false, "write every event to standard output, one JSON object a line, as in events.json")
	f.BoolVar(&d.quiet, "quiet", false, "say nothing while the session runs, and at its end only where the record is")
	f.BoolVar(&d.later, "no-wait", false, "do not ask people at this terminal: the session waits for council answer")
}

// talks reports whether people are asked at this terminal.
func (d *display) talks() bool { return !d.later && !d.json && !d.quiet }

func (d *display) check(a *app) error {
	if d.full && (d.json || d.quiet || !a.Asked() || a.Getenv("TERM") == "dumb") {
		return cli.Refuse("--full fills a terminal, and there is none, or something else is to be printed",
			"Leave --full out.")
	}
	if d.json && d.quiet {
		return cli.Refuse("--json and --quiet exclude each other", "Leave one of them out.")
	}
	return nil
}

// sayer prints a line about the session to people: to standard output, or with --json to standard error.
func (a *app) sayer(d display) func(format string, args ...any) {
	return func(format string, args ...any) {
		switch {
		case d.quiet:
		case d.json:
			a.Warn(format, args...)
		default:
			a.Say(format, args...)
		}
	}
}

func (a *app) newWatch() *cobra.Command {
	var l look
	cmd := a.sessionVerb(described("watch", cli.AtMostOne), "",
		func(c *command, id council.SessionID) error { return a.watch(c.ctx, c.root, id, l) })
	l.flags(cmd.Flags())
	return cmd
}

// errOver: nobody drives the session that is watched any more.
var errOver = errors.New("the session is over")

func (a *app) watch(ctx context.Context, root *recorder.Root, id council.SessionID, l look) error {
	d := display{look: l}
	if err := d.check(a); err != nil {
		return err
	}
	ctx, leave := a.stoppable(ctx)
	defer leave()
	entries, err := root.Read(id)
	if err != nil {
		return err
	}
	var state atomic.Pointer[live.State]
	view := a.view(d, root, id, []terminal.Key{{Press: "q", Does: "leave", Do: func(context.Context) { leave() }}})
	view.State = state.Load
	view.Keys = "Ctrl-C leaves · " + view.Keys
	if p, ok := entries[0].Event.Payload.(council.SessionStarted); ok && view.Live {
		view.Usual = a.usually(ctx, &p.Charter)
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
	session, err := replay(root, id)
	if err != nil {
		return err
	}
	result := engine.Result{Outcome: session.Ready().Outcome, Suspended: session.Suspended()}
	if result.Outcome == nil && result.Suspended == nil {
		a.Warn("Nobody drives the session at present, and it is not closed.\nGo on with: %s",
			cli.CommandLine(root, "council resume "+root.Short(id)))
		return exitCode(exitSuspended)
	}
	return a.conclude(sitting{root: root, session: session, show: d}, result)
}

// usually returns how long a session of a charter usually takes; 0 where no model is asked.
func (a *app) usually(ctx context.Context, c *council.Charter) time.Duration {
	_, usual, _ := a.duration(ctx, c, budget.ForecastOf(c, make([]int64, len(c.Members))))
	return usual
}

// view returns what shows a session as is wished for, and at least what has gone wrong. Its State is for the caller to
// set. keys are for the full screen, where one more lets the person say something to all members; the last leaves, as
// Ctrl-C does.
func (a *app) view(d display, root *recorder.Root, id council.SessionID, keys []terminal.Key) *terminal.View {
	v := &terminal.View{Out: a.Out, Now: a.Now, Width: a.Width, Height: a.Height, Colour: a.colours(d.plain),
		Live: a.Terminal && a.Getenv("TERM") != "dumb",
		Keys: cli.CommandLine(root, "council say "+root.Short(id)) + ` "…" tells members`}
	switch {
	case d.quiet:
		v.Out, v.Live = io.Discard, false
	case d.json:
		v.Out, v.Live, v.Colour = a.Errs, false, false // what members wait for is not an event
	case d.full:
		say := func(ctx context.Context) { a.sayFrom(ctx, v, root, id) }
		keys = append(slices.Insert(keys, 0, terminal.Key{Press: "s", Does: "say", Do: say}),
			terminal.Key{Press: "\x03", Do: keys[len(keys)-1].Do})
		v.Full = &terminal.Full{Keyboard: a.keys(), Raw: a.raw, Keys: keys}
	}
	return v
}

// sayFrom asks the person at the full screen what to say to all members, and says it.
func (a *app) sayFrom(ctx context.Context, v *terminal.View, root *recorder.Root, id council.SessionID) {
	defer v.Hold()()
	fmt.Fprint(a.Out, "Say to all members (Enter alone says nothing): ")
	text, err := a.keys().Line(ctx)
	if err != nil || strings.TrimSpace(text) == "" {
		return
	}
	if err := a.say(root, id, text); err != nil {
		v.Say("Not said: %v", err)
	} else {
		v.Say("You say: %s", terminal.Words(text))
	}
}
