package index_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

func TestOpen_IsForTheOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder with ? # % and 'quotes'", "council.db")
	check.OK(t, os.Mkdir(filepath.Dir(path), 0o700))
	put(t, open(t, path), turn(1, 1, "a secret"))
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	check.That(t, len(files) >= 2, "the folder has %q", files)
	for _, f := range files {
		check.Is(t, f, 0o600, check.Get(os.Stat(f))(t).Mode().Perm())
	}
}

func TestPut_Replaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	put(t, ix, turn(1, 1, "first of all"), turn(1, 2, "second"), record(1, "r-1", "recorded"), turn(2, 1, "elsewhere"))
	before := dump(t, ix)

	put(t, ix, turn(1, 1, "something different"), record(2, "r-1", "rewritten"))
	found := search(t, ix, index.Query{Text: "first"})
	check.That(t, len(found.Hits) == 0, "what was replaced is found: %+v", found)
	check.Is(t, "found", "r-1", ids(search(t, ix, index.Query{Text: "rewritten"}).Hits))
	put(t, ix, turn(1, 1, "first of all"), record(1, "r-1", "recorded"))
	check.Equal(t, "put back, it is not what it was", before, dump(t, ix))
}

// Replaced words are nowhere on disk, whether they were in a text, a topic or the vocabulary.
func TestPut_ErasesReplacedText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	var docs []index.Doc
	for day := range 60 {
		docs = append(docs, turn(day, 1, "An ordinary remark about xylophones."), turn(day, 2, "Another one."))
	}
	put(t, ix, docs...)
	secret := turn(7, 3, "The password is Quetzalcoatlus, in short qzx7")
	secret.Topic = "Whether Quetzalcoatlus may be told"
	put(t, ix, secret, record(7, "r-7", "Remember Quetzalcoatlus and qzx7"))
	if !bytes.Contains(onDisk(t, path), []byte("Quetzalcoatlus")) {
		t.Fatal("the test does not see what is on disk")
	}
	rest := turn(7, 3, "Nothing is left.")
	rest.Topic = "Whether it may be told"
	put(t, ix, rest, record(7, "r-7", "Remember nothing"))
	check.OK(t, ix.Close()) // the log goes
	ix = open(t, path)
	left := bytes.ToLower(onDisk(t, path))
	for _, piece := range []string{"quetzal", "etzalcoatl", "coatlus", "qzx7", "zx7"} {
		check.That(t, !bytes.Contains(left, []byte(piece)), "%q is still on disk", piece)
	}
	got := search(t, ix, index.Query{Text: "xylophones"})
	check.That(t, len(got.Hits) != 0, "the others are gone too")
}

func TestPut_RefusesBadIDs(t *testing.T) {
	ix := open(t)
	for _, d := range []index.Doc{
		{}, {ID: "x", Kind: "thought"}, {ID: "", Kind: index.KindRecord}, {ID: ".e1", Kind: index.KindRecord},
		{ID: "s", Kind: index.KindTurn, Session: "s"}, {ID: "other.e1", Kind: index.KindTurn, Session: "s"},
		{ID: "s.e1", Kind: index.KindEpisode, Session: "s"},
	} {
		err := ix.Put(t.Context(), turn(1, 1, "good"), d)
		check.That(t, errors.Is(err, index.ErrBadDoc), "%+v: %v", d, err)
	}
	check.Is(t, "a put is all or none", 0, check.Get(ix.Docs(t.Context()))(t))
}

func each(docs []index.Doc, err error) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(index.Doc{}, err)
		}
	}
}

func TestRebuild_GivesTheSameIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	var docs []index.Doc
	for day := range 30 {
		session := []index.Doc{turn(day, 1, "Datenbankmigration am Freitag"), turn(day, 2, strings.Repeat("数据库迁移 ", day)),
			record(day, "r-"+string(rune('a'+day)), "settled")}
		session[0].Topic = "When to move?"
		put(t, ix, session...)
		docs = append(docs, session...)
	}
	want := dump(t, ix)
	check.Is(t, "complete before it was built", false, check.Get(ix.IsComplete(t.Context()))(t))
	check.OK(t, ix.Close())
	check.OK(t, os.Remove(path))
	ix = open(t, path)
	broken := errors.New("a file cannot be read")
	check.ErrorIs(t, "the error is", broken, ix.Rebuild(t.Context(), each(docs[:10], broken)))
	check.Is(t, "complete after half of it", false, check.Get(ix.IsComplete(t.Context()))(t))
	check.OK(t, ix.Rebuild(t.Context(), each(docs, nil)))
	check.Equal(t, "it", want, dump(t, ix))
	check.Is(t, "complete after all", true, check.Get(ix.IsComplete(t.Context()))(t))
}

