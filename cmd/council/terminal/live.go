// Package terminal shows a session to somebody who watches it: as plain lines, and on a terminal with a last line that
// says who is speaking, where the session stands and what it has cost.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// View shows a running session. What it shows are words of models, so all of it is cleaned.
type View struct {
	Out     io.Writer
	Session *rules.Session
	Now     func() time.Time
	Rewrite bool       // Out is a terminal, on which the last line is written again in place
	Width   func() int // columns of the terminal; 0, as well as nil, where they are not known

	mu       sync.Mutex
	started  time.Time
	speaking []council.MemberID // who is being asked, in the order in which they were
	place    string             // phase, round and cost as of the last event
	status   string             // the last line as it stands on the terminal, or ""
	over     bool
	seal     seal
	models   models
	holds    int      // how many have the terminal to themselves
	backlog  []string // what is shown once they have given it back
}

// Observe is told by the engine of every step.
func (v *View) Observe(p engine.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch p := p.(type) {
	case engine.Asked:
		v.speaking = append(v.speaking, p.Ask.Member)
	case engine.Replied:
		v.hush(p.Ask.Member)
	case engine.Withdrawn:
		v.hush(p.Ask.Member)
	case engine.Recorded:
		story := teller{v.Session.Charter(), v.Session.Events()}
		for _, e := range story.events[v.models.taken:] { // the first time, all that was recorded before
			if lines := v.models.take(story.charter, e); e.Seq == p.Event.Seq {
				v.backlog = append(v.backlog, lines...)
			}
		}
		v.backlog = append(v.backlog, v.seal.told(p.Event, story.tell(p.Event))...)
		v.catchUp()
		v.place = v.where(p.Event)
	}
	v.show()
}

// Waits is told when a member waits for something that takes long, or has gone wrong, by any goroutine.
func (v *View) Waits(w member.Wait) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return
	}
	v.backlog = append(v.backlog, Waiting(v.Session.Charter(), w, v.Now()))
	v.catchUp()
	v.show()
}

// Waiting describes a wait: of whom, for what, and until when.
func Waiting(c *council.Charter, w member.Wait, now time.Time) string {
	until := ""
	if w.Most > 0 {
		until = " until " + now.Add(w.Most).Format(time.TimeOnly) + " at the latest"
	}
	return fmt.Sprintf("  %s waits%s for %s.", Name(c, w.Member), until, strings.TrimSuffix(Line(w.Why), "."))
}

// Hold leaves the terminal to somebody who is asked something. What happens meanwhile is shown after release, which is
// called once.
func (v *View) Hold() (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	v.holds++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.holds--
		v.catchUp()
		v.show()
	}
}

// catchUp shows what has happened, unless somebody else has the terminal.
func (v *View) catchUp() {
	if v.holds > 0 || len(v.backlog) == 0 {
		return
	}
	v.clear()
	for _, text := range v.backlog {
		fmt.Fprintln(v.Out, Fold(hostile.Terminal(text), Columns(v.Width)))
	}
	v.backlog = nil
}

func (v *View) hush(m council.MemberID) {
	for i, speaking := range v.speaking {
		if speaking == m {
			v.speaking = append(v.speaking[:i:i], v.speaking[i+1:]...)
			return
		}
	}
}

// Begin starts the clock of the last line. After stop the last line is gone and nothing more is shown.
func (v *View) Begin() (stop func()) {
	v.started = v.Now()
	story := teller{v.Session.Charter(), v.Session.Events()}
	for _, e := range story.events { // of a session that goes on, in the middle of a vote perhaps
		text := ""
		if e.Sealed() { // nothing else is kept
			text = story.tell(e)
		}
		v.seal.told(e, text)
	}
	if !v.Rewrite {
		return func() {}
	}
	ticker, done := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				v.mu.Lock()
				v.show()
				v.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		v.mu.Lock()
		defer v.mu.Unlock()
		v.clear()
		v.over = true
	}
}

func (v *View) clear() {
	if v.status != "" {
		fmt.Fprint(v.Out, "\r\x1b[K")
		v.status = ""
	}
}

func (v *View) show() {
	if !v.Rewrite || v.over || v.holds > 0 {
		return
	}
	v.clear()
	columns := 79
	if wide := Columns(v.Width); wide > 0 {
		columns = min(columns, wide-1) // in the last column a terminal may begin another line, which nothing takes back
	}
	v.status = fit(hostile.Line(v.line()), columns)
	fmt.Fprint(v.Out, v.status)
}

// line returns the last line. It does not look at the session, which is not the ticker's to read.
func (v *View) line() string {
	var parts []string
	if n := len(v.speaking); n == 1 {
		parts = append(parts, Name(v.Session.Charter(), v.speaking[0]))
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%s and %d more", Name(v.Session.Charter(), v.speaking[0]), n-1))
	}
	if v.place != "" {
		parts = append(parts, v.place)
	}
	parts = append(parts, v.Now().Sub(v.started).Round(time.Second).String())
	return strings.Join(parts, " · ")
}

// where describes the phase, the round and the cost so far.
func (v *View) where(e council.Event) string {
	spent := v.Session.Spent()
	cost := plural.Things(spent.Calls, "call") + " · " + plural.Things(spent.Tokens(), "token")
	switch {
	case e.Round > 0:
		return fmt.Sprintf("phase %s · round %d · %s", e.Phase, e.Round, cost)
	case e.Phase != "":
		return fmt.Sprintf("phase %s · %s", e.Phase, cost)
	}
	return cost
}

// Wipe takes everything from a terminal, what has scrolled away too.
const Wipe = "\x1b[H\x1b[2J\x1b[3J"
