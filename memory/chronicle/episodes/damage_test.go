package episodes_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
)

const other = shallWe + "-2"

// pair keeps two sessions of one day, packed or not, and returns the store and its folder.
func pair(t testing.TB, packed bool) (*episodes.Files, string) {
	t.Helper()
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession()))
	keep(t, s, counciltest.LogOf(other, counciltest.WholeSession()))
	if packed {
		check.Get(s.Pack(december, true))(t)
	}
	return s, path
}

func TestFiles_DamagedFileIsNamedAndHidesNoOther(t *testing.T) {
	damages := map[string]func(path string) error{
		"empty":    func(p string) error { return os.Truncate(p, 0) },
		"cut":      func(p string) error { return os.Truncate(p, 40) },
		"garbled":  func(p string) error { return os.WriteFile(p, []byte("\x00\xff{}"), 0o600) },
		"another":  func(p string) error { return os.WriteFile(p, []byte(`{"format":1,"id":"x","episode_id":"x"}`), 0o600) },
		"no form":  func(p string) error { return os.WriteFile(p, []byte(`{}`), 0o600) },
		"newer":    func(p string) error { return os.WriteFile(p, []byte(`{"format":9}`), 0o600) },
		"huge":     func(p string) error { return os.Truncate(p, 1<<40) },
		"a folder": func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
		"a link":   func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/etc/passwd", p)) },
		"secret":   func(p string) error { return os.Chmod(p, 0) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			s, path := pair(t, false)
			whole, err := s.Episode(shallWe)
			check.OK(t, err)
			episode := "episodes/2026/11/21/" + string(shallWe) + ".json"
			turn := "turns/2026/11/21/" + string(shallWe) + ".e9.json"
			for _, file := range []string{episode, turn} {
				check.OK(t, damage(filepath.Join(path, file)))
			}
			if name == "secret" && os.Getuid() == 0 {
				t.Skip("nothing is hidden from root")
			}
			wanted := episodes.ErrUnreadable
			if name == "newer" {
				wanted = episodes.ErrNewer
			}
			_, err = s.Episode(shallWe)
			named(t, err, wanted, episode)
			_, err = s.Turn(string(shallWe) + ".e9")
			named(t, err, wanted, turn)
			turns, err := s.Turns(whole)
			named(t, err, wanted, turn)
			check.Is(t, "turns are read, all others", 17, len(turns))
			var read []council.SessionID
			for e, err := range s.All() {
				if err == nil {
					read = append(read, e.ID)
				} else {
					named(t, err, wanted, episode)
				}
			}
			check.Equal(t, "result", []council.SessionID{other}, read)
			packings := check.Get(s.Pack(december, true))(t)
			if _, err := os.Lstat(filepath.Join(path, turn)); err != nil || len(packings) != 2 || packings[0].Files != 18 ||
				packings[1].Files != 0 && name != "a folder" {
				t.Errorf("packing: %+v, and the damaged file: %v", packings, err)
			}
			if name == "a folder" {
				return // somebody made it, and somebody has to take it away
			}
			check.Is(t, "problems", 2, len(s.Check()))
			keep(t, s, counciltest.LogOf(shallWe, counciltest.WholeSession())) // it is derived: written again, it is mended
			problems := s.Check()
			check.That(t, len(problems) == 0, "problems: %v", problems)
			everythingOpens(t, s, name)
		})
	}
}

// named checks that an error is of a kind and says where.
func named(t testing.TB, err, kind error, where string) {
	t.Helper()
	check.ErrorIs(t, "the problem", kind, err)
	check.Fails(t, "the problem", err, where)
}

// rewriteZip writes an archive anew, with its entries after change.
func rewriteZip(t testing.TB, path string, change func(w *zip.Writer, name string, text []byte)) {
	t.Helper()
	old := check.Get(os.ReadFile(path))(t)
	r := check.Get(zip.NewReader(bytes.NewReader(old), int64(len(old))))(t)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		in := check.Get(f.Open())(t)
		text := check.Get(io.ReadAll(in))(t)
		change(w, f.Name, text)
	}
	check.OK(t, w.Close())
	check.OK(t, os.WriteFile(path, out.Bytes(), 0o600))
}

func entry(t testing.TB, w *zip.Writer, name string, text []byte) {
	t.Helper()
	out := check.Get(w.Create(name))(t)
	check.Get(out.Write(text))(t)
}