func TestOpen_SetsAsideUnusableFiles(t *testing.T) {
	sql := func(t *testing.T, path string, statements ...string) {
		check.OK(t, index.Exec(path, statements...))
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		aside string
	}{
		"noise": {func(t *testing.T, path string) {
			check.OK(t, os.WriteFile(path, []byte(strings.Repeat("noise", 9000)), 0o600))
		}, ".damaged"},
		"the first page is overwritten": {func(t *testing.T, path string) {
			f := check.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
			defer f.Close()
			check.Get(f.WriteAt(bytes.Repeat([]byte{0xa5}, 3000), 200))(t)
		}, ".damaged"},
		"cut": {func(t *testing.T, path string) {
			check.OK(t, os.Truncate(path, 8192))
		}, ".damaged"},
		"a table is missing": {func(t *testing.T, path string) { sql(t, path, "DROP TABLE words", "DROP TABLE docs") },
			".damaged"},
		"tables of another build": {func(t *testing.T, path string) {
			sql(t, path, "ALTER TABLE calls RENAME COLUMN ask TO question", "UPDATE state SET made = 'others'")
		}, ".damaged"},
		"another database": {func(t *testing.T, path string) {
			sql(t, path, "PRAGMA user_version = 0")
		}, ".damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "council.db")
			ix := open(t, path)
			check.OK(t, ix.Rebuild(t.Context(), each([]index.Doc{turn(1, 1, "before")}, nil)))
			ix.Close()
			c.spoil(t, path)
			spoilt := check.Get(os.ReadFile(path))(t)
			ix = open(t, path)
			aside := ix.Aside()
			if aside == nil || aside.Path != path+c.aside || aside.Why == "" {
				t.Fatalf("aside: %+v", aside)
			}
			kept, err := os.ReadFile(aside.Path)
			check.That(t, err == nil && bytes.Equal(kept, spoilt), "it was not kept as it was: %v", err)
			check.Is(t, "the new one is complete", false, check.Get(ix.IsComplete(t.Context()))(t))
			put(t, ix, turn(1, 1, "after"))
			check.Is(t, "found", "e1", ids(search(t, ix, index.Query{Text: "after"}).Hits))
		})
	}
}

func TestOpen_RefusesANewerVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	open(t, path).Close()
	check.OK(t, index.Exec(path, "PRAGMA user_version = 999"))
	for name, open := range map[string]func(context.Context, string) (*index.Index, error){
		"Open": index.Open, "OpenToRead": index.OpenToRead,
	} {
		_, err := open(t.Context(), path)
		check.That(t, errors.Is(err, index.ErrNewer) && strings.Contains(err.Error(), "version 999") &&
			strings.Contains(err.Error(), "up to 3"), "%s: %v", name, err)
	}
	left, err := filepath.Glob(path + ".*")
	check.That(t, err == nil && len(left) == 0, "%q was put beside it, %v", left, err)
}

// Damage in the middle shows only when somebody reads there.
func TestClose_SetsAsideLateDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	var docs []index.Doc
	for day := range 300 {
		docs = append(docs, turn(day, 1, strings.Repeat("many words ", 40)))
	}
	put(t, ix, docs...)
	ix.Close()
	whole := check.Get(os.ReadFile(path))(t)
	var texts [][]byte // the pages that have them, the oldest first
	for page := range slices.Chunk(whole, 4096) {
		if bytes.Contains(page, []byte("many words many words")) {
			texts = append(texts, page)
		}
	}
	for i := range texts[1] {
		texts[1][i] ^= 0x5a
	}
	info, err := os.Stat(path)
	if err == nil { // it is the disk that changes it, and the time stays
		err = errors.Join(os.WriteFile(path, whole, 0o600), os.Chtimes(path, info.ModTime(), info.ModTime()))
	}
	check.OK(t, err)
	ix = open(t, path)
	if ix.Aside() != nil {
		t.Fatal("the test has damaged what is seen at once")
	}
	check.ErrorIs(t, "the error is", index.ErrDamaged, ix.Dump(t.Context(), io.Discard))
	check.OK(t, ix.Close())
	check.Get(os.Stat(path + ".damaged"))(t)
	put(t, open(t, path), turn(1, 1, "after"))
}

