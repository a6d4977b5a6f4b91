package recorder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// finished returns a workspace with a session that was closed.
func finished(t testing.TB) (*recorder.Root, string) {
	t.Helper()
	return like(t, "finished", func(root *recorder.Root) { check.OK(t, check.Get(convene(root, fixed))(t).sit()) })
}

// resume opens the session and gives it back at the end of the test.
func resume(t testing.TB, root *recorder.Root) *recorder.Session {
	t.Helper()
	s := check.Get(root.Resume(sessionID, fixed))(t)
	t.Cleanup(func() {
		check.OK(t, s.Close())
	})
	return s
}

func TestCreate_RefusesASessionThatBegan(t *testing.T) {
	root, path := finished(t)
	before := folder(t, path)
	check.ErrorIs(t, "Create", recorder.ErrExists, check.Err(root.Create(sessionID, fixed)))
	check.Equal(t, "it was changed", before, folder(t, path))
}

func TestCreate_TakesOverASessionThatNeverBegan(t *testing.T) {
	for name, text := range map[string]string{"no log": "", "an empty log": wire.Empty,
		"a torn first event": "[\n{\"form"} {
		t.Run(name, func(t *testing.T) {
			root, path := openRoot(t)
			if text == "" {
				check.OK(t, os.Mkdir(inSession(path, ""), 0o700))
			} else {
				write(t, inSession(path, "events.json"), text)
			}
			_, resumed := root.Resume(sessionID, fixed)
			_, read := root.Read(sessionID)
			_, verified := root.Verify(sessionID)
			for verb, err := range map[string]error{"resume": resumed, "read": read, "verify": verified} {
				check.ErrorIs(t, verb, recorder.ErrNotBegun, err)
			}
			check.OK(t, check.Get(convene(root, fixed))(t).sit())
		})
	}
}

func TestResume_RepairsAndKeepsATornEnd(t *testing.T) {
	root, path := finished(t)
	log := inSession(path, "events.json")
	whole := check.Get(os.ReadFile(log))(t)
	last := strings.LastIndex(string(whole), "\n,")
	tests := []struct {
		name string
		text string
		lost int    // events
		kept string // the torn end beside
	}{
		{"half an event", string(whole[:last+40]), 1, string(whole[last : last+40])},
		{"no bracket", string(whole[:len(whole)-1]), 0, ""},
		{"an event without its newline", string(whole[:len(whole)-2]), 0, ""},
		{"zeros after the end", string(whole) + "\x00\x00", 0, ""},
		{"zeros in the place of the last event", string(whole[:last+9]) + strings.Repeat("\x00", 512), 1,
			string(whole[last:last+9]) + strings.Repeat("\x00", 512)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			write(t, log, test.text)
			before, err := root.Read(sessionID)
			if err != nil {
				t.Fatalf("reading a log with a torn end: %v", err)
			}
			s := check.Get(root.Resume(sessionID, fixed))(t)
			check.OK(t, errors.Join(s.Finalize(), s.Close()))
			check.Equal(t, "the repair changed events", before, check.Get(root.Read(sessionID))(t))
			mended := check.Get(os.ReadFile(log))(t)
			want := string(whole)
			if test.lost > 0 {
				want = string(whole[:last]) + "\n]"
			}
			check.Is(t, "the repaired log", want, string(mended))
			beside, err := os.ReadFile(log + ".torn-1")
			if test.kept == "" && err == nil || string(beside) != test.kept {
				t.Fatalf("kept beside: %q (%v), want %q", beside, err, test.kept)
			}
			check.OK(t, os.RemoveAll(log+".torn-1"))
		})
	}
}

