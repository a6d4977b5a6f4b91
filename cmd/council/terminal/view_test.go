package terminal

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/live"
)

// stuck is a terminal that takes nothing until it is let go on.
type stuck struct {
	goOn chan struct{}
	text strings.Builder
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.goOn
	return s.text.Write(p)
}

func TestView_ASlowTerminalHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &stuck{goOn: make(chan struct{})}
		v := &View{Out: out, Now: time.Now}
		stop := v.Begin(nil)
		began := time.Now()
		for _, e := range story(1) {
			v.Observe(e)
		}
		synctest.Wait()
		for i := range 1000 {
			v.Observe(council.Event{Seq: council.Seq(i + 2), Turn: 1, Actor: "boole",
				Payload: council.ContributionMade{Message: "On."}})
			v.Waits(member.Wait{Member: "boole", Why: "its turn"})
			v.Changed()
			<-time.After(time.Millisecond)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("a thousand events took %s", took)
		}
		close(out.goOn)
		stop()
		check.Is(t, "of a thousand events are told", 1000, strings.Count(out.text.String(), "Boole: On."))
	})
}

// Ten thousand words a second are shown ten times a second at most.
func TestView_AFloodOfWordsIsShownNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, s := onScreenOf(80, 24, 11)
		v.Now = time.Now
		state := live.State{Asks: []live.Ask{after(1, council.AskTurn, "curie")}}
		n := 0
		v.State = func() *live.State {
			n++
			state.Asks[0].Words = fmt.Sprint("word ", n)
			return &state
		}
		stop := v.Begin(nil)
		for range 3_000 {
			v.Changed()
			<-time.After(100 * time.Microsecond)
		}
		stop()
		if s.writes > 6 {
			t.Errorf("it is written %d times in 0.3 s", s.writes)
		}
	})
}

// Whatever a member says, the screen differs only where its words stand.
func TestView_HostileWordsChangeNothingOutsideTheirPlace(t *testing.T) {
	show := func(words, wait string) []string {
		a, b := after(12, council.AskTurn, "curie"), after(3, council.AskTurn, "boole")
		a.Words, b.Wait = words, wait
		v, s := onScreenOf(80, 24, 11, a, b)
		v.paint()
		v.paint()
		return strings.Split(strings.TrimSpace(s.rows()), "\n")
	}
	plain := show("Well.", "its turn")
	for _, words := range []string{
		"\x1b[2J\x1b[HGone", "\x1b]0;title\a", "\u202eback\u202c", "\r\n\n\n\n", strings.Repeat("x", 10_000),
		strings.Repeat("採", 2000), strings.Repeat("word ", 3000), "\x0f\x01\x10Ada Lovelace\x0f: The motion: carried",
		"\x9b31m", "a\u0300\u0301\u0302", strings.Repeat("\u200d", 900),
	} {
		for _, got := range [][]string{show(words, "its turn"), show("Well.", words)} {
			first := slices.Index(got, plain[slices.Index(plain, `«98:Curie» is asked to speak · 12s`)])
			if first < 0 {
				t.Errorf("%.20q: it is not said who speaks:\n%s", words, strings.Join(got, "\n"))
				continue
			}
			for i, row := range got {
				looks := strings.NewReplacer("«98:", "", "«30:", "", "«130:", "", "«d:", "", "«b:", "", "»", "")
				if Cells(looks.Replace(row)) > 80 {
					t.Errorf("%.20q: row %d is too wide: %q", words, i, row)
				}
				if ours := strings.HasPrefix(row, "6 calls") || strings.HasPrefix(row, "«d:Ctrl-C"); ours && i < len(got)-4 {
					t.Errorf("%.20q: the last rows stand in row %d:\n%s", words, i, strings.Join(got, "\n"))
				}
				if strings.HasPrefix(row, "«b:The motion") || i > first && strings.Contains(row, "«30:") {
					t.Errorf("%.20q: it wears our colours: %q", words, row)
				}
			}
			if len(got) > 24 {
				t.Errorf("%.20q: %d rows", words, len(got))
			}
		}
	}
}

