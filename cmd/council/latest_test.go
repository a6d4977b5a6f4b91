package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// cutOff returns a workplace with a session that was suspended after seven calls, and the session's folder.
func cutOff(t *testing.T, s *street) (d *workplace, folder string) {
	t.Helper()
	s.steady, s.with = true, refusal{401, `{"error":{"message":"No such key."}}`}
	d = newWorkplace(t, s.url)
	d.env = map[string]string{"XDG_STATE_HOME": t.TempDir()}
	s.stop.Store(7)
	d.run(cli.ExitSuspended, "convene", "Shall we keep the queue?", "--config", d.config)
	return d, onlySession(t, d.root)
}

// open lets the server answer again.
func (s *street) open() { s.stop.Store(0); s.shut.Store(nil) }

// copyTree puts a copy of a folder in the place of another.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	check.OK(t, errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from))))
}

// A backup put back, or a copied project, was asked and paid again from where it stood; a log without its conversations
// went on to another ending.
func TestResume_RefusesACopyThatIsNotTheLatest(t *testing.T) {
	counciltest.NotUnderRace(t)
	removed := func(parts ...string) func(*testing.T, *workplace, string) {
		return func(t *testing.T, _ *workplace, folder string) {
			found, err := filepath.Glob(filepath.Join(append([]string{folder}, parts...)...))
			if err != nil || len(found) == 0 {
				t.Fatal(found, err)
			}
			for _, name := range found {
				err = errors.Join(err, os.RemoveAll(name))
			}
			check.OK(t, err)
		}
	}
	for name, test := range map[string]struct {
		goesOn bool // to its end before the copy is there
		change func(*testing.T, *workplace, string)
		says   string
	}{
		"a backup put back": {true, nil, "the log has been cut short"},
		"a copied project": {true, func(t *testing.T, d *workplace, _ string) {
			elsewhere := filepath.Join(t.TempDir(), ".council")
			copyTree(t, d.root, elsewhere)
			d.root = elsewhere
		}, "the log has been cut short"},
		"a log of other events": {false, func(t *testing.T, _ *workplace, folder string) { forgeLog(t, folder) },
			"the log has been rewritten"},
		"no conversations":          {false, removed("conversations"), "there is no conversations/m"},
		"a conversation is missing": {false, removed("conversations", "m1.jsonl"), "there is no conversations/m1.jsonl"},
		"a conversation is shorter than the log": {false, func(t *testing.T, _ *workplace, folder string) {
			name := filepath.Join(folder, "conversations", "m2.jsonl")
			put(t, name, strings.SplitAfter(readFile(t, name), "\n")[0])
		}, "the conversation of m2 has none"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStreet(t)
			d, folder := cutOff(t, s)
			s.open()
			if test.goesOn {
				backup := t.TempDir()
				copyTree(t, d.root, backup)
				d.run(cli.ExitOK, "resume")
				copyTree(t, backup, d.root)
			}
			if test.change != nil {
				test.change(t, d, folder)
			}
			before, calls := check.Files(t, d.root), s.server.Calls.Load()
			for _, args := range [][]string{{"resume"}, {"resume", "--adjourn", "Enough."}, {"say", "latest", "Go on."}} {
				d.run(cli.ExitDamaged, args...)
				for _, words := range []string{test.says, "an older or incomplete copy", "the project was copied",
					"Go on in the newer copy", "convene the topic again"} {
					d.says(&d.errs, words)
				}
			}
			check.Is(t, "calls were made, none", 0, s.server.Calls.Load()-calls)
			check.Equal(t, "the record changed", before, check.Files(t, d.root))
		})
	}
}