func TestResume_RefusesAndNamesDamage(t *testing.T) {
	root, path := finished(t)
	log := inSession(path, "events.json")
	whole := check.Get(os.ReadFile(log))(t)
	damaged := strings.Replace(string(whole), "That we do.", "That we die.", 1)
	write(t, log, damaged)
	before := folder(t, path)
	_, resumed := root.Resume(sessionID, fixed)
	read, readErr := root.Read(sessionID)
	report, verified := root.Verify(sessionID)
	_, created := root.Create(sessionID, fixed)
	for verb, err := range map[string]error{"resume": resumed, "read": readErr, "create": created} {
		var damage *chain.DamageError
		check.That(t, errors.As(err, &damage) && damage.File == "events.json" && damage.Event == len(read)+1 &&
			damage.Offset != 0, "%s: %v, want the file, the event and the offset", verb, err)
	}
	check.That(t, errors.Is(verified, recorder.ErrDamaged) && !report.OK() && len(report.Checks[0].Findings) == 1,
		"verify: %+v, %v", report, verified)
	check.Equal(t, "a damaged session was changed", before, folder(t, path))
}

func TestResume_BringsTheTranscriptInStep(t *testing.T) {
	root, path := finished(t)
	want := folder(t, path)
	for _, text := range []string{"", "half a transcr",
		want["sessions/"+string(sessionID)+"/transcript.md"] + "and more"} {
		write(t, inSession(path, "transcript.md"), text)
		check.OK(t, check.Get(root.Resume(sessionID, fixed))(t).Close())
		check.Equal(t, fmt.Sprintf("after %q", text), want, folder(t, path))
	}
}

func TestFinalize_WritesOnlyDifferences(t *testing.T) {
	root, path := finished(t)
	want := folder(t, path)
	s := resume(t, root)
	stat := func() map[string]os.FileInfo {
		files := map[string]os.FileInfo{}
		for name := range folder(t, path) {
			info := check.Get(os.Stat(filepath.Join(path, name)))(t)
			files[name] = info
		}
		return files
	}
	before := stat()
	check.OK(t, s.Finalize())
	for name, info := range stat() {
		check.That(t, os.SameFile(info, before[name]) && info.ModTime() == before[name].ModTime(), "%s was written again",
			name)
	}
	write(t, inSession(path, "session.json"), "changed")
	write(t, inSession(path, "transcript.md"), "changed")
	write(t, inSession(path, "documentation.unapproved.md"), "of an earlier time")
	write(t, inSession(path, "documentation.draft.v9.md"), "of an earlier time")
	check.OK(t, os.Remove(inSession(path, "leader-summary.md")))
	write(t, inSession(path, "my-notes.md"), "mine")
	want["sessions/"+string(sessionID)+"/my-notes.md"] = "mine"
	check.OK(t, s.Finalize())
	got := folder(t, path)
	lock := "locks/" + string(sessionID) + ".lock"
	want[lock] = got[lock] // it names the test's process
	check.Equal(t, "after Finalize", want, got)
}

func TestFinalize_RestoresAGrowingTranscript(t *testing.T) {
	root, path := finished(t)
	s := resume(t, root)
	write(t, inSession(path, "transcript.md"), "changed")
	check.OK(t, s.Finalize())
	e := council.Event{Seq: council.Seq(len(s.Entries()) + 1),
		Payload: council.ExecutionRejected{By: "eve", BriefSHA256: strings.Repeat("0", 64)}}
	check.OK(t, s.Append(e))
	grown := check.Get(os.ReadFile(inSession(path, "transcript.md")))(t)
	check.OK(t, s.Finalize())
	rendered, err := os.ReadFile(inSession(path, "transcript.md"))
	if err != nil || string(grown) != string(rendered) || !strings.Contains(string(grown), "eve") {
		t.Fatalf("the transcript that grew is not the one that is rendered (%v):\n%s",
			err, cmp.Diff(string(rendered), string(grown)))
	}
}

