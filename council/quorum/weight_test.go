package quorum_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

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

// vote is one ballot as a clerk finds it in the box.
type vote struct {
	says    string // "yes", "no", "abstain", "invalid", "absent"
	percent int    // confidence
}

// clerk weighs the ballots one by one, with logarithms and in fractions that lose nothing: a twin to compare with.
func clerk(r quorum.Rule, box []vote) quorum.Result {
	valid, yes, no := 0, int64(0), int64(0)
	for _, v := range box {
		p := min(v.percent, 99)
		weight := int64(0)
		if p > 50 {
			weight = int64(math.Round(1000 * math.Log(float64(p)/float64(100-p))))
		}
		switch v.says {
		case "yes":
			yes += weight
		case "no":
			no += weight
		case "abstain":
		default:
			valid--
		}
		valid++
	}
	required := r.Quorum
	if required == 0 {
		required = (r.Members + 2) / 2
	}
	parts := int64(math.Round(r.Threshold * 10_000))
	switch {
	case len(box) < r.Members:
		return quorum.Pending
	case valid < required:
		return quorum.NoQuorum
	case yes > no && (parts == 5_000 || yes*10_000 >= (yes+no)*parts):
		return quorum.Carried
	}
	return quorum.Lost
}

// tally is the box as the rules count it.
func tally(box []vote) (c quorum.Count, w quorum.Weights) {
	for _, v := range box {
		weight := quorum.Weight(float64(v.percent) / 100)
		switch v.says {
		case "yes":
			c.Yes++
			w.Yes += weight
		case "no":
			c.No++
			w.No += weight
		case "abstain":
			c.Abstain++
		case "invalid":
			c.Invalid++
		default:
			c.Absent++
		}
	}
	return c, w
}

func TestWeighAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.IntRange(3, 9).Draw(t, "members")
		rule := quorum.Rule{
			Members: members, Quorum: rapid.IntRange(0, members).Draw(t, "quorum"),
			Threshold: rapid.OneOf(rapid.Just(0.5), rapid.Just(1.0), rapid.Just(0.6667),
				rapid.Map(rapid.IntRange(1, 10_000), func(n int) float64 { return float64(n) / 10_000 })).Draw(t, "threshold"),
		}
		var box []vote
		for range rapid.IntRange(members-1, members).Draw(t, "heard") {
			box = append(box, vote{
				rapid.SampledFrom([]string{"yes", "yes", "no", "no", "abstain", "invalid", "absent"}).Draw(t, "says"),
				rapid.IntRange(0, 100).Draw(t, "percent"),
			})
		}
		c, w := tally(box)
		if got, want := rule.Weigh(c, w), clerk(rule, box); got != want {
			t.Fatalf("%v under %+v is %s, not %s", box, rule, got, want)
		}
		if c.Heard() == members && c.Valid() >= rule.Required() {
			swapped := quorum.Weights{Yes: w.No, No: w.Yes}
			if rule.Weigh(c, w) == quorum.Carried && rule.Weigh(c, swapped) == quorum.Carried {
				t.Fatalf("%v carries, and so does its opposite", box)
			}
		}
	})
}

// TestWeighedTruthTable shows votes of three members under the default threshold, for reading.
func TestWeighedTruthTable(t *testing.T) {
	rule := quorum.Rule{Members: 3, Threshold: 0.5}
	var b strings.Builder
	for _, box := range [][]vote{
		{{"yes", 60}, {"yes", 60}, {"no", 90}},
		{{"yes", 60}, {"yes", 90}, {"no", 90}},
		{{"yes", 90}, {"no", 60}, {"no", 60}},
		{{"yes", 75}, {"no", 75}, {"abstain", 0}},
		{{"yes", 50}, {"yes", 50}, {"yes", 50}},
		{{"yes", 10}, {"no", 40}, {"no", 50}},
		{{"yes", 10}, {"yes", 51}, {"no", 50}},
		{{"yes", 100}, {"no", 99}, {"abstain", 0}},
		{{"yes", 90}, {"invalid", 0}, {"absent", 0}},
		{{"yes", 90}, {"abstain", 0}, {"absent", 0}},
		{{"yes", 99}, {"yes", 99}},
	} {
		c, w := tally(box)
		fmt.Fprintf(&b, "%v %s: %s\n", box, w, rule.Weigh(c, w))
	}
	const want = `[{yes 60} {yes 60} {no 90}] 0.810 YES, 2.197 NO: LOST
[{yes 60} {yes 90} {no 90}] 2.602 YES, 2.197 NO: CARRIED
[{yes 90} {no 60} {no 60}] 2.197 YES, 0.810 NO: CARRIED
[{yes 75} {no 75} {abstain 0}] 1.099 YES, 1.099 NO: LOST
[{yes 50} {yes 50} {yes 50}] 0.000 YES, 0.000 NO: LOST
[{yes 10} {no 40} {no 50}] 0.000 YES, 0.000 NO: LOST
[{yes 10} {yes 51} {no 50}] 0.040 YES, 0.000 NO: CARRIED
[{yes 100} {no 99} {abstain 0}] 4.595 YES, 4.595 NO: LOST
[{yes 90} {invalid 0} {absent 0}] 2.197 YES, 0.000 NO: NO_QUORUM
[{yes 90} {abstain 0} {absent 0}] 2.197 YES, 0.000 NO: CARRIED
[{yes 99} {yes 99}] 9.190 YES, 0.000 NO: PENDING
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
}
