package engine_test

import (
	"os"
	"strings"
	"testing"
)

func TestThePageOfTheLibraryShowsTheExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
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
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(folder + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		comment, _, _ := strings.Cut(string(text), "\npackage ")
		if strings.Contains(comment, "docs/library.md") {
			return true
		}
	}
	return false
}
