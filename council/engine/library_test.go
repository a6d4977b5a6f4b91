package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func TestThePageOfTheLibraryShowsTheExample(t *testing.T) {
	page := check.Get(os.ReadFile("../../docs/library.md"))(t)
	source := check.Get(os.ReadFile("example_test.go"))(t)
	_, example, _ := strings.Cut(string(source), "func Example() {\n")
	body, _, found := strings.Cut(example, "\t// Output:")
	if !found || !strings.Contains(string(page), "func main() {\n"+body+"}\n```") {
		t.Error("docs/library.md does not show the example of this package as it is")
	}
	for _, p := range []string{"..", "../rules", ".", "../minutes", "../member", "../../recorder"} {
		if !stable(t, p) {
			t.Errorf("the comment of package %s does not say that it is stable", p)
		}
	}
}

// stable reports whether a package says of itself that it is.
func stable(t *testing.T, folder string) bool {
	entries := check.Get(os.ReadDir(folder))(t)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text := check.Get(os.ReadFile(folder + "/" + e.Name()))(t)
		comment, _, _ := strings.Cut(string(text), "\npackage ")
		if strings.Contains(comment, "docs/library.md") {
			return true
		}
	}
	return false
}
