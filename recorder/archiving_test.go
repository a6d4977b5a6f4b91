package recorder_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

func agreed([]wire.Entry) error { return nil }

// closedRoot is a workspace with one closed session of which nothing is left to do, and a file that a person put there.
func closedRoot(t testing.TB) (*recorder.Root, string) {
	t.Helper()
	root, path := finished(t)
	check.OK(t, root.Unsettled.Clear(sessionID))
	write(t, inSession(path, "notes/mine.txt"), "My own.")
	return root, path
}

// told returns everything that can be read of the session.
func told(t testing.TB, root *recorder.Root) string {
	t.Helper()
	list := check.Get(root.List())(t)
	latest := check.Get(root.Find(recorder.Latest))(t)
	entries := check.Get(root.Read(sessionID))(t)
	report := check.Get(root.Verify(sessionID))(t)
	replay := check.Get(root.Replay(sessionID))(t)
	beside := check.Get(root.Unrecorded(sessionID, nil))(t)
	return string(check.Get(json.MarshalIndent([]any{list, latest, entries, report, replay, beside}, "", " "))(t))
}

func TestArchive_ReadsAsBefore(t *testing.T) {
	root, path := closedRoot(t)
	before, files := told(t, root), folder(t, path)
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	check.ErrorIs(t, "the folder", os.ErrNotExist, check.Err(os.Stat(filepath.Dir(inSession(path, "events.json")))))
	check.Equal(t, "it", before, told(t, root))
	findings, err := root.Check(nil)
	check.That(t, err == nil && findings.Sessions == 1 && len(findings.Found) == 0, "%+v, %v", findings, err)
	first := check.Get(os.ReadFile(filepath.Join(path, recorder.PackPath(sessionID))))(t)

	check.OK(t, root.Archive.Restore(sessionID, agreed))
	check.Equal(t, "it", files, folder(t, path))
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	second, err := os.ReadFile(filepath.Join(path, recorder.PackPath(sessionID)))
	check.That(t, err == nil && string(first) == string(second), "archived again it has other bytes: %v", err)
}

// Readers see the session while it is being archived.
func TestArchive_DoesNotDisturbReaders(t *testing.T) {
	t.Parallel()
	root, path := closedRoot(t)
	other := check.Get(recorder.FindRoot(path))(t)
	defer other.Close()
	for range counciltest.Often(5, 200) {
		moved := make(chan error)
		go func() {
			moved <- errors.Join(root.Archive.Pack(sessionID, agreed), root.Archive.Pack(sessionID, agreed))
		}()
		for under := true; under; {
			select {
			case err := <-moved:
				check.OK(t, err)
				under = false
			default:
			}
			list := check.Get(other.List())(t)
			if _, err := other.Verify(sessionID); err != nil || len(list) != 1 || list[0].Events != 35 {
				t.Fatalf("%+v, %v", list, err)
			}
		}
		check.OK(t, root.Archive.Restore(sessionID, agreed))
	}
}

