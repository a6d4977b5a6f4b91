package spending

import (
	"os"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

// What docs/costs.md shows of a bill is what is said.
func TestTheHandbookOfCostsShowsWhatIsBesideALog(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := Beside{
		Late: Sum{Asks: 3, Tokens: 13_020, Cost: council.Dollars(0.03)}, Cut: Sum{Asks: 2, Tokens: 8_600, Cost: council.Dollars(0.02)},
	}.words()
	if len(lines) != 2 {
		t.Fatal(lines)
	}
	for _, line := range lines {
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("it does not show %s", line)
		}
	}
	single := Beside{Waiting: Sum{Asks: 1, Tokens: 7, Unknown: true}}.words()
	if len(single) != 1 || single[0] != "Also paid for: 1 answer that counts once the session goes on: 7 tokens, cost unknown" {
		t.Error(single)
	}
}
