package episodes_test

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/chronicle"
	"github.com/council-engine/council/memory/chronicle/episodes"
)

// listed counts the entries of all folders that are listed in a folder and below.
type listed struct {
	atomicfile.Files
	n *int
}

func (l listed) Folder(name string) (atomicfile.Files, error) {
	f, err := l.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return listed{f, l.n}, nil
}

func (l listed) List() ([]fs.DirEntry, error) {
	entries, err := l.Files.List()
	*l.n += len(entries)
	return entries, err
}

// TestTheSessionsOfADayAreReadWithOneLookAtTheDay: to look at the whole day for each of its sessions was most of what
// memory check and memory rebuild took at a thousand sessions.
func TestTheSessionsOfADayAreReadWithOneLookAtTheDay(t *testing.T) {
	path := t.TempDir()
	s := openFiles(t, path, &filetest.Plan{})
	want := map[council.SessionID][]chronicle.Turn{}
	turns := 0
	for day := 1; day <= 2; day++ {
		for i := range 10 {
			id := council.SessionID(fmt.Sprintf("202611%02d-0000%02d-session", day, i))
			_, want[id] = keep(t, s, counciltest.LongSession(id, 1))
			turns += len(want[id])
		}
		if day == 1 {
			_, err := s.Pack(december, true)
			check(t, err)
		}
	}
	dir, err := atomicfile.OpenDir(path)
	check(t, err)
	defer dir.Close()
	n := 0
	r := episodes.New(listed{dir, &n}).Reader()
	for day := 1; day <= 2; day++ {
		for i := range 10 {
			id := council.SessionID(fmt.Sprintf("202611%02d-0000%02d-session", day, i))
			got, err := r.Turns(id)
			check(t, err)
			if diff := cmp.Diff(want[id], got); diff != "" {
				t.Fatalf("%s:\n%s", id, diff)
			}
		}
	}
	check(t, r.Close())
	if n > turns {
		t.Errorf("%d entries of folders were read for %d turns", n, turns)
	}
}
