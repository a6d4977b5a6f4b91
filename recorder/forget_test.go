package recorder_test

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/verify"
)

// gone fails for every file of the session in which one of the words stands.
func gone(t testing.TB, path string, words ...string) {
	t.Helper()
	for name, text := range check.Files(t, inSession(path, "")) {
		for _, w := range words {
			if i := strings.Index(text, w); i >= 0 {
				t.Errorf("%s still holds %s: …%s…", filepath.Base(name), w, text[max(0, i-80):min(len(text), i+40)])
			}
		}
	}
}

// vouched verifies the session and fails unless it does, says that something was forgotten, and replays.
func vouched(t testing.TB, root *recorder.Root, forgotten int) {
	t.Helper()
	report, err := root.Verify(sessionID)
	if err != nil {
		t.Fatalf("it does not verify: %v\n%+v", err, findings(report))
	}
	if said := notes(report, "log"); forgotten > 0 && !strings.Contains(said, "forgotten") {
		t.Fatalf("verify does not tell: %q", said)
	}
	check.NeverSays(t, notes(report, "conversations"), "worded")
	if report, err = root.Replay(sessionID); err != nil {
		t.Fatalf("it does not replay: %v\n%+v", err, findings(report))
	}
	if changed, err := root.Rebuild(sessionID, fixed.Now()); err != nil || len(changed) > 0 {
		t.Fatalf("a rebuild changes something: %+v, %v", changed, err)
	}
}

func findings(r verify.Report) []string {
	var all []string
	for _, c := range r.Checks {
		all = append(all, c.Findings...)
	}
	return all
}

// copyOf returns the workspace copied to a fresh folder.
func copyOf(t testing.TB, path string) (*recorder.Root, string) {
	t.Helper()
	to := t.TempDir() + "/.council"
	check.OK(t, os.CopyFS(to, os.DirFS(path)))
	check.OK(t, filepath.WalkDir(to, func(name string, e fs.DirEntry, err error) error { // they are for everybody to read
		if err == nil && e.IsDir() {
			return os.Chmod(name, 0o700)
		}
		return cmp.Or(err, os.Chmod(name, 0o600))
	}))
	plan := &filetest.Plan{NoSync: true}
	root := check.Get(recorder.OpenRoot(to, plan.Watch))(t)
	t.Cleanup(func() { _ = root.Close() })
	return root, to
}

// Each event that has words is forgotten in a copy of one session. Its words are in no byte of the folder any more, the
// words of all others are, and everything that can be verified is.
func TestForget_WhatIsForgottenIsGone(t *testing.T) {
	t.Parallel()
	_, path, entries := spoken(t)
	cite := token("p1.assess.ada", "cite")
	stays := map[council.EventType][]string{
		council.TypeOf[council.SessionStarted](): {purposeToken}, council.TypeOf[council.MemoryRecalled](): {topicToken},
		council.TypeOf[council.PhaseAssessed](): {cite}, council.TypeOf[council.PhaseEnded](): {cite},
	}
	kinds := map[council.EventType]bool{}
	for i := 0; i < len(entries); i += step(7) {
		e := entries[i]
		words := slices.DeleteFunc(tokensOf(t, e.Payload), func(w string) bool { return slices.Contains(stays[e.Type()], w) })
		if len(words) == 0 {
			continue
		}
		kinds[e.Type()] = true
		t.Run(e.ID+" "+string(e.Type()), func(t *testing.T) {
			root, path := copyOf(t, path)
			done := check.Get(root.Forget(sessionID, expunge.Erasing{Events: []council.Seq{e.Seq}}, fixed))(t)
			if !slices.Contains(done.Events, e.Seq) {
				t.Fatalf("it is not marked: %+v", done)
			}
			gone(t, path, words...)
			vouched(t, root, len(done.Events))
			others := map[string]bool{}
			for _, o := range entries {
				if !slices.Contains(done.Events, o.Seq) {
					for _, w := range tokensOf(t, o.Payload) {
						others[w] = true
					}
				}
			}
			log := folder(t, path)["sessions/"+string(sessionID)+"/events.json"]
			for w := range others {
				check.Says(t, log, w)
			}
			after := folder(t, path)
			check.Get(root.Forget(sessionID, expunge.Erasing{Events: []council.Seq{e.Seq}}, fixed))(t)
			check.Equal(t, "it", after, folder(t, path))
		})
	}
	t.Logf("%d types of event", len(kinds))
}

// A conversation that has grown too long starts again from a digest, which shortens and repeats what was said.
func TestForget_WhatIsForgottenIsGoneFromConversationsThatStartedAgain(t *testing.T) {
	t.Parallel()
	first, path := openRoot(t)
	speak(t, first, prompt.Limits{MaxBytes: 4000, KeepBytes: 1200})
	entries := check.Get(first.Read(sessionID))(t)
	check.Says(t, folder(t, inSession(path, "conversations"))["ada.jsonl"], `"restart":2`)
	for i := 2; i < len(entries); i += step(7) {
		e := entries[i]
		words := slices.DeleteFunc(tokensOf(t, e.Payload), func(w string) bool { return w == token("p1.assess.ada", "cite") })
		if len(words) == 0 {
			continue
		}
		root, path := copyOf(t, path)
		check.Get(root.Forget(sessionID, expunge.Erasing{Events: []council.Seq{e.Seq}}, fixed))(t)
		gone(t, path, words...)
	}
}

// Killed at any operation, or failed by the disk, forgetting leaves a session that is read, and of which nothing is
// found but that files have to be rendered again. The same call again ends where an undisturbed one does.
func TestForget_ForgettingIsFinishedAfterAKill(t *testing.T) {
	t.Parallel()
	_, path, _ := spoken(t)
	word := token("p1.r1.t1.turn.ada", "message")
	write(t, inSession(path, "transcript.md.edited-20261121T081500Z"), "I think "+word+" is right.")
	write(t, inSession(path, "events.json.torn-1"), `\u0071`+word[1:])
	what := expunge.Erasing{Events: []council.Seq{4, 20, 30}, Phrases: []string{word, token("d2.draft.ada", "draft")}}
	finishesAfterAnyFailure(t, path, step(47), func(root *recorder.Root) error {
		return check.Err(root.Forget(sessionID, what, fixed))
	}, func(what string, root *recorder.Root) {
		report, err := root.Verify(sessionID)
		for _, c := range report.Checks {
			if c.Name != "files" && len(c.Findings) > 0 {
				t.Fatalf("%s: %v %q", what, err, c.Findings)
			}
		}
	})
}