// However small the terminal is, the status fits, and tells at least what was spent and how to stop.
func TestView_TheStatusFitsIntoAnyTerminal(t *testing.T) {
	a := after(12, council.AskTurn, "curie")
	a.Words = strings.Repeat(spoken, 3)
	for _, columns := range []int{20, 40, 80, 300} {
		for rows := 8; rows < 60; rows += 7 {
			v, _ := onScreenOf(columns, rows, 11, a, after(2, council.AskPosition, "ada"))
			v.paint()
			if len(v.drawn) > rows-1 || !strings.Contains("\n"+strings.Join(v.drawn, "\n"), "\n6 calls") {
				t.Errorf("%d × %d:\n%s", columns, rows, strings.Join(v.drawn, "\n"))
			}
			for _, row := range v.drawn {
				if Cells(row) > columns-1 {
					t.Errorf("%d × %d: too wide: %q", columns, rows, row)
				}
			}
		}
	}
}

// Keys scroll and do what the caller says; whoever is asked something has the terminal and its lines meanwhile.
func TestView_KeysOfTheFullScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		v, s := onScreenOf(80, 24, 20)
		v.Now = time.Now
		pressed, raw := "", 0
		v.Full = &Full{Keyboard: NewKeyboard(in), Raw: func() func() { raw++; return func() { raw-- } },
			Keys: []Key{{Press: "p", Does: "pause", Do: func(context.Context) { pressed += "p" }}}}
		stop := v.Begin(nil)
		press := func(keys string) {
			for key := range strings.SplitSeq(keys, ",") {
				_, _ = typed.Write([]byte(key))
				<-time.After(time.Second)
			}
			synctest.Wait()
		}
		press("x,\x1b[A,k,\x1b[5~")
		if v.Full.up < 3 || !s.IsAltScreen() || raw != 1 {
			t.Errorf("it is not scrolled: %d rows; raw %d", v.Full.up, raw)
		}
		press("G,p")
		if v.Full.up != 0 || pressed != "p" {
			t.Errorf("%d rows below, pressed %q", v.Full.up, pressed)
		}
		release := v.Hold()
		if s.IsAltScreen() || raw != 0 {
			t.Errorf("whoever is asked something has not the terminal: raw %d", raw)
		}
		go func() { _, _ = typed.Write([]byte("pass\n")) }()
		check.Is(t, "typed", "pass", check.Get(v.Full.Keyboard.Line(t.Context()))(t))
		release()
		press("p,p")
		if pressed != "ppp" || !s.IsAltScreen() {
			t.Errorf("pressed %q afterwards", pressed)
		}
		stop()
		if s.IsAltScreen() || raw != 0 {
			t.Error("the terminal is not given back")
		}
		typed.Close()
	})
}

func TestView_WhatIsRecalledIsOneLine(t *testing.T) {
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, counciltest.Charter(3, 1, "")))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	recall := check.Get(s.Rule(council.MemoryRecalled{Query: "queue", Hits: []council.Recollection{
		{ID: "s0.e4", Kind: council.RecalledTurn, Speaker: "Bob\nPhase 9\x1b[2J", Date: "2026-05-12",
			Text: "It drops\nmessages."},
		{ID: "r-old", Kind: council.RecalledRecord, Date: "2025-07-01", Text: "Disks are cheap."},
	}}))(t)
	var out strings.Builder
	view := View{Out: &out, Now: func() time.Time { return time.Unix(0, 0) }}
	stop := view.Begin(s.Events())
	view.Observe(recall)
	stop()
	check.Is(t, "it", "Recalled from memory, unchecked: Bob Phase 9 on 2026-05-12; record r-old on 2025-07-01.\n",
		out.String())
}

// A kind of ask without words for people would stop a session with a person in it.
func TestView_PeopleAreToldOfEachKindOfAsk(t *testing.T) {
	for _, kind := range council.AskKinds() {
		if wording().Lookup("ask "+string(kind)) == nil {
			t.Errorf("questions.tmpl does not define %q", "ask "+kind)
		}
	}
}

func TestView_AWaitIsSaidWithWhoWhyAndUntilWhen(t *testing.T) {
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, counciltest.Charter(3, 1, "")))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	view := View{Out: &out, Now: func() time.Time { return noon }}
	stop := view.Begin(s.Events())
	view.Waits(member.Wait{Member: "m1", Why: "another try (2 of 6): slow\nPhase 9\x1b[2J down.", Most: 90 * time.Second})
	release := view.Hold() // somebody is asked something at this terminal
	view.Waits(member.Wait{Member: "m2", Why: "its turn"})
	check.NeverSays(t, out.String(), "its turn") // to whoever is asked something
	release()
	stop()
	want := "  Member m1 waits until 12:01:30 at the latest for another try (2 of 6): slow Phase 9 down.\n  Member m2 " +
		"waits for its turn.\n"
	check.Is(t, "it", want, out.String())
}
