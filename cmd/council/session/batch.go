package session

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/plural"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/site"
)

// Board shows the progress of a batch on standard error.
type Board struct {
	*terminal.View
	Progress func() (running []run.Running, took council.Amount)
	All      int
	Began    time.Time

	mu    sync.Mutex
	Ended map[string]int // by their states
	worst int            // exit code
}

// conveneBatch holds the sessions of a file, some at a time. It skips those that an earlier run closed, and resumes
// those left open.
func conveneBatch(a *cli.Env, ctx context.Context, o ConveneOptions, args []string) error {
	if len(args) > 0 || o.TopicFile != "" || o.Me != "" || o.convener || o.DryRun || o.Show.json || o.Show.full || o.yes {
		return site.Refuse("--batch takes its topics from the file, asks nobody at this terminal and writes a line of JSON "+
			"for each session", "Leave out the topic, --topic-file, --me, --wait-for-convener, --dry-run, --json, --full "+
			"and --yes.")
	}
	if o.Jobs < 1 {
		return site.Refuse(fmt.Sprintf("--jobs is how many sessions are held at once, 1 or more, not %d", o.Jobs),
			"Nothing was begun.")
	}
	lines, err := cli.ReadBatch(a, o.batch)
	if err == nil {
		o.Caps, err = o.caps.Caps()
	}
	if err != nil {
		return err
	}
	v := NewBoard(a, o.Show)
	a.Windows = new(sync.Map) // a thousand sessions ask each server once
	o.Because, o.Remarks, o.Quiet = a.Settings["model"].From, cli.LeftWords, o.Show.Quiet
	o.Trust = cli.TrustGate(a.Alone(io.Discard, a.Signals)) // the person was asked before the first session
	b := &run.Batch{World: a.World, Request: o.Request, Changed: v.Changed}
	defer b.Close()
	todo, err := b.Prepare(ctx, lines, cli.TrustGate(a))
	if err != nil {
		return err
	}
	b.World = a.With(func(w *site.World) { w.Warn = v.Say })
	v.Progress, v.All = b.Progress, len(lines)
	defer v.Begin(nil)()
	ctx, interrupt, release := run.Interrupts(a.World, ctx, nil, v.Say)
	defer release()
	b.Interrupt = interrupt
	b.Run(ctx, todo, o.Jobs, func(r run.BatchResult) { v.report(a, r) })
	if v.worst != cli.ExitOK {
		return cli.ExitCode(v.worst)
	}
	return nil
}

// NewBoard returns a board without progress.
func NewBoard(a *cli.Env, d Display) *Board {
	b := &Board{Began: a.Now(), Ended: map[string]int{}}
	b.View = &terminal.View{Out: a.Errs, Now: a.Now, Colour: cli.UseColours(a, d.Plain)}
	b.Rows = b.rows
	if f, ok := cli.Stream(a.Errs).(*os.File); ok && cli.IsTerminal(f) && a.Getenv("TERM") != "dumb" {
		b.Live = true
		b.Width = func() int { columns, _, _ := term.GetSize(int(f.Fd())); return columns }
		b.Height = func() int { _, rows, _ := term.GetSize(int(f.Fd())); return rows }
	}
	if d.Quiet {
		b.Out, b.Live = io.Discard, false
	}
	return b
}

// rows returns the progress of the batch: sessions that ended, and those that run.
func (b *Board) rows(columns, rows int) []string {
	running, took := b.Progress()
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := []string{fmt.Sprintf("── Batch: %s ──", b.tally())}
	for i, s := range running {
		if more := len(running) - i; i == rows-3 && more > 1 {
			lines = append(lines, fmt.Sprintf("and %d more", more))
			break
		}
		lines = append(lines, fmt.Sprintf("%s · %s · %s", s.Line.Name(), s.Place, b.Now().Sub(s.Since).Round(time.Second)))
	}
	lines = append(lines, fmt.Sprintf("%s · %s · Ctrl-C suspends all", site.PaidSum{Amount: took}.Words(),
		b.Now().Sub(b.Began).Round(time.Second)))
	for i, line := range lines {
		lines[i] = terminal.Rows(line, columns)[0]
	}
	return lines
}

// tally counts the sessions by state. The caller holds mu.
func (b *Board) tally() string {
	ended := 0
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(b.Ended)) {
		ended += b.Ended[state]
		parts = append(parts, fmt.Sprintf("%d %s", b.Ended[state], state))
	}
	return site.Joined("; ", fmt.Sprintf("%d of %s", ended, plural.Things(b.All, "session")), strings.Join(parts, ", "))
}

func (b *Board) report(a *cli.Env, ended run.BatchResult) {
	r := cli.BatchResultOf(ended)
	a.JSON(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Ended[string(r.State)]++
	byBadness := []int{cli.ExitOK, cli.ExitNotDecided, cli.ExitSuspended, cli.ExitUsage, cli.ExitError, cli.ExitDamaged}
	b.worst = byBadness[max(slices.Index(byBadness, r.ExitCode), slices.Index(byBadness, b.worst))]
	if !ended.Before { // else it was shown when it closed
		b.Say("%s: %s (%s)", ended.Line.Name(), site.Joined(". ", string(r.State), r.Error), b.tally())
	}
}
