package index_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

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
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
