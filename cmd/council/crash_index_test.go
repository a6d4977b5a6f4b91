package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

// TestADamagedIndexIsNeverAnsweredFrom flips a bit in each of several places of council.db. recall answers what it
// answered before, and memory check names the damage and mends nothing.
func TestADamagedIndexIsNeverAnsweredFrom(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	tr.wants(tr.run(nil, "recall", "remark", "--json"), cli.ExitOK)
	want := tr.out.String()
	path := filepath.Join(tr.root(), index.File)
	for i := range counciltest.Often(3, 8) {
		restore()
		text := check.Get(os.ReadFile(path))(t)
		text[(2*i+1)*len(text)/17] ^= 1 << i
		later := time.Now().Add(time.Second) // whatever the grain of the system's clock
		check.OK(t, errors.Join(os.WriteFile(path, text, 0o600), os.Chtimes(path, later, later)))
		if i == 0 {
			tr.wants(tr.run(nil, "memory", "check"), cli.ExitFindings)
			check.Says(t, tr.out.String(), index.File)
		}
		tr.wants(tr.run(nil, "recall", "remark", "--json"), cli.ExitOK)
		if tr.out.String() != want {
			t.Errorf("flip %d: it answers\n%s", i, &tr.out)
		}
		if !strings.Contains(tr.errs.String(), "It was built again") {
			t.Errorf("flip %d: nothing is said of it: %s", i, &tr.errs)
		}
	}
}
