package render

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			got, err := Artifacts(s.log)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join("testdata", name)
			if *rewrite {
				rewriteGolden(t, dir, got)
			}
			var onDisk []string
			files, _ := os.ReadDir(dir)
			for _, f := range files {
				onDisk = append(onDisk, f.Name())
			}
			if diff := cmp.Diff(onDisk, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Fatalf("files (-golden +got):\n%s", diff)
			}
			for file, content := range got {
				want, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(content)); diff != "" {
					t.Errorf("%s (-golden +got):\n%s", file, diff)
				}
			}
		})
	}
}

func rewriteGolden(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
