package recorder_test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/atomicfile/filetest"
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
	root, path := openRoot(t)
	h, err := convene(root, fixed)
	if err == nil {
		err = errors.Join(h.sit(), root.Unsettled().Clear(sessionID))
	}
	must(t, err)
	write(t, inSession(path, "notes/mine.txt"), "My own.")
	return root, path
}

func must(t testing.TB, err error) {
	t.Helper()
	check.OK(t, err)
}

// told returns everything that can be read of the session.
func told(t testing.TB, root *recorder.Root) string {
	t.Helper()
	list, err := root.List()
	must(t, err)
	latest, err := root.Find(recorder.Latest)
	must(t, err)
	entries, err := root.Read(sessionID)
	must(t, err)
	report, err := root.Verify(sessionID)
	must(t, err)
	replay, err := root.Replay(sessionID)
	must(t, err)
	beside, err := root.Unrecorded(sessionID, nil)
	must(t, err)
	text, err := json.MarshalIndent([]any{list, latest, entries, report, replay, beside}, "", " ")
	must(t, err)
	return string(text)
}

func TestArchive_ReadsAsBefore(t *testing.T) {
	root, path := closedRoot(t)
	before, files := told(t, root), folder(t, path)
	must(t, root.Archive().Pack(sessionID, agreed))
	check.ErrorIs(t, "the folder", os.ErrNotExist, check.Err(os.Stat(filepath.Dir(inSession(path, "events.json")))))
	check.Equal(t, "it", before, told(t, root))
	findings, err := root.Check(nil)
	if err != nil || findings.Sessions != 1 || len(findings.Found) > 0 {
		t.Errorf("%+v, %v", findings, err)
	}
	first, err := os.ReadFile(filepath.Join(path, recorder.PackPath(sessionID)))
	must(t, err)

	must(t, root.Archive().Restore(sessionID, agreed))
	check.Equal(t, "it", files, folder(t, path))
	must(t, root.Archive().Pack(sessionID, agreed))
	second, err := os.ReadFile(filepath.Join(path, recorder.PackPath(sessionID)))
	if err != nil || string(first) != string(second) {
		t.Errorf("archived again it has other bytes: %v", err)
	}
}

// Readers see the session while it is being archived.
func TestArchive_DoesNotDisturbReaders(t *testing.T) {
	t.Parallel()
	root, path := closedRoot(t)
	other, err := recorder.FindRoot(path)
	must(t, err)
	defer other.Close()
	for range counciltest.Often(5, 200) {
		moved := make(chan error)
		go func() {
			moved <- errors.Join(root.Archive().Pack(sessionID, agreed), root.Archive().Pack(sessionID, agreed))
		}()
		for under := true; under; {
			select {
			case err := <-moved:
				must(t, err)
				under = false
			default:
			}
			list, err := other.List()
			must(t, err)
			if _, err := other.Verify(sessionID); err != nil || len(list) != 1 || list[0].Events != 35 {
				t.Fatalf("%+v, %v", list, err)
			}
		}
		must(t, root.Archive().Restore(sessionID, agreed))
	}
}

// Any unzip in the folder sessions brings a session back.
func TestArchive_HoldsTheFolderOfTheSession(t *testing.T) {
	root, path := closedRoot(t)
	want := folder(t, filepath.Join(path, "sessions"))
	must(t, root.Archive().Pack(sessionID, agreed))
	r, err := zip.OpenReader(filepath.Join(path, "archive", "2026-11", string(sessionID)+".zip"))
	must(t, err)
	defer r.Close()
	got := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, err)
		if got[f.Name] = string(text); f.Mode() != 0o600 {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	check.Equal(t, "it", want, got)
}

// Writers refuse an archived session, except for forgetting, which restores it.
func TestArchive_RefusesChanges(t *testing.T) {
	root, path := closedRoot(t)
	must(t, root.Archive().Pack(sessionID, agreed))
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
	if err != nil || !forgotten.Restored || len(forgotten.Events) == 0 || root.Archive().Holds(sessionID) {
		t.Errorf("%+v, %v", forgotten, err)
	}
	for name, text := range folder(t, path) {
		if strings.Contains(text, "It is short.") {
			t.Errorf("%s still says it", name)
		}
	}
}

