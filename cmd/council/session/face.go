package session

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// Display is how a running session is shown.
type Display struct{ full, Plain, json, Quiet, Later bool }

func (d *Display) look(f *pflag.FlagSet) {
	f.BoolVar(&d.full, "full", false, "fill the whole terminal, so that you can scroll; keys are named in its last line")
	f.BoolVar(&d.Plain, "no-color", false, "show no colours, as with the environment variable NO_COLOR")
}

// Flags adds the flags of the display.
func (d *Display) Flags(f *pflag.FlagSet) {
	d.look(f)
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

// face shows a session at the terminal, or writes it for a program.
type face struct {
	*cli.Env
	Display
}

// tell prints a line about the session to people: to standard output, or with --json to standard error.
func (f face) tell(format string, args ...any) {
	if f.json {
		f.Warn(format, args...)
	} else if !f.Quiet {
		f.Say(format, args...)
	}
}

func (f face) tellAll(lines []string) {
	for _, line := range lines {
		if line != "" {
			f.tell("%s", line)
		}
	}
}

// Planned prints the start of a session.
func (f face) Planned(p *run.Plan, reminders []council.Reminder) {
	lines := append([]string{terminal.Sprintf("Session %s, %s.", p.ID, p.From), elsewhere(p.Charter.Storage),
		paceWords(&p.Charter), p.Chosen, seat.OneFamilyWarning(&p.Charter), seat.UnknownProgramsWarning(&p.Charter)},
		given(p.Topic)...)
	if words := remindedWords(reminders); words != "" {
		lines = append(lines, "Reminded: "+words+".")
	}
	if p.NoMemory {
		lines = append(lines, "Reminded: of nothing (--no-memory). The session itself is remembered when it closes.")
	}
	f.tellAll(append(lines, p.Estimate.Words()))
}

// paceWords says what pace auto does and leaves out; "" at other paces.
func paceWords(c *council.Charter) string {
	if !c.IsAuto() {
		return ""
	}
	who := plural.Things(len(c.Seats()), "member")
	if n := len(c.Deliberation.Spares); n > 0 {
		who = fmt.Sprintf("%d of %d members", len(c.Seats()), len(c.Members))
	}
	return who + " vote at once and debate only what divides them. Turns, motions and questions to you: --pace thorough."
}

// GoesOn prints the resumed session.
func (f face) GoesOn(s *run.Session) {
	f.tell("%s", terminal.Fold(terminal.Sprintf("Session %s: %s", s.ID(), hostile.Words(s.Topic().Text)),
		terminal.Columns(f.Width)))
}

// Moved prints a member's new address.
func (f face) Moved(c *council.Charter, m council.ServerMoved) {
	f.tell("%s is asked at %s from now on.", terminal.Name(c, m.Member), m.BaseURL)
}

// Closed prints that the session is already closed.
func (f face) Closed(s *run.Session) {
	fmt.Fprintf(f.Out, "Session %s is closed; there is nothing to go on with.\n", s.ID())
}

// Remembered prints the changes of memory.
func (f face) Remembered(s *run.Session, m run.Remembered) { f.tellAll(m.Lines(s.Root)) }

// Ended prints the result of a session, what was written and what to do next.
func (f face) Ended(s *run.Session, r engine.Result) error {
	if r.Outcome == nil {
		if err := s.WarnSuspended(f.World, r.Suspended); err != nil || r.Suspended.Kind == council.FaultAwaiting {
			return err
		}
		f.tellAll(cli.BillLines(s.Root, s.Session))
		return nil
	}
	path := filepath.ToSlash(s.Root.Location(s.ID()))
	if f.Quiet {
		fmt.Fprintln(f.Out, path)
		return nil
	}
	told := minutes.Of(s.Events())
	told.Evaluated = site.Evaluated(s.Root, told)
	report := terminal.Report{Minutes: told, Command: func(verb string) string {
		return site.CommandLine(s.Root, "council "+verb+" "+s.Root.Short(s.ID()))
	}}
	f.tell("")
	out := f.Out
	if f.json {
		out = f.Errs
	}
	words := terminal.Fold(terminal.Tell("outcome", report), terminal.Columns(f.Width))
	fmt.Fprintln(out, terminal.Paint(words, cli.UseColours(f.Env, f.Plain)))
	bill := cli.BillLines(s.Root, s.Session)
	if price := terminal.Tell("price", report); price != "" {
		bill[0] = "Cost:   " + price
	}
	f.tellAll(bill)
	if r := told.Receipt(); r != nil {
		f.tell("Change: %s", render.ReceiptLine(r))
	}
	f.tellAll(faultLines(told.Faults))
	f.tell("Record: %s", path)
	f.tell("%s", terminal.Tell("next", report))
	return nil
}

// Screen shows a running session as requested, and at least its errors.
func (f face) Screen(s *run.Session, keys run.Keys) run.Screen {
	v := NewView(f.Env, f.Display, s.Root, s.ID(), []terminal.Key{
		{Press: "p", Does: "pause, go on", Do: func(context.Context) { keys.Pause() }},
		{Press: "q", Does: "suspend", Do: func(context.Context) { keys.Stop() }},
	})
	x := &screen{View: v, face: f, charter: s.Charter()}
	if f.talks() {
		x.talk = dialogueFor(f.Env, s)
	}
	return x
}

// screen is a view of one session, with the dialogue with the people at this terminal.
type screen struct {
	*terminal.View
	face    face
	talk    *terminal.Dialogue // nil: nobody is asked here
	charter *council.Charter
}

// People returns the dialogue.
func (x *screen) People() member.Asker {
	if x.talk == nil {
		return nil
	}
	return x.talk
}

// Begin shows the session until hide is called.
func (x *screen) Begin(ctx context.Context, state func() *live.State, before []council.Event,
	interrupt <-chan struct{}) (hide func()) {
	x.View.State = state
	x.View.Keys = "Ctrl-C suspends · " + x.View.Keys
	if x.Live {
		x.Usual = usualDuration(x.face.Env, ctx, x.charter)
	}
	hide = x.View.Begin(before)
	if x.talk != nil {
		x.talk.Hold, x.talk.Stop = x.Hold, interrupt
	}
	return hide
}

// Recorded shows an event, unless programs are given the entries of the log.
func (x *screen) Recorded(e council.Event) {
	if !x.face.json {
		x.Observe(e)
	}
}

// Append writes entries of the log for programs. Its error, such as that of a closed pipe, stops the session.
func (x *screen) Append(entries []wire.Entry) error {
	for _, entry := range entries {
		if !x.face.json {
			break
		}
		line, err := entry.Line()
		if err == nil {
			_, err = fmt.Fprintf(x.face.Out, "%s\n", line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Warn prints a line beside the view.
func (x *screen) Warn(format string, args ...any) {
	if x.Live {
		x.Say(format, args...)
	} else {
		x.face.Warn(format, args...)
	}
}

// usualDuration returns how long a session of a charter usually takes; 0 where no model is asked.
func usualDuration(a *cli.Env, ctx context.Context, c *council.Charter) time.Duration {
	if !c.AsksModels() {
		return 0
	}
	return run.PaceOf(ctx, a.World, c).Duration(budget.UsualForecast(c, make([]int64, len(c.Members))))
}

// NewView returns a view of a session as requested, and at least of its errors. The caller sets its State. keys are
// for the full screen, which adds one for a note to all members and, last, one to leave, like Ctrl-C.
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
		say := func(ctx context.Context) { // asks the person for a note to all members, and sends it
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
		keys = append(slices.Insert(keys, 0, terminal.Key{Press: "s", Does: "say", Do: say}),
			terminal.Key{Press: "\x03", Do: keys[len(keys)-1].Do})
		v.Full = &terminal.Full{Keyboard: a.Keys(), Raw: a.Raw, Keys: keys}
	}
	return v
}

// faultLines counts the faults by kind, with advice for each.
func faultLines(faults []minutes.Fault) []string {
	count := map[council.FaultKind]int{}
	for _, f := range faults {
		count[f.Fault]++
	}
	var lines []string
	for _, kind := range council.FaultKinds() {
		if n := count[kind]; n > 0 {
			lacking := map[bool]string{true: "missing", false: "unusable"}[kind.Unheard()]
			lines = append(lines, fmt.Sprintf("Faults: %s %s (%s). %s", plural.Things(n, "answer was", "answers were"),
				lacking, kind, run.Remedy(kind)))
		}
	}
	return lines
}
