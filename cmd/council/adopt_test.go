package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/roundtable"
)

// roundtableRecord writes the record of roundtable of the script into a folder.
func roundtableRecord(t *testing.T, root string) {
	t.Helper()
	record := check.Get(txtar.ParseFile("testdata/script/adopt.txtar"))(t)
	for _, f := range record.Files {
		name, ok := strings.CutPrefix(f.Name, ".council/")
		if !ok {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.OK(t, os.WriteFile(path, f.Data, 0o644))
	}
}

// An adoption that is killed at an operation on the disk is finished by the next, and comes to the same.
func TestAnAdoptionThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	adopt := func(root string, plan *filetest.Plan) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		a.Now = steadyNow
		if plan != nil {
			a.Layer = plan.Watch
		}
		runLine(a, context.Background(), []string{"init", "--adopt", "--root", root})
		return out.String()
	}
	listed := func(root string) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		for _, what := range []string{"sessions", "memory list", "episodes list", "memory check"} {
			runs(t, a, cli.ExitOK, append(strings.Fields(what), "--root", root)...)
		}
		return out.String()
	}
	want := ""
	for at := 0; ; at += counciltest.Often(43, 1) {
		root := filepath.Join(t.TempDir(), ".council")
		roundtableRecord(t, root)
		plan := &filetest.Plan{At: at, NoSync: true}
		adopt(root, plan)
		if at == 0 {
			want = listed(root)
			continue
		}
		if plan.Struck() == "" {
			return
		}
		if said := adopt(root, nil); !strings.Contains(said, "Took over 2 sessions") {
			t.Fatalf("after %s: %s", plan.Struck(), said)
		}
		check.Equal(t, fmt.Sprintf("after %s", plan.Struck()), want, listed(root))
		if _, err := os.Stat(filepath.Join(root, roundtable.Folder, "sessions")); err != nil {
			t.Fatalf("after %s: %v", plan.Struck(), err)
		}
	}
}
