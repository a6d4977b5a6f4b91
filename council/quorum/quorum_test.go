package quorum_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council/quorum"
)

// naive decides as a clerk would, ballot by ballot, in tenths of a thousandth: a twin to compare with.
func naive(r quorum.Rule, c quorum.Count) quorum.Result {
	if c.Yes+c.No+c.Abstain+c.Invalid+c.Absent < r.Members {
		return quorum.Pending
	}
	required := r.Quorum
	if required == 0 {
		for required*2 <= r.Members {
			required++
		}
	}
	if c.Yes+c.No+c.Abstain < required {
		return quorum.NoQuorum
	}
	of := c.Yes + c.No
	if r.AbstainCountsAsNo {
		of = r.Members
	}
	parts := int(r.Threshold*10_000 + 0.5)
	enough := c.Yes*10_000 >= of*parts
	if parts == 5_000 {
		enough = c.Yes*2 > of
	}
	if enough && c.Yes > c.No {
		return quorum.Carried
	}
	return quorum.Lost
}

func TestDecideAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.IntRange(3, 99).Draw(t, "members")
		rule := quorum.Rule{
			Members:           members,
			Quorum:            rapid.IntRange(0, members).Draw(t, "quorum"),
			Threshold:         float64(rapid.IntRange(1, 10_000).Draw(t, "threshold")) / 10_000,
			AbstainCountsAsNo: rapid.Bool().Draw(t, "abstainCountsAsNo"),
		}
		var c quorum.Count
		left := rapid.IntRange(0, members).Draw(t, "heard")
		for _, n := range []*int{&c.Yes, &c.No, &c.Abstain, &c.Invalid} {
			*n = rapid.IntRange(0, left).Draw(t, "n")
			left -= *n
		}
		c.Absent = left
		if got, want := rule.Decide(c), naive(rule, c); got != want {
			t.Fatalf("%+v of %+v is %s, not %s", c, rule, got, want)
		}
	})
}

func TestThresholdsAreDecimals(t *testing.T) {
	for _, test := range []struct {
		threshold  float64
		of, needed int
	}{
		{0.5, 3, 2}, {0.5, 4, 3}, {0.5, 0, 1}, {0.5, 1, 1},
		{0.7, 10, 7}, // 0.7*10 is a little more than 7 in floats
		{0.6, 5, 3}, {0.07, 100, 7}, {0.29, 100, 29}, {0.57, 100, 57},
		{0.6667, 9, 7}, {0.666, 9, 6}, {0.75, 4, 3}, {0.75, 5, 4},
		{1, 9, 9}, {0.0001, 3, 1}, {0.9, 0, 1},
	} {
		if got := (quorum.Rule{Threshold: test.threshold}).Needed(test.of); got != test.needed {
			t.Errorf("%v of %d needs %d, not %d", test.threshold, test.of, got, test.needed)
		}
	}
}

// TestTruthTable shows every count of three members under the default rule, for reading.
func TestTruthTable(t *testing.T) {
	rule := quorum.Rule{Members: 3, Threshold: 0.5, AbstainCountsAsNo: true}
	var b strings.Builder
	for yes := range 4 {
		for no := range 4 - yes {
			for abstain := range 4 - yes - no {
				absent := 3 - yes - no - abstain
				c := quorum.Count{Yes: yes, No: no, Abstain: abstain, Absent: absent}
				fmt.Fprintf(&b, "%d yes %d no %d abstain %d absent: %s\n", yes, no, abstain, absent, rule.Decide(c))
			}
		}
	}
	const want = `0 yes 0 no 0 abstain 3 absent: NO_QUORUM
0 yes 0 no 1 abstain 2 absent: NO_QUORUM
0 yes 0 no 2 abstain 1 absent: LOST
0 yes 0 no 3 abstain 0 absent: LOST
0 yes 1 no 0 abstain 2 absent: NO_QUORUM
0 yes 1 no 1 abstain 1 absent: LOST
0 yes 1 no 2 abstain 0 absent: LOST
0 yes 2 no 0 abstain 1 absent: LOST
0 yes 2 no 1 abstain 0 absent: LOST
0 yes 3 no 0 abstain 0 absent: LOST
1 yes 0 no 0 abstain 2 absent: NO_QUORUM
1 yes 0 no 1 abstain 1 absent: LOST
1 yes 0 no 2 abstain 0 absent: LOST
1 yes 1 no 0 abstain 1 absent: LOST
1 yes 1 no 1 abstain 0 absent: LOST
1 yes 2 no 0 abstain 0 absent: LOST
2 yes 0 no 0 abstain 1 absent: CARRIED
2 yes 0 no 1 abstain 0 absent: CARRIED
2 yes 1 no 0 abstain 0 absent: CARRIED
3 yes 0 no 0 abstain 0 absent: CARRIED
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
}