func TestOpen_RefusesFoldersAndLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	check.OK(t, os.Symlink(filepath.Join(dir, "target"), link))
	for _, path := range []string{dir, link} {
		check.ErrorIs(t, path, index.ErrNotAFile, check.Err(index.Open(t.Context(), path)))
	}
}

// Two processes write at once, while a third opens: nothing is lost and none fails.
func TestPut_FromTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	if from := os.Getenv("COUNCIL_INDEX_WRITER"); from != "" {
		ix := open(t, os.Getenv("COUNCIL_INDEX_PATH"))
		for day := range 40 {
			put(t, ix, turn(day, int(from[0]), "written by "+from))
		}
		return
	}
	var writers []*exec.Cmd
	for _, name := range []string{"a", "b"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPut_FromTwoProcesses$")
		cmd.Env = append(os.Environ(), "COUNCIL_INDEX_WRITER="+name, "COUNCIL_INDEX_PATH="+path)
		cmd.Stderr = os.Stderr
		check.OK(t, cmd.Start())
		writers = append(writers, cmd)
	}
	ix := open(t, path)
	for range 20 {
		search(t, ix, index.Query{Text: "written"})
	}
	for _, w := range writers {
		check.OK(t, w.Wait())
	}
	check.Is(t, "it", 80, check.Get(ix.Docs(t.Context()))(t))
}

// An opener must not take an index that is being made for another database.
func TestOpen_ToleratesConcurrentCreation(t *testing.T) {
	for range counciltest.Often(5, 20) {
		path := filepath.Join(t.TempDir(), "council.db")
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				ix, err := index.Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				aside := ix.Aside()
				check.That(t, aside == nil, "%+v", aside)
				check.OK(t, ix.Close())
			})
		}
		all.Wait()
	}
}

// TestOpen_SetsAsideAFlippedBit flips one bit in each of forty places of a database. SQLite notices some
// of them, and answers wrong after others; none may be answered from.
func TestOpen_SetsAsideAFlippedBit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	check.OK(t, ix.Rebuild(t.Context(),
		each([]index.Doc{turn(1, 1, "the bus stands still"), turn(2, 1, "the bus is late")}, nil)))
	check.OK(t, ix.Close())
	good := check.Get(os.ReadFile(path))(t)
	for i := range counciltest.Often(12, 40) {
		flipped := bytes.Clone(good)
		flipped[i*len(good)/counciltest.Often(12, 40)+7*i] ^= 1 << (i % 8)
		later := time.Now().Add(time.Duration(i+1) * time.Second) // whatever the grain of the system's clock
		check.OK(t, errors.Join(os.WriteFile(path, flipped, 0o600), os.Chtimes(path, later, later)))
		ix := open(t, path)
		if ix.Aside() == nil {
			t.Errorf("flip %d: it is answered from: %q", i, ids(search(t, ix, index.Query{Text: "bus"}).Hits))
		}
		check.OK(t, ix.Close())
	}
}

// TestOpenCopy_LeavesNothingBehind searches in a copy.
func TestOpenCopy_LeavesNothingBehind(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "council.db")
	ix := open(t, path)
	put(t, ix, turn(1, 1, "the bus stands still"))
	check.OK(t, ix.Close())
	again := check.Get(index.OpenCopy(t.Context(), path))(t)
	check.Is(t, "found", "e1", ids(search(t, again, index.Query{Text: "bus"}).Hits))
	check.OK(t, again.Close())
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	check.That(t, len(left) == 0, "left behind: %q", left)
}
