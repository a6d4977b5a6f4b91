package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
)

// A backup put back, or a copied project, was asked and paid again from where it stood; a log without its conversations
// went on to another ending.
func TestResume_RefusesACopyThatIsNotTheLatest(t *testing.T) {
	s := newStreet(t)
	s.steady, s.with = true, refusal{401, `{"error":{"message":"No such key."}}`}
	d := newWorkplace(t, s.url)
	d.env = map[string]string{"XDG_STATE_HOME": t.TempDir()}
	s.stop.Store(7)
	d.run(cli.ExitSuspended, "convene", "Shall we keep the queue?", "--config", d.config)
	s.stop.Store(0)
	s.shut.Store(nil) // it answers again
	here, folder := d.root, onlySession(t, d.root)
	record, anchors := restorable(t, d.root), restorable(t, d.env["XDG_STATE_HOME"])
	removed := func(part string) func() {
		return func() { check.OK(t, os.RemoveAll(filepath.Join(folder, "conversations", part))) }
	}
	for name, test := range map[string]struct {
		goesOn bool // to its end before the copy is there
		change func()
		says   string
	}{
		"a backup put back": {true, func() {}, "the log has been cut short"},
		"a copied project": {true, func() {
			d.root = filepath.Join(t.TempDir(), ".council")
			check.OK(t, os.CopyFS(d.root, os.DirFS(here)))
		}, "the log has been cut short"},
		"a log of other events":     {false, func() { forgeLog(t, folder) }, "the log has been rewritten"},
		"no conversations":          {false, removed(""), "there is no conversations/m"},
		"a conversation is missing": {false, removed("m1.jsonl"), "there is no conversations/m1.jsonl"},
		"a conversation is shorter than the log": {false, func() {
			name := filepath.Join(folder, "conversations", "m2.jsonl")
			put(t, name, strings.SplitAfter(readFile(t, name), "\n")[0])
		}, "the conversation of m2 has none"},
	} {
		t.Log(name)
		record()
		anchors()
		if test.goesOn {
			d.run(cli.ExitOK, "resume")
			record()
		}
		test.change()
		before, calls := check.Files(t, d.root), s.server.Calls.Load()
		for _, args := range [][]string{{"resume"}, {"resume", "--adjourn", "Enough."}, {"say", "latest", "Go on."}} {
			d.run(cli.ExitDamaged, args...)
			check.Says(t, d.errs.String(), test.says, "an older or incomplete copy", "the project was copied",
				"Go on in the newer copy", "convene the topic again")
		}
		check.Is(t, "calls were made, none", 0, s.server.Calls.Load()-calls)
		check.Equal(t, "the record changed", before, check.Files(t, d.root))
		d.root = here
	}
}
