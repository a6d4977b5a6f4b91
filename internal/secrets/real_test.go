package secrets_test

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/secrets"
)

// texts are the files that real code and prose is read from, by their endings.
var texts = strings.Fields(
	".go .md .json .yaml .yml .txt .toml .html .sh .py .js .ts .xml .c .h .s .proto .ini .cfg .java .conf .css")

// TestRealCodeAndProseIsLeftAlone counts every cut in the Go distribution: passwords and keys of its tests too, though
// they are rightly cut. With COUNCIL_LONG it reads all of it and the module cache, and logs each cut.
func TestRealCodeAndProseIsLeftAlone(t *testing.T) {
	long := os.Getenv("COUNCIL_LONG") != ""
	goroot := build.Default.GOROOT
	roots := []string{filepath.Join(goroot, "src", "net"), filepath.Join(goroot, "src", "text"),
		filepath.Join(goroot, "src", "html")}
	if long {
		roots = []string{goroot, filepath.Join(os.Getenv("HOME"), "go", "pkg", "mod")}
	}
	words, cuts := 0, 0
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains(texts, filepath.Ext(path)) {
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil || len(raw) > 1<<20 {
				return nil
			}
			text := string(raw)
			words += len(strings.Fields(text))
			for _, f := range secrets.Find(text) {
				cuts++
				if long {
					t.Logf("%s:%d: %s: %q", path, 1+strings.Count(text[:f.Start], "\n"), f.Kind,
						text[max(0, f.Start-60):min(f.End, f.Start+80)])
				}
			}
			return nil
		})
	}
	if words < 100_000 {
		t.Skip("the Go distribution is not here")
	}
	t.Logf("%d cuts, right and wrong, in %d words: %.2f in 100,000", cuts, words, float64(cuts)*1e5/float64(words))
	if long && cuts*100_000 > words || cuts*100_000 > 4*words {
		t.Error("that is too many")
	}
}
