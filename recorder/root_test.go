package recorder_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

func TestOpenRoot_MakesAPrivateWorkspace(t *testing.T) {
	_, path := openRoot(t)
	check.Is(t, "mode", 0o700, check.Get(os.Stat(path))(t).Mode().Perm())
	check.Is(t, "mode of VERSION", 0o600, check.Get(os.Stat(filepath.Join(path, "VERSION")))(t).Mode().Perm())
	for _, open := range []func(string, ...recorder.Layer) (*recorder.Root, error){recorder.OpenRoot, recorder.FindRoot} {
		check.OK(t, check.Get(open(path))(t).Close())
	}
}

func TestOpenRoot_MakesParents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", ".council")
	check.OK(t, check.Get(recorder.OpenRoot(path))(t).Close())
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
				check.ErrorIs(t, test.name, test.want, check.Err(open(path)))
			}
			check.Is(t, "files", len(test.files), len(folder(t, path)))
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
	check.ErrorIs(t, "no folder", recorder.ErrNoRoot, check.Err(recorder.FindRoot(path)))
	check.ErrorIs(t, "the folder", fs.ErrNotExist, check.Err(os.Stat(path)))
	check.OK(t, os.Mkdir(path, 0o700))
	check.ErrorIs(t, "an empty folder", recorder.ErrNoRoot, check.Err(recorder.FindRoot(path)))
}

func TestOpenRoot_ReportsAReadOnlyFolder(t *testing.T) {
	for _, refusal := range []error{syscall.EACCES, syscall.EROFS} {
		plan := &filetest.Plan{At: 1, Err: refusal, Forever: true}
		_, err := recorder.OpenRoot(filepath.Join(t.TempDir(), ".council"), plan.Watch)
		check.That(t, errors.Is(err, recorder.ErrReadOnly) && !strings.Contains(err.Error(), "\n"),
			"%v: %v, want one line of ErrReadOnly", refusal, err)
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

var morning = time.Date(2026, 11, 21, 9, 15, 0, 0, time.FixedZone("CET", 3600))

func TestNewSessionID_ContainsTheTopic(t *testing.T) {
	tests := []struct{ name, topic, slug string }{
		{"plain words", "Shall we adopt NATS?", "shall-we-adopt-nats"},
		{"punctuation and spaces", "  REST -- or / gRPC...\nnext year? ", "rest-or-grpc-next-year"},
		{"an apostrophe", "What's our users' need", "whats-our-users-need"},
		{"cut between words", "Should the platform team migrate all of its services to Kubernetes",
			"should-the-platform-team-migrate-all-of"},
		{"one long word", strings.Repeat("x", 100), strings.Repeat("x", 40)},
		{"marks over letters", "Ärger über Qualität à la carte", "arger-uber-qualitat-a-la-carte"},
		{"letters that do not come apart", "Straße, Øre og Łódź", "strasse-ore-og-lodz"},
		{"another script", "我们应该采用 NATS 吗", "nats"},
		{"another script alone", "Стоит ли нам", "session"},
		{"no words at all", "?!…", "session"},
		{"nothing", "", "session"},
		{"a way out", "../../etc/passwd", "etc-passwd"},
		{"what a terminal would obey", "a\x1b[2Jb\u202ec", "a-2jb-c"},
		{"no text", "\xff\xfe", "session"},
		{"a megabyte", strings.Repeat("ab ", 400_000), strings.TrimSuffix(strings.Repeat("ab-", 13), "-")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id, err := recorder.NewSessionID(morning, test.topic, bytes.NewReader([]byte{7, 15, 3, 19, 2, 10}))
			if want := "20261121-081500-" + test.slug + "-7f3k2a"; err != nil || string(id) != want {
				t.Fatalf("%q, %v; want %q", id, err, want)
			}
		})
	}
}

func TestNewSessionID_IsAlwaysSafe(t *testing.T) {
	form := regexp.MustCompile(`^\d{8}-\d{6}-[a-z0-9]+(-[a-z0-9]+)*-[0-9a-z]{6}$`)
	rapid.Check(t, func(t *rapid.T) {
		random := bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(t, "random"))
		id, err := recorder.NewSessionID(morning, rapid.String().Draw(t, "topic"), random)
		if err != nil || !form.MatchString(string(id)) || len(id) > 64 {
			t.Fatalf("%q, %v", id, err)
		}
	})
}

// One session in a thousand was drawn six digits, which look like the beginning of an id, and had no short name.
func TestNewSessionID_HasAShortName(t *testing.T) {
	for first := range byte(10) {
		id, err := recorder.NewSessionID(morning, "Queue", bytes.NewReader([]byte{first, 2, 5, 5, 1, 3}))
		name := recorder.Short([]council.SessionID{id})(id)
		check.That(t, err == nil && len(name) == 6 && strings.HasSuffix(name, "25513"), "%s is called %s: %v", id, name, err)
	}
}

func TestNewSessionID_SortsByTime(t *testing.T) {
	zeros := bytes.NewReader(make([]byte, 12))
	early, err := recorder.NewSessionID(morning, "zebra", zeros)
	late, err2 := recorder.NewSessionID(morning.Add(time.Second), "ant", zeros)
	if err != nil || err2 != nil || early >= late {
		t.Fatalf("%s, %s: %v", early, late, errors.Join(err, err2))
	}
}

func TestNewSessionID_NeedsRandomness(t *testing.T) {
	if _, err := recorder.NewSessionID(morning, "x", iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
}
