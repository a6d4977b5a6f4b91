// Package terminal shows a session to a watcher: as plain lines in a pipe, and on a terminal with a status below them:
// open questions, streamed words, phase and costs.
package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/workspace/live"
)

// View shows a running session. Set its fields before Begin. Its methods may be called from any goroutine. Only Hold
// waits for the terminal: a goroutine of the view does the writing.
type View struct {
	Out    io.Writer
	Now    func() time.Time
	State  func() *live.State               // of the session; nil: it is not running
	Rows   func(columns, rows int) []string // the status, in the place of a session's; nil: that of the session
	Usual  time.Duration                    // see [Scene]
	Width  func() int                       // columns of the terminal; 0, as well as nil, where they are not known
	Height func() int                       // its rows, likewise
	Live   bool                             // Out is a terminal on which the status can be written again in place
	Colour bool
	Keys   string // see [Scene]
	Full   *Full  // fills the whole terminal; nil: lines scroll by, with the status below them

	mu     sync.Mutex
	queue  []func() []string // since the last look; each returns its text
	news   chan struct{}
	screen sync.Mutex // holds the terminal, and guards the following
	told   minutes.Minutes
	pace   *budget.Pace // nil before the session's first event
	paced  bool         // the time that is left was given, where there is no status to show it
	seal   seal
	models models
	drawn  []string // the status on the terminal
	over   atomic.Bool
}

const (
	often = 100 * time.Millisecond // between two looks at the queue
	tick  = time.Second            // between two looks at the clock
)

// Begin shows the following events. Those before are not shown again, but their sealed ones are once that is allowed.
// stop is called once: it shows the rest and removes the status; later events are written at once.
//
// A view on [io.Discard] that is not live does nothing.
func (v *View) Begin(before []council.Event) (stop func()) {
	if v.silent() {
		return func() {}
	}
	v.news = make(chan struct{}, 1)
	for _, e := range before {
		v.take(e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var looks sync.WaitGroup
	if v.Full != nil {
		go v.Full.listen(ctx, v)
	}
	looks.Go(func() {
		clock := time.NewTicker(tick)
		defer clock.Stop()
		for ctx.Err() == nil {
			v.paint()
			select {
			case <-time.After(often):
			case <-ctx.Done():
			}
			select {
			case <-v.news:
			case <-clock.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		looks.Wait()
		v.paint()
		v.screen.Lock()
		v.write(v.clear())
		v.over.Store(true)
		v.screen.Unlock()
	}
}

func (v *View) silent() bool { return v.Out == io.Discard && !v.Live && v.Full == nil }

// Observe shows a recorded event.
func (v *View) Observe(e council.Event) { v.add(func() []string { return v.take(e) }) }

// Say shows a line of the program's own.
func (v *View) Say(format string, args ...any) {
	v.add(func() []string { return []string{Sprintf(format, args...)} })
}

// Waits shows that a member waits for something slow or failed.
func (v *View) Waits(w member.Wait) {
	now := v.Now()
	v.add(func() []string {
		return []string{string(markDim) + Waiting(&v.told.Started.Charter, w, now) + string(markEnd)}
	})
}

// Changed notes that the state has changed. The state itself is asked for when it is shown.
func (v *View) Changed() {
	select {
	case v.news <- struct{}{}:
	default:
	}
}

func (v *View) add(happened func() []string) {
	if v.silent() {
		return
	}
	v.mu.Lock()
	v.queue = append(v.queue, happened)
	v.mu.Unlock()
	if v.Changed(); v.over.Load() {
		v.paint()
	}
}

// take folds in an event and returns the text to show now.
func (v *View) take(e council.Event) (lines []string) {
	v.told.Take(e, minutes.Recorded{})
	c := &v.told.Started.Charter
	if v.pace == nil {
		v.pace = budget.NewPace(c)
	}
	v.pace.Take(e)
	for _, line := range v.models.take(c, e) {
		lines = append(lines, string(markDim)+line+string(markEnd))
	}
	lines = append(lines, v.seal.told(e, teller{c, &v.told}.tell(e))...)
	if left, known := v.pace.Left(); known && e.Opens() && !v.Live && !v.paced {
		v.paced = true
		if left >= worthSaying {
			lines = append(lines, string(markDim)+"About "+lasts(roughly(left))+" left, if members go on as they did."+
				string(markEnd))
		}
	}
	return lines
}

// worthSaying is the shortest time left of which a session without a status gives notice.
const worthSaying = 30 * time.Second

// Waiting describes a wait: its member, reason and end.
func Waiting(c *council.Charter, w member.Wait, now time.Time) string {
	until := ""
	if w.Most > 0 {
		until = " until " + now.Add(w.Most).Format(time.TimeOnly) + " at the latest"
	}
	return fmt.Sprintf("  %s waits%s for %s.", Name(c, w.Member), until, strings.TrimSuffix(hostile.Label(w.Why), "."))
}

// Hold shows pending events and waits for the terminal, for a prompt, until release is called once.
func (v *View) Hold() (release func()) {
	v.paint()
	v.screen.Lock()
	v.write(v.clear())
	return func() {
		v.screen.Unlock()
		v.Changed()
	}
}

// paint writes pending text and the status.
func (v *View) paint() {
	v.screen.Lock()
	defer v.screen.Unlock()
	v.mu.Lock()
	queue := v.queue
	v.queue = nil
	v.mu.Unlock()
	var lines []string
	for _, happened := range queue {
		lines = append(lines, happened()...)
	}
	columns, rows := v.size()
	if v.Full != nil && !v.over.Load() {
		v.write(v.Full.paint(v, lines, columns, rows))
		return
	}
	var status []string
	if v.Live && !v.over.Load() {
		status = v.status(columns, rows-1)
	}
	if len(lines) == 0 && slices.Equal(status, v.drawn) {
		return
	}
	text := v.clear()
	for _, line := range lines {
		text += Paint(Fold(line, Columns(v.Width)), v.Colour) + "\n"
	}
	for i, row := range status {
		if i > 0 {
			text += "\n"
		}
		text += Paint(row, v.Colour)
	}
	v.drawn = status
	v.write(text)
}

func (v *View) size() (columns, rows int) {
	return cmp.Or(Columns(v.Width), 80), cmp.Or(Columns(v.Height), 24)
}

func (v *View) status(columns, rows int) []string {
	if v.Rows != nil {
		return v.Rows(columns-1, rows)
	}
	state := v.State()
	if state == nil {
		return nil
	}
	s := Scene{*state, &v.told, v.Now(), v.Usual, 0, v.Keys}
	if v.pace != nil {
		s.Left, _ = v.pace.Left()
	}
	if v.Full != nil {
		s.Keys = v.Full.Words()
	}
	// In the last column a terminal may begin another line, which nothing takes back.
	return Status(s, columns-1, rows)
}

// clear returns the output that removes the status, also from a terminal that has become narrower.
func (v *View) clear() string {
	if v.Full != nil {
		return v.Full.leave()
	}
	columns, _ := v.size()
	up := -1
	for _, row := range v.drawn {
		up += max(1, (Cells(row)+columns-1)/columns)
	}
	v.drawn = nil
	switch {
	case up < 0:
		return ""
	case up == 0:
		return "\r\x1b[J"
	}
	return fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
}

func (v *View) write(text string) {
	if text != "" {
		_, _ = io.WriteString(v.Out, text) // the stream keeps its error
	}
}

// Wipe clears the terminal and its scrollback.
const Wipe = "\x1b[H\x1b[2J\x1b[3J"
