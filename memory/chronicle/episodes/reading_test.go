package episodes_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle/episodes"
)

// counted counts what is done in a folder and below: files that are opened, folders that are listed, and bytes that are
// read.
type counted struct {
	atomicfile.Files
	n *reading
}

type reading struct {
	opened, listed int
	bytes          int64
}

func (c counted) Open(name string) (atomicfile.File, error) {
	f, err := c.Files.Open(name)
	if err != nil {
		return nil, err
	}
	c.n.opened++
	return countedFile{f, c.n}, nil
}

func (c counted) Folder(name string) (atomicfile.Files, error) {
	f, err := c.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return counted{f, c.n}, nil
}

func (c counted) List() ([]fs.DirEntry, error) { c.n.listed++; return c.Files.List() }

type countedFile struct {
	atomicfile.File
	n *reading
}

func (c countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.n.bytes += int64(n)
	return n, err
}

// counting opens the store in a folder and counts its reads.
func counting(t testing.TB, path string) (*episodes.Files, *reading) {
	t.Helper()
	dir, err := atomicfile.OpenDir(path)
	check.OK(t, err)
	t.Cleanup(func() { check.OK(t, dir.Close()) })
	n := &reading{}
	return episodes.New(counted{dir, n}), n
}

// It reads no other turn or session, and lists no folder.
func TestTurn_OpensOneFile(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	const id = "20261107-000000-session"
	e, all := keep(t, s, counciltest.LongSession(id, 60))
	keep(t, s, counciltest.LongSession(id+"-2", 60))
	whole := int64(0)
	for _, packed := range []bool{false, true} {
		if packed {
			_, err := s.Pack(december, true)
			check.OK(t, err)
			info, err := os.Stat(filepath.Join(path, "turns/2026/11/07", id+".zip"))
			check.OK(t, err)
			whole = info.Size()
		}
		s, n := counting(t, path)
		got, err := s.Turn(id + ".e200")
		check.OK(t, err)
		check.Equal(t, "result", all[199], got)
		if n.opened != 1 || n.listed != 0 {
			t.Errorf("packed %t: %d files were opened and %d folders listed", packed, n.opened, n.listed)
		}
		// Of a pack the directory is read, some 100 bytes for each turn, and the turn.
		if most := int64(len(got.Text)) + 512; !packed && n.bytes > most {
			t.Errorf("%d bytes were read, want at most %d", n.bytes, most)
		}
		if most := int64(130*len(all)) + 16<<10; packed && n.bytes > most {
			t.Errorf("of a pack of %d bytes and %d turns %d bytes were read, want at most %d", whole, len(all), n.bytes, most)
		}
		t.Logf("packed %t: %d bytes were read, and the pack has %d", packed, n.bytes, whole)
		*n = reading{}
		// Listing the day for each session took most of the time of memory check at a thousand sessions.
		check.Equal(t, "turns", all, check.Get(s.Turns(e))(t))
		if n.listed != 0 || packed && n.opened != 1 {
			t.Errorf("packed %t: %d folders were listed and %d files opened for all turns", packed, n.listed, n.opened)
		}
		*n = reading{}
		if _, err := s.Turn(id + ".e99999"); !errors.Is(err, episodes.ErrUnknown) || n.opened > 1 {
			t.Errorf("packed %t, unknown: %d files were opened, %v", packed, n.opened, err)
		}
	}
}

// meanwhile runs something before a pack is opened.
type meanwhile struct {
	atomicfile.Files
	do func()
}

func (m *meanwhile) Folder(name string) (atomicfile.Files, error) {
	f, err := m.Files.Folder(name)
	return &meanwhile{f, m.do}, err
}

func (m *meanwhile) Open(name string) (atomicfile.File, error) {
	if strings.HasSuffix(name, ".zip") {
		m.do()
	}
	return m.Files.Open(name)
}

func TestTurn_FoundWhileItLeavesThePack(t *testing.T) {
	s, path := pair(t, true)
	dir, err := atomicfile.OpenDir(path)
	check.OK(t, err)
	defer dir.Close()
	reader := episodes.New(&meanwhile{dir, func() {
		keep(t, s, counciltest.LogOf(shallWe, append(counciltest.WholeSession(), counciltest.LateRulings()...)))
	}})
	if turn, err := reader.Turn(string(shallWe) + ".e9"); err != nil || turn.ID != string(shallWe)+".e9" {
		t.Errorf("%q, %v", turn.ID, err)
	}
}
