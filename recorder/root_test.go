package recorder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

func TestOpenRoot_MakesAPrivateWorkspace(t *testing.T) {
	_, path := openRoot(t)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode %v, error %v; want 0700", info.Mode(), err)
	}
	version, err := os.Stat(filepath.Join(path, "VERSION"))
	if err != nil || version.Mode().Perm() != 0o600 {
		t.Fatalf("VERSION: mode %v, error %v; want 0600", version.Mode(), err)
	}
	for _, open := range []func(string, ...recorder.Layer) (*recorder.Root, error){recorder.OpenRoot, recorder.FindRoot} {
		again := check.Get(open(path))(t)
		check.OK(t, again.Close())
	}
}

func TestOpenRoot_MakesParents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", ".council")
	root := check.Get(recorder.OpenRoot(path))(t)
	check.OK(t, root.Close())
}

func TestOpenRoot_LeavesForeignFoldersAlone(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  error
	}{
		{"a folder with files of something else", map[string]string{"notes.txt": "mine"}, recorder.ErrForeign},
		{"a hidden file of something else", map[string]string{".keep": ""}, recorder.ErrForeign},
		{"another program's VERSION", map[string]string{"VERSION": "1.2.3\n"}, recorder.ErrForeign},
		{"an empty VERSION", map[string]string{"VERSION": ""}, recorder.ErrForeign},
		{"a newer layout", map[string]string{"VERSION": "council 99\n"}, recorder.ErrNewer},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := t.TempDir()
			for name, text := range test.files {
				write(t, filepath.Join(path, name), text)
			}
			for _, open := range []func(string, ...recorder.Layer) (*recorder.Root, error){recorder.OpenRoot,
				recorder.FindRoot} {
				if _, err := open(path); !errors.Is(err, test.want) {
					t.Fatalf("%v, want %v", err, test.want)
				}
			}
			if got := len(folder(t, path)); got != len(test.files) {
				t.Fatalf("%d files, want %d: something was written", got, len(test.files))
			}
		})
	}
}

func TestOpenRoot_RefusesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	write(t, path, "a file")
	if root, err := recorder.OpenRoot(path); err == nil {
		t.Fatal(errors.Join(errors.New("a file was opened as a workspace"), root.Close()))
	}
}

func TestFindRoot_MakesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".council")
	if _, err := recorder.FindRoot(path); !errors.Is(err, recorder.ErrNoRoot) {
		t.Fatalf("%v, want ErrNoRoot", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("FindRoot made the folder: %v", err)
	}
	check.OK(t, os.Mkdir(path, 0o700))
	if _, err := recorder.FindRoot(path); !errors.Is(err, recorder.ErrNoRoot) {
		t.Fatalf("an empty folder: %v, want ErrNoRoot", err)
	}
}

func TestOpenRoot_ReportsAReadOnlyFolder(t *testing.T) {
	for _, refusal := range []error{syscall.EACCES, syscall.EROFS} {
		plan := &filetest.Plan{At: 1, Err: refusal, Forever: true}
		_, err := recorder.OpenRoot(filepath.Join(t.TempDir(), ".council"), plan.Watch)
		if !errors.Is(err, recorder.ErrReadOnly) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line of ErrReadOnly", refusal, err)
		}
	}
}

func TestOpenRoot_FromManyAtOnce(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), ".council")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				root, err := recorder.OpenRoot(path)
				if err != nil {
					t.Error(err)
					return
				}
				check.OK(t, root.Close())
			})
		}
		all.Wait()
	}
}

// write makes a file with the text, and the folders that it needs.
func write(t testing.TB, path, text string) {
	t.Helper()
	check.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// inSession returns the path of a file of the session.
func inSession(root, name string) string {
	return filepath.Join(root, "sessions", string(sessionID), name)
}
