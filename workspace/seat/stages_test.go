package seat

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

// The order is that of docs/architecture.md.
func TestStages_HaveOneOrder(t *testing.T) {
	var list strings.Builder
	for _, s := range stages {
		fmt.Fprintf(&list, "   %-17s %s\n", s.name, s.does)
	}
	doc := check.Get(os.ReadFile("../../docs/architecture.md"))(t)
	if !strings.Contains(string(doc), "```text\n"+list.String()) {
		t.Errorf("docs/architecture.md does not have the stages in their order:\n%s", list.String())
	}
}
