package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/workspace/listing"
	"github.com/council-engine/council/workspace/live"
	"github.com/council-engine/council/workspace/schedule"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

type sitting struct {
	root    *recorder.Root
	command string // that works on it
	folder  *recorder.Session
	session *rules.Session
	show    Display
	approve bool
	abandon map[council.AskID]bool // asks that are not to be put again

	batched *Batched // the session of a batch that this one is; nil: none

	adjourned bool // no member is asked any more, so none needs to be seated
	outage    schedule.Outage
}

// drive drives a session until it is closed or suspended, writes what follows from it, and reports.
func drive(a *cli.Env, ctx context.Context, s sitting) error {
	if _, err := a.AnnouncePolicy(s.root); err != nil {
		return err
	}
	r := s.roster(a)
	defer r.Close()
	r.Remember(s.root.Files())
	var talk *terminal.Dialogue
	if s.show.talks() {
		talk = dialogueFor(a, s.session)
	}
	if talk != nil {
		r.People, talk.Drafts = talk, draftsFor(a, s.root, s.session.ID())
	}
	o := engine.Options{By: a.By()}
	var members map[council.MemberID]engine.Member
	if !s.adjourned {
		seated, budget, err := r.Seat(s.folder, s.session, s.abandon)
		if err != nil {
			return err
		}
		if members, o.Admit = seated, budget.Admit; s.batched != nil {
			o.Admit = s.batched.admit(s.session, budget)
		}
	}
	var board *live.Board
	pressed := make(chan os.Signal, 2)
	view := NewView(a, s.show, s.root, s.session.ID(), []terminal.Key{
		{Press: "p", Does: "pause, go on", Do: func(context.Context) { board.Pause(!board.State().Paused) }},
		{Press: "q", Does: "suspend", Do: func(context.Context) {
			select {
			case pressed <- os.Interrupt:
			default: // twice is enough
			}
		}},
	})
	warn := a.Warn
	if view.Live {
		warn = view.Say
	}
	interrupt, release := (<-chan struct{})(nil), func() {}
	if s.batched != nil { // ctx is of the batch, and has its stop
		interrupt = s.batched.Interrupt
	} else {
		ctx, interrupt, release = cli.Interrupts(a, ctx, pressed, warn)
	}
	defer release()
	o.Interrupt = interrupt
	board = live.Open(s.root, s.session.ID(), a.Now, view.Changed)
	defer board.Close()
	o.Hold = board.Hold
	o.Notes = func() ([]council.NoteGiven, error) { return live.Spooled(s.root, s.session.ID(), s.session.Events()) }
	view.State = func() *live.State { state := board.State(); return &state }
	view.Keys = "Ctrl-C suspends · " + view.Keys
	if view.Live {
		view.Usual = usualDuration(a, ctx, s.session.Charter())
	}
	hide := sync.OnceFunc(view.Begin(s.session.Events()))
	defer hide()
	if talk != nil {
		talk.Hold, talk.Stop = view.Hold, interrupt
	}
	ctx = member.Listen(ctx, member.Listener{Words: board.Words,
		Wait: func(w member.Wait) { board.Wait(w); view.Waits(w) }})
	s.outage = schedule.Outage{Env: a.World, Root: s.root, Id: s.session.ID(), Began: s.folder.Entries()[0].Time,
		GoesOn: s.show.Unattended}
	o.Observe = func(p engine.Progress) {
		s.outage.Hear(p)
		board.Observe(p)
		if s.batched != nil {
			s.batched.observe(p)
		}
		if r, ok := p.(engine.Recorded); ok && !s.show.json {
			view.Observe(r.Event)
		}
	}
	log := &announced{folder: s.folder, out: a.Out, json: s.show.json, suspended: s.outage.Suspended}
	if err := log.announce(); err != nil {
		return err
	}
	ended, err := site.BeginRun(a.World, s.root, s.session.ID(), s.command)
	if err != nil {
		return err
	}
	var result engine.Result
	if s.adjourned {
		err = site.RecordDue(s.session, log)
		result.Outcome = s.session.Ready().Outcome
	} else {
		result, err = engine.Run(ctx, s.session, members, log, o)
	}
	hide()
	ended(result.Suspended, err)
	var damaged error
	if err == nil && s.approve && result.Outcome != nil {
		if damaged = site.CheckIntact(a.World, s.root, s.session.ID()); damaged == nil {
			err = preapprove(a, s, log)
		}
	}
	if err != nil {
		// What is derived is made again on resume; trouble with it has the same cause, and is not worth a second message.
		_ = s.folder.Finalize()
		return err
	}
	if s.batched != nil {
		m := s.folder.Minutes()
		s.batched.left = recorder.Summary{Events: len(m.Events), Gist: m.Gist(), Outcome: m.Outcome, Suspended: m.Suspended}
	}
	a.AnchorSession(s.folder)
	err = conclude(a, s, result)
	if result.Outcome == nil {
		return err
	}
	// After the result is told: it is what the user waits for.
	if failed := errors.Join(reportUnheard(a, s), live.Forget(s.root, s.session.ID()),
		rememberSession(a, ctx, s)); failed != nil {
		return failed
	}
	if damaged != nil {
		return fmt.Errorf("the execution is not approved in advance: %w", damaged)
	}
	return err
}

