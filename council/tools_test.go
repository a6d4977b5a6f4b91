package council_test

import (
	"testing"

	"github.com/council-engine/council/council"
)

func TestTheBoundsOfCalls(t *testing.T) {
	var none *council.Tools
	few := &council.Tools{MaxCalls: 3, MaxSessionCalls: 5}
	for _, test := range []struct {
		settings     *council.Tools
		before, want int
	}{{none, 0, 0}, {&council.Tools{}, 0, 8}, {&council.Tools{}, 199, 1}, {few, 0, 3}, {few, 3, 2}, {few, 5, 0},
		{few, 9, 0}} {
		if got := test.settings.Calls(test.before); got != test.want {
			t.Errorf("after %d: %d, want %d", test.before, got, test.want)
		}
	}
	if text, cut := council.Bound("aé", 2); text != "a" || !cut {
		t.Errorf("%q, %v", text, cut)
	}
}