func TestFiles_DamagedPackIsNamedKeptAndRepaired(t *testing.T) {
	garble := func(at func(size int) int) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			text := check.Get(os.ReadFile(path))(t)
			text[at(len(text))] ^= 0xff
			check.OK(t, os.WriteFile(path, text, 0o600))
		}
	}
	damages := map[string]func(t *testing.T, path string){
		"empty":               func(t *testing.T, p string) { check.OK(t, os.Truncate(p, 0)) },
		"cut":                 func(t *testing.T, p string) { check.OK(t, os.Truncate(p, 1000)) },
		"the directory":       garble(func(n int) int { return n - 100 }),
		"the end":             garble(func(n int) int { return n - 20 }),
		"an entry":            garble(func(int) int { return 150 }),
		"a name that escapes": func(t *testing.T, p string) { addEntry(t, p, "../../../../escaped.json") },
		"a name twice":        func(t *testing.T, p string) { addEntry(t, p, string(shallWe)+".e9.json") },
		"another's turn":      func(t *testing.T, p string) { addEntry(t, p, string(other)+".e9.json") },
		"a bomb":              bomb,
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			s, path := pair(t, true)
			at := filepath.Join(path, pack)
			damage(t, at)
			held := check.Get(os.ReadFile(at))(t)
			e, err := s.Episode(shallWe)
			check.OK(t, err)
			_, err = s.Turns(e)
			named(t, err, episodes.ErrUnreadable, pack)
			e = check.Get(s.Episode(other))(t)
			check.Is(t, "turns of the other session", 18, len(check.Get(s.Turns(e))(t)))
			if problems := s.Check(); len(problems) == 0 {
				t.Error("nobody is told")
			} else {
				named(t, problems[0], episodes.ErrUnreadable, pack)
			}
			check.OK(t, os.WriteFile(filepath.Join(path, strings.TrimSuffix(pack, ".zip")+".e9.json"), []byte("{}"), 0o600))
			packings := check.Get(s.Pack(december, true))(t)
			if len(packings) != 1 || packings[0].Files != 0 {
				t.Fatalf("packing: %+v", packings)
			}
			named(t, errors.Join(packings[0].Problems...), episodes.ErrUnreadable, pack)
			after, err := os.ReadFile(at)
			check.That(t, err == nil && bytes.Equal(held, after), "the pack was changed: %v", err)
			check.ErrorIs(t, "a name of the pack was taken for a path", fs.ErrNotExist,
				check.Err(os.Stat(filepath.Join(filepath.Dir(path), "escaped.json"))))

			// Written again it is repaired, without the forgotten words.
			want, all := keep(t, s, counciltest.LogOf(shallWe, counciltest.ForgottenSession()))
			reads(t, s, want, all)
			check.ErrorIs(t, "the damaged pack", os.ErrNotExist, check.Err(os.Stat(at)))
			problems := s.Check()
			check.That(t, len(problems) == 0, "problems: %v", problems)
		})
	}
}

// addEntry puts one more file into an archive.
func addEntry(t *testing.T, path, name string) {
	last := false
	rewriteZip(t, path, func(w *zip.Writer, n string, text []byte) {
		if !last {
			entry(t, w, name, []byte("{}"))
			last = true
		}
		entry(t, w, n, text)
	})
}

// bomb makes one entry of an archive a thousand times as large as it was, and the archive as small as before.
func bomb(t *testing.T, path string) {
	first := true
	rewriteZip(t, path, func(w *zip.Writer, name string, text []byte) {
		if first {
			w.RegisterCompressor(zip.Deflate,
				func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
			text = bytes.Repeat([]byte(" "), 64<<20)
			first = false
		}
		entry(t, w, name, text)
	})
}

func TestCompare_NamesMissingAndChangedTurns(t *testing.T) {
	for _, packed := range []bool{false, true} {
		path := t.TempDir()
		s := openFiles(t, path, &filetest.Plan{})
		log := counciltest.LogOf(shallWe, counciltest.WholeSession())
		episode, turns := keep(t, s, log)
		if packed {
			check.Get(s.Pack(december, true))(t)
		}
		if problems, err := s.Compare(episode, turns); err != nil || len(problems) > 0 {
			t.Fatalf("packed %v: %v, %v", packed, problems, err)
		}
		other := turns[1]
		other.Text += " Or not."
		extra := turns[0]
		extra.ID = chronicle.TurnID(shallWe, council.Seq(9_999))
		for what, wanted := range map[string]chronicle.Turn{"changed": other, "missing": extra} {
			problems, err := s.Compare(episode, []chronicle.Turn{turns[0], wanted})
			at := new(episodes.PathError)
			check.That(t, err == nil && len(problems) == 1 && errors.Is(problems[0], episodes.ErrDiffers) &&
				errors.As(problems[0], &at) && filepath.Base(at.Path) == wanted.ID+".json", "packed %v, one turn %s: %v, %v",
				packed, what, problems, err)
		}
		ep := episode
		ep.Tags = append(ep.Tags, "another")
		check.Is(t, "problems of another episode", 1, len(check.Get(s.Compare(ep, turns))(t)))
		if !packed {
			check.OK(t, os.Truncate(filepath.Join(path, "turns/2026/11/21", turns[0].ID+".json"), 0))
			if problems, err := s.Compare(episode, turns); err != nil || len(problems) > 0 || len(s.Check()) != 1 {
				t.Errorf("an empty turn is named once: %v, %v, and %v", problems, err, s.Check())
			}
		}
	}
}