// roster seats the members of the session.
func (s sitting) roster(a *cli.Env) *seat.Roster {
	if s.batched == nil {
		return seat.RosterOf(a.World, s.root.Path())
	}
	s.batched.Mu.Lock() // a worker takes another roster when its policy changes
	defer s.batched.Mu.Unlock()
	r := s.batched.Batch.Roster.Fellow()
	r.Within = s.batched.within
	return r
}

// preapprove approves the brief in advance for --approve-execution, unless it is withheld.
func preapprove(a *cli.Env, s sitting, log engine.Log) error {
	h := s.session.Handoff()
	if h.Status != council.ExecutionAwaitingApproval || h.Withheld != "" {
		return nil
	}
	brief, _ := s.session.Brief()
	if err := approvable(a, s.root, s.session.ID(), *brief); err != nil {
		a.Warn("council: the execution is not approved in advance: %v", err)
		return nil
	}
	return engine.Rule(s.session, log, council.ExecutionApproved{By: a.By(), BriefSHA256: h.BriefSHA256, InAdvance: true})
}

// announced is the log of a running session that also writes each event to standard output, for --json.
type announced struct {
	folder *recorder.Session
	out    io.Writer
	json   bool
	told   int // entries written so far

	suspended func(council.Fault, council.Seq) error // told before a suspension is recorded
}

// Append records an event and then announces it.
func (l *announced) Append(e council.Event) error {
	if p, ok := e.Payload.(council.SessionSuspended); ok {
		if err := l.suspended(p.Fault, e.Seq); err != nil {
			return err
		}
	}
	if err := l.folder.Append(e); err != nil {
		return err
	}
	return l.announce()
}

// announce writes the entries that were not written yet. An entry that cannot be written to a closed pipe stops the
// session: its reader has gone.
func (l *announced) announce() error {
	if !l.json {
		return nil
	}
	entries := l.folder.Entries()
	for _, entry := range entries[l.told:] {
		line, err := entry.Line()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(l.out, "%s\n", line); err != nil {
			return err
		}
	}
	l.told = len(entries)
	return nil
}

// conclude prints the result of a session, what was written and what to do next, and returns the exit code.
func conclude(a *cli.Env, s sitting, r engine.Result) error {
	say := sayer(a, s.show)
	if r.Suspended != nil && r.Suspended.Kind == council.FaultAwaiting {
		w, err := listing.In(s.root, s.session)
		if err != nil {
			return err
		}
		a.Warn("The session waits for %s. Nothing is lost.\nAnswer with: %s\nand then go on with: %s", w.Names(w.Open),
			w.Line("answer"), w.Line("resume"))
		return cli.ExitCode(cli.ExitSuspended)
	}
	if r.Suspended != nil {
		// Also with --quiet people have to learn that the session did not end.
		a.Warn("The session is suspended: %s Nothing is lost.\nGo on with: %s%s",
			cli.Ended(r.Suspended.Error()), site.CommandLine(s.root, "council resume "+s.root.Short(s.session.ID())),
			ResumeHint(r.Suspended.Kind))
		if words := s.outage.Words(); words != "" {
			a.Warn("%s", words)
		}
		s.tellBill(say)
		return cli.ExitCode(cli.ExitSuspended)
	}
	if s.show.Quiet {
		fmt.Fprintln(a.Out, s.path())
		return cli.OutcomeCode(*r.Outcome)
	}
	told := minutes.Of(s.session.Events())
	report := terminal.Report{Minutes: told, Command: func(verb string) string {
		return site.CommandLine(s.root, "council "+verb+" "+s.root.Short(s.session.ID()))
	}}
	say("")
	out := a.Out
	if s.show.json {
		out = a.Errs
	}
	words := terminal.Fold(report.Tell("outcome"), terminal.Columns(a.Width))
	fmt.Fprintln(out, terminal.Paint(words, cli.UseColours(a, s.show.Plain)))
	s.tellBill(say)
	if r := told.Receipt(); r != nil {
		say("Change: %s", render.ReceiptLine(r))
	}
	for _, line := range faultLines(told.Faults) {
		say("%s", line)
	}
	say("Record: %s", s.path())
	say("%s", report.Tell("next"))
	return cli.OutcomeCode(*r.Outcome)
}

func (s sitting) tellBill(say func(format string, args ...any)) {
	for _, line := range cli.BillLines(s.root, s.session) {
		say("%s", line)
	}
}

// path returns the session's folder, as the user may name it.
func (s sitting) path() string {
	return filepath.ToSlash(s.root.Place(s.session.ID()))
}

// ResumeHint returns advice for a suspended session, such as the flags that raise a budget.
func ResumeHint(kind council.FaultKind) string {
	if kind == council.FaultBudget {
		return " with a larger budget: --budget-tokens N, --budget-usd N or --budget-time 30m"
	}
	if kind == council.FaultCancelled {
		return ""
	}
	return "\n" + cli.Remedy(kind)
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
			lines = append(lines, fmt.Sprintf("Faults: %s unusable (%s). %s", plural.Things(n, "answer was", "answers were"),
				kind, cli.Remedy(kind)))
		}
	}
	return lines
}
