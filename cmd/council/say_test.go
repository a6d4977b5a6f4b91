package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/workspace/live"
)

// beside runs a command in the trial's workspace while another one of the trial runs.
func (tr *trial) beside(args ...string) (code int, said string) {
	var out bytes.Buffer
	a := tr.app()
	a.Out, a.Errs, a.Signals = &out, &out, catching(make(chan os.Signal))
	code = runLine(a, context.Background(), append(args, "--root", tr.root()))
	return code, out.String()
}

// notes returns the events of a session that are notes, as gjson reads them.
func (tr *trial) notes() []gjson.Result {
	tr.Helper()
	return gjson.Get(readFile(tr, tr.session("events.json")), `#(type=="NOTE_GIVEN")#`).Array()
}

func (tr *trial) left() []string {
	var names []string
	for _, folder := range []string{"live", "live/notes"} {
		entries, _ := os.ReadDir(filepath.Join(tr.root(), folder))
		for _, e := range entries {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// A note had to wait until the session was stopped.
func TestSay_ANoteIsGivenToARunningSession(t *testing.T) {
	m := newMarket(t, 3)
	var tr *trial
	var mu sync.Mutex
	said := map[string]string{} // by the kind of the question that a member had when it was said
	note := map[string]string{"nominat": " ", "turn": "Half of it. ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5",
		"second": strings.Repeat("x", council.MaxNote+1), "dissent": "Too late."}
	m.front = func(_ http.ResponseWriter, c counciltest.Call) bool {
		mu.Lock()
		defer mu.Unlock()
		for kind, text := range note {
			if said[kind] == "" && strings.Contains(c.Contract, kind) {
				_, said[kind] = tr.beside("say", "latest", text)
			}
		}
		return false
	}
	tr = m.trial(t, t.TempDir(), "k")
	tr.wants(tr.convene(nil), cli.ExitOK)
	for kind, words := range map[string]string{
		"nominat": "1 to 2,000 characters, and this one has 0", "turn": "1 secret was cut from the note",
		"second": "1 to 2,000 characters, and this one has 2,001",
	} {
		check.Says(t, said[kind], words)
	}
	if words := "is running. The note is kept"; !strings.Contains(said["turn"], words) {
		t.Errorf("say tells %q", said["turn"])
	}
	notes := tr.notes()
	if len(notes) == 0 || !notes[0].Get("payload.ahead").Bool() || strings.Contains(notes[0].Raw, "ghp_") {
		t.Errorf("recorded: %v", notes)
	}
	turns := 0
	for body := range m.bills["k"] {
		if strings.Contains(body, "Half of it.") && strings.Contains(body, `"reply_turn"`) {
			turns++
		}
	}
	if turns != 2 { // after the one during which it was said
		t.Errorf("it was told with %d turns", turns)
	}
	if left := tr.left(); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	tr.wants(tr.run(nil, "verify"), cli.ExitOK)
	tr.wants(tr.run(nil, "record", "fsck"), cli.ExitOK)
	tr.wants(tr.run(nil, "say", "latest", "Closed."), cli.ExitError)
}

// noted returns a trial whose session was stopped before its first question, with a note that a driver left.
func (m *market) noted(t *testing.T) (tr *trial) {
	tr = m.trial(t, filepath.Join(t.TempDir(), "site"), "noted")
	tr.signals <- os.Interrupt
	tr.wants(tr.convene(nil), cli.ExitSuspended)
	root := check.Get(recorder.FindRoot(tr.root()))(t)
	defer root.Close()
	check.Get(live.Spool(root, crashSession, council.NoteGiven{By: "me", Text: "First."}, steadyNow()))(t)
	return tr
}

// TestSay_ANoteIsRecordedOnceWhateverCrashes kills what records a note that a driver left, anywhere, and says another.
func TestSay_ANoteIsRecordedOnceWhateverCrashes(t *testing.T) {
	tr := newMarket(t, 3).noted(t)
	restore := restorable(t, tr.root())
	whole := &filetest.Plan{}
	tr.wants(tr.run(whole, "say", "latest", "Second."), cli.ExitOK)
	tr.killed(whole.Operations(), 7, restore, func(what string) {
		tr.wants(tr.run(nil, "say", "latest", "Third."), cli.ExitOK)
		count := map[string]int{}
		for _, n := range tr.notes() {
			count[n.Get("payload.text").String()]++
		}
		if count["First."] != 1 || count["Second."] > 1 || count["Third."] != 1 || len(tr.left()) > 0 {
			t.Errorf("%s: %v, and %v is left", what, count, tr.left())
		}
	}, "say", "latest", "Second.")
}

func TestSay_ANoteThatCameTooLateIsTold(t *testing.T) {
	tr := newMarket(t, 3).noted(t)
	tr.wants(tr.run(nil, "resume", "--adjourn", "Enough."), cli.ExitNotDecided)
	if words := "closed before a question told this note of me: First."; !strings.Contains(tr.errs.String(), words) {
		t.Errorf("the end says %s", &tr.errs)
	}
	if left := tr.left(); len(left) > 0 || len(tr.notes()) > 0 {
		t.Errorf("%v is left, %v is recorded", left, tr.notes())
	}
}