func TestArchive_RefusesUnfitSessions(t *testing.T) {
	root, path := closedRoot(t)
	refused := errors.New("too young")
	stays := func(want error) {
		t.Helper()
		before := folder(t, path)
		if err := root.Archive().Pack(sessionID, func([]wire.Entry) error { return refused }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		check.Equal(t, "it", before, folder(t, path))
	}
	stays(refused)
	must(t, root.Unsettled().Mark(sessionID))
	stays(recorder.ErrNotArchivable)
	must(t, root.Unsettled().Clear(sessionID))
	must(t, os.Symlink("/etc/passwd", inSession(path, "link")))
	stays(recorder.ErrNotArchivable)
	must(t, os.Remove(inSession(path, "link")))
	held, err := root.Resume(sessionID, fixed)
	must(t, err)
	stays(recorder.ErrLocked)
	must(t, held.Close())
	cut(t, inSession(path, "events.json"), 300)
	stays(recorder.ErrNotClosed)
	write(t, inSession(path, "events.json"), "\x00garbage")
	stays(recorder.ErrDamaged)
}

// A folder that differs from the archive beside it is kept: it may be somebody's work.
func TestArchive_KeepsAFolderThatDiffers(t *testing.T) {
	root, path := closedRoot(t)
	copied := t.TempDir() + "/copy"
	must(t, os.CopyFS(copied, os.DirFS(filepath.Dir(inSession(path, "x")))))
	must(t, root.Archive().Pack(sessionID, agreed))
	must(t, os.CopyFS(filepath.Dir(inSession(path, "x")), os.DirFS(copied)))
	write(t, inSession(path, "more.txt"), "My own.")
	if err := root.Archive().Pack(sessionID, agreed); !errors.Is(err, recorder.ErrNotArchivable) ||
		!root.Archive().Interrupted(sessionID) {
		t.Errorf("%v", err)
	}
	check.Is(t, "it", "My own.", string(check.Get(os.ReadFile(inSession(path, "more.txt")))(t)))
	findings, err := root.Check(nil)
	if err != nil || len(findings.Found) != 1 || !strings.Contains(findings.Found[0].Do, "gc --apply") {
		t.Errorf("%+v, %v", findings, err)
	}
}

// Killed at any operation, or failed by the disk, the session can be read as before, and the same call again ends where
// an undisturbed one does.
func TestArchive_FinishesAfterAnyFailure(t *testing.T) {
	t.Parallel()
	first, path := closedRoot(t)
	want := told(t, first)
	dir := t.TempDir()
	archived := dir + "/archived"
	must(t, os.CopyFS(archived, os.DirFS(path)))
	in, err := recorder.OpenRoot(archived)
	must(t, err)
	must(t, errors.Join(in.Archive().Pack(sessionID, agreed), in.Close()))

	for way, from := range map[string]string{"archive": path, "restore": archived} {
		run := func(to string, plan *filetest.Plan) error {
			root, err := under(to, plan)
			if err != nil {
				return err
			}
			move := root.Archive().Pack
			if way == "restore" {
				move = root.Archive().Restore
			}
			return errors.Join(move(sessionID, agreed), root.Close())
		}
		copied := func(name string) string {
			to := filepath.Join(dir, name)
			must(t, os.CopyFS(to, os.DirFS(from)))
			return to
		}
		whole := &filetest.Plan{}
		must(t, run(copied(way), whole))
		files := func(of string) map[string]string {
			files := folder(t, of)
			delete(files, "locks/"+string(sessionID)+".lock") // says who had it last
			return files
		}
		end := files(filepath.Join(dir, way))
		for _, fault := range []error{nil, syscall.ENOSPC} {
			for at := 1; at <= whole.Count(); at += step(61) {
				for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
					to := copied(fmt.Sprintf("%s-%d-%d-%v", way, at, moment, fault))
					deadly := &filetest.Plan{At: at, Moment: moment, Err: fault}
					_ = run(to, deadly)
					what := fmt.Sprintf("%s, struck at %s (%d, %v)", way, deadly.Struck(), moment, fault)
					root, err := recorder.OpenRoot(to)
					must(t, err)
					check.Equal(t, what, want, told(t, root))
					if root.Archive().Interrupted(sessionID) || root.Archive().Holds(sessionID) != (way == "archive") {
						must(t, run(to, &filetest.Plan{}))
					}
					if diff := cmp.Diff(end, files(to)); diff != "" {
						t.Fatalf("%s (-undisturbed +finished):\n%.3000s", what, diff)
					}
					must(t, errors.Join(root.Close(), os.RemoveAll(to)))
				}
			}
		}
	}
}
