package quorum_test

import (
	"math"
	"testing"

	"github.com/council-engine/council/council/quorum"
)

func TestWeightsAreLogOddsInThousandths(t *testing.T) {
	for percent := 50; percent <= 99; percent++ {
		p := float64(percent) / 100
		want := int(math.Round(1000 * math.Log(p/(1-p))))
		if got := quorum.Weight(p); got != want {
			t.Errorf("%d %% weighs %d, not %d", percent, got, want)
		}
	}
	for p, want := range map[float64]int{0: 0, -1: 0, 0.3: 0, 0.5: 0, 0.504: 0, 0.506: 40, 0.994: 4595, 1: 4595, 7: 4595, math.Inf(1): 4595} {
		if got := quorum.Weight(p); got != want {
			t.Errorf("%v weighs %d, not %d", p, got, want)
		}
	}
	if got := quorum.Weight(math.NaN()); got != 0 {
		t.Errorf("no number weighs %d", got)
	}
}
