package seat

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The order is that of docs/architecture.md.
func TestStages_HaveOneOrder(t *testing.T) {
	var list strings.Builder
	for _, s := range stages {
		fmt.Fprintf(&list, "   %-17s %s\n", s.name, s.does)
	}
	doc, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "```text\n"+list.String()) {
		t.Errorf("docs/architecture.md does not have the stages in their order:\n%s", list.String())
	}
}