func TestAppend_StopsAfterAnError(t *testing.T) {
	path := t.TempDir() + "/.council"
	plan := &filetest.Plan{}
	root := check.Get(under(path, plan))(t)
	h := check.Get(convene(root, fixed))(t)
	plan.At, plan.Err = plan.Count()+2, syscall.EIO // the sync of the next event
	due := h.rules.Ready()
	if due.Event != nil {
		t.Fatal("the test expects a question first")
	}
	e := check.Get(h.rules.Answer(council.Reply{Ask: due.Asks[0].ID, Body: council.Position{Position: "Yes",
		Confidence: 1}}))(t)
	first := h.record.Append(e)
	if !errors.Is(first, syscall.EIO) || !strings.HasPrefix(plan.Struck(), "sync events.json") {
		t.Fatalf("%v at %q, want EIO at the sync of events.json", first, plan.Struck())
	}
	operations := plan.Count()
	for name, again := range map[string]error{"append": h.record.Append(e), "finalize": h.record.Finalize()} {
		check.Is(t, name, first, again)
	}
	check.Is(t, "the disk was touched after the error", operations, plan.Count())
	check.OK(t, errors.Join(h.record.Close(), root.Close()))
	check.ErrorIs(t, "after Close", recorder.ErrClosed, h.record.Append(e))
}

func TestSession_FilesArePrivate(t *testing.T) {
	root, path := openRoot(t)
	check.OK(t, check.Get(convene(root, fixed))(t).sit())
	for name := range folder(t, path) {
		check.Is(t, name, 0o600, check.Get(os.Stat(filepath.Join(path, name)))(t).Mode().Perm())
	}
}

func TestSession_WritesFewBytes(t *testing.T) {
	path := t.TempDir() + "/.council"
	plan := &filetest.Plan{}
	root := check.Get(under(path, plan))(t)
	c := charter()
	c.Phases[0].StopConditions.MaxRounds = 300
	h := check.Get(conveneAs(root, fixed, c))(t)
	h.script = func(v council.View) string {
		if v.Ask.Kind == council.AskTurn {
			return fmt.Sprintf(`{"action":"CONTRIBUTE","message":"%s"}`, strings.Repeat("A thought. ", 100))
		} else if v.Undecided {
			return `{"summaryMarkdown":"S","undecided":{"question":"What does it cost?"}}`
		}
		return script(v)
	}
	check.OK(t, h.sit())
	kept := 0
	for _, text := range folder(t, path) {
		kept += len(text)
	}
	events := len(h.record.Entries())
	ratio := float64(plan.Written()) / float64(kept)
	t.Logf("%d events: %d bytes written, %d kept, %.3f", events, plan.Written(), kept, ratio)
	check.That(t, events >= 1200 && ratio <= 1.5,
		"%d events, %.3f bytes written for one that is kept; want at least 1,200 and at most 1.5", events, ratio)
}

// A process that is killed when the close is recorded and the transcript is not written anew leaves the minutes of the
// open session. That is no edit of a person's: it is written anew, and nothing is kept aside.
func TestRebuild_ReplacesATranscriptBehindTheClose(t *testing.T) {
	root, path := openRoot(t)
	at := filepath.Join(path, "sessions", "s", "transcript.md")
	rebuilt := func() string {
		t.Helper()
		changed := check.Get(root.Rebuild("s", fixed.Now()))(t)
		for _, c := range changed {
			check.Is(t, c.Name, "", c.Kept)
		}
		return string(check.Get(os.ReadFile(at))(t))
	}
	note := council.NoteGiven{By: "Grace", Text: "Go on."}
	put(t, path, "s", note)
	open := rebuilt()
	put(t, path, "s", note, council.SessionClosed{})
	whole := rebuilt()
	if !strings.Contains(open, "**In session.**") || strings.Contains(whole, "**In session.**") ||
		!strings.Contains(whole, "## Outcome") {
		t.Fatalf("open:\n%s\nclosed:\n%s", open, whole)
	}
	write(t, at, open[:len(open)-7])
	check.Is(t, "rebuilt", whole, rebuilt())
}
