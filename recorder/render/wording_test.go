package render

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

func TestEveryFaultSaysWhatHappenedAndWhatHelps(t *testing.T) {
	for _, kind := range council.FaultKinds() {
		if r := Remedy(kind); !strings.HasSuffix(r, ".") || strings.ToUpper(r[:1]) != r[:1] {
			t.Errorf("%s: %q is not a sentence", kind, r)
		}
		if words := faultWords(council.Fault{Kind: kind}); words == string(kind) {
			t.Errorf("%s is told by its name alone", kind)
		}
	}
	if Remedy("plague") != "" || faultWords(council.Fault{Kind: "plague"}) != "plague" {
		t.Error("a kind of a later version is taken for one that is known")
	}
}

// What the handbook says of faults is what the command says.
func TestTheFaultsOfTheHandbookAreThoseOfTheCode(t *testing.T) {
	text, err := os.ReadFile("../../docs/members.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range council.FaultKinds() {
		what := "the answer counts as absent or invalid"
		if kind.Curable() {
			what = "the session is suspended"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |\n", kind, what, Remedy(kind)); !strings.Contains(string(text), row) {
			t.Errorf("there is no row %s", row)
		}
	}
}