// Any unzip in the folder sessions brings a session back.
func TestArchive_HoldsTheFolderOfTheSession(t *testing.T) {
	root, path := closedRoot(t)
	want := folder(t, filepath.Join(path, "sessions"))
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	r := check.Get(zip.OpenReader(filepath.Join(path, "archive", "2026-11", string(sessionID)+".zip")))(t)
	defer r.Close()
	got := map[string]string{}
	for _, f := range r.File {
		in := check.Get(f.Open())(t)
		text := check.Get(io.ReadAll(in))(t)
		if got[f.Name] = string(text); f.Mode() != 0o600 {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	check.Equal(t, "it", want, got)
}

// Writers refuse an archived session, except for forgetting, which restores it.
func TestArchive_RefusesChanges(t *testing.T) {
	root, path := closedRoot(t)
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	before := folder(t, path)
	_, resumed := root.Resume(sessionID, fixed)
	_, created := root.Create(sessionID, fixed)
	_, rebuilt := root.Rebuild(sessionID, fixed.Now())
	for what, err := range map[string]error{"Resume": resumed, "Create": created, "Rebuild": rebuilt,
		"Discard": root.Discard(sessionID)} {
		check.ErrorIs(t, what, recorder.ErrArchived, err)
	}
	check.Equal(t, "it", before, folder(t, path))
	forgotten, err := root.Forget(sessionID, expunge.Erasing{Phrases: []string{"It is short."}}, fixed)
	check.That(t, err == nil && forgotten.Restored && len(forgotten.Events) != 0 && !root.Archive.Holds(sessionID),
		"%+v, %v", forgotten, err)
	for _, text := range folder(t, path) {
		check.NeverSays(t, text, "It is short.")
	}
}

func TestArchive_RefusesUnfitSessions(t *testing.T) {
	root, path := closedRoot(t)
	refused := errors.New("too young")
	stays := func(want error) {
		t.Helper()
		before := folder(t, path)
		check.ErrorIs(t, "archiving", want, root.Archive.Pack(sessionID, func([]wire.Entry) error { return refused }))
		check.Equal(t, "it", before, folder(t, path))
	}
	stays(refused)
	check.OK(t, root.Unsettled.Mark(sessionID))
	stays(recorder.ErrNotArchivable)
	check.OK(t, root.Unsettled.Clear(sessionID))
	check.OK(t, os.Symlink("/etc/passwd", inSession(path, "link")))
	stays(recorder.ErrNotArchivable)
	check.OK(t, os.Remove(inSession(path, "link")))
	held := check.Get(root.Resume(sessionID, fixed))(t)
	stays(recorder.ErrLocked)
	check.OK(t, held.Close())
	cut(t, inSession(path, "events.json"), 300)
	stays(recorder.ErrNotClosed)
	write(t, inSession(path, "events.json"), "\x00garbage")
	stays(recorder.ErrDamaged)
}

// A folder that differs from the archive beside it is kept: it may be somebody's work.
func TestArchive_KeepsAFolderThatDiffers(t *testing.T) {
	root, path := closedRoot(t)
	copied := t.TempDir() + "/copy"
	check.OK(t, os.CopyFS(copied, os.DirFS(filepath.Dir(inSession(path, "x")))))
	check.OK(t, root.Archive.Pack(sessionID, agreed))
	check.OK(t, os.CopyFS(filepath.Dir(inSession(path, "x")), os.DirFS(copied)))
	write(t, inSession(path, "more.txt"), "My own.")
	if err := root.Archive.Pack(sessionID, agreed); !errors.Is(err, recorder.ErrNotArchivable) ||
		!root.Archive.Interrupted(sessionID) {
		t.Errorf("%v", err)
	}
	check.Is(t, "it", "My own.", string(check.Get(os.ReadFile(inSession(path, "more.txt")))(t)))
	findings, err := root.Check(nil)
	check.That(t, err == nil && len(findings.Found) == 1 && strings.Contains(findings.Found[0].Do, "gc --apply"),
		"%+v, %v", findings, err)
}

// Killed at any operation, or failed by the disk, the session can be read as before, and the same call again ends where
// an undisturbed one does.
func TestArchive_FinishesAfterAnyFailure(t *testing.T) {
	t.Parallel()
	first, path := closedRoot(t)
	want := told(t, first)
	archived := t.TempDir() + "/archived"
	check.OK(t, os.CopyFS(archived, os.DirFS(path)))
	in := check.Get(recorder.OpenRoot(archived))(t)
	check.OK(t, errors.Join(in.Archive.Pack(sessionID, agreed), in.Close()))
	asBefore := func(what string, root *recorder.Root) { check.Equal(t, what, want, told(t, root)) }
	finishesAfterAnyFailure(t, path, step(61), func(root *recorder.Root) error {
		return root.Archive.Pack(sessionID, agreed)
	}, asBefore)
	finishesAfterAnyFailure(t, archived, step(61), func(root *recorder.Root) error {
		if !root.Archive.Holds(sessionID) { // it was restored
			return nil
		}
		return root.Archive.Restore(sessionID, agreed)
	}, asBefore)
}
