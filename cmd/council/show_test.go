package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
)

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// Commands whose output went to a full device ended with 0, and without a word.
func TestShow_OutputThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"version", "councils list", "schema config", "--help",
		"convene x --model rehearsal --output none --quiet", "sessions"} {
		var errs bytes.Buffer
		a := testOnlyApp(nil, &errs)
		a.Out = full{}
		code := runLine(a, t.Context(), strings.Fields(command))
		if code != cli.ExitError || !strings.Contains(errs.String(),
			"could not be written to standard output: no space left on device\n") {
			t.Errorf("%s: exit code %d\n%s", command, code, &errs)
		}
		check.NeverSays(t, errs.String(), "Free some space")
	}
}

// sight is a terminal that says when something was first seen on it.
type sight struct {
	words string
	seen  chan struct{}
	mu    sync.Mutex
	text  strings.Builder
}

func (s *sight) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.text.String(), s.words)
	n, err := s.text.Write(p)
	if !before && strings.Contains(s.text.String(), s.words) {
		close(s.seen)
	}
	return n, err
}

// Another terminal shows what happens while a member is asked, what is recorded, and how it ends. No question is paid
// for twice.
func TestShow_ARunningSessionIsWatchedFromAnotherTerminal(t *testing.T) {
	m := newMarket(t, 3)
	var tr *trial
	out := &sight{words: "is asked to speak", seen: make(chan struct{})}
	code := make(chan int, 1)
	var once sync.Once
	m.front = func(_ http.ResponseWriter, c counciltest.Call) bool {
		if strings.Contains(c.Contract, "turn") {
			once.Do(func() {
				go func() {
					a := tr.app()
					a.Out, a.Errs, a.Signals, a.Terminal = out, out, catching(make(chan os.Signal)), true
					code <- runLine(a, context.Background(), []string{"watch", "--root", tr.root()})
				}()
			})
			select {
			case <-out.seen:
			case <-time.After(time.Minute):
				t.Error("what happens is not shown")
			}
		}
		return false
	}
	tr = m.trial(t, t.TempDir(), "watched")
	tr.wants(tr.convene(nil), cli.ExitOK)
	if got := <-code; got != cli.ExitOK {
		t.Errorf("exit code %d\n%s", got, out.text.String())
	}
	shown := out.text.String()
	check.Says(t, shown, "Sealed positions:", "Phase 1 of ", "round 1 of ", " calls · ",
		"Ctrl-C leaves · council say ", "\x1b[J", "The motion: carried", "Record: ")
	if _, again := m.bill("watched"); len(again) > 0 {
		t.Errorf("paid for twice: %v", again)
	}
}

// Colours and a status are for terminals that can show them, and for people who want them.
func TestWatch_ColoursGoAway(t *testing.T) {
	root := check.Get(recorder.OpenRoot(filepath.Join(t.TempDir(), ".council")))(t)
	defer root.Close()
	for name, test := range map[string]struct {
		terminal bool
		env      map[string]string
		plain    bool
		colour   bool
		live     bool
	}{
		"a terminal":      {terminal: true, colour: true, live: true},
		"a pipe":          {},
		"NO_COLOR":        {terminal: true, env: map[string]string{"NO_COLOR": "1"}, live: true},
		"an empty one":    {terminal: true, env: map[string]string{"NO_COLOR": ""}, colour: true, live: true},
		"--no-color":      {terminal: true, plain: true, live: true},
		"a dumb terminal": {terminal: true, env: map[string]string{"TERM": "dumb"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := testOnlyApp(nil, nil)
			a.Terminal, a.Getenv = test.terminal, func(n string) string { return test.env[n] }
			v := session.NewView(a, session.Display{Plain: test.plain}, root, crashSession, nil)
			if v.Colour != test.colour || v.Live != test.live {
				t.Errorf("colour %v, live %v", v.Colour, v.Live)
			}
		})
	}
}
