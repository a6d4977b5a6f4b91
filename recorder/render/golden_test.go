package render

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/council-engine/council/internal/check"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// The artifacts of whole sessions, byte for byte. Read testdata/approved/transcript.md first.
func TestGolden(t *testing.T) {
	scripts := map[string]*scribe{
		"approved": approved(), "explored": explored(), "suspended": suspended(), "adjourned": adjourned(),
		"remembered": remembered(), "cited": citing(), "weighed": weighed(),
	}
	for name, s := range scripts {
		t.Run(name, func(t *testing.T) {
			got := check.Get(Artifacts(s.log))(t)
			dir := filepath.Join("testdata", name)
			if *rewrite {
				rewriteGolden(t, dir, got)
			}
			var onDisk []string
			files, _ := os.ReadDir(dir)
			for _, f := range files {
				onDisk = append(onDisk, f.Name())
			}
			check.Equal(t, "files", onDisk, slices.Sorted(maps.Keys(got)))
			for file, content := range got {
				want := check.Get(os.ReadFile(filepath.Join(dir, file)))(t)
				check.Equal(t, file, string(want), string(content))
			}
		})
	}
}

func rewriteGolden(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	check.OK(t, os.RemoveAll(dir))
	check.OK(t, os.MkdirAll(dir, 0o755))
	for name, content := range files {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
}
