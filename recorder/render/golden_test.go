package render

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/council-engine/council/internal/check"
)

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
			if *check.Rewrite { // it has no other files
				check.OK(t, os.RemoveAll(dir))
			}
			for file, content := range got {
				check.Golden(t, filepath.Join(dir, file), string(content))
			}
			var onDisk []string
			files, _ := os.ReadDir(dir)
			for _, f := range files {
				onDisk = append(onDisk, f.Name())
			}
			check.Equal(t, "files", onDisk, slices.Sorted(maps.Keys(got)))
		})
	}
}
