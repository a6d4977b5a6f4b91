package evaluation_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/counciltest"
)

var draws = counciltest.Often(20_000, 100_000)

var sizes = []int{3, 5, 9, 15}

func model(members int, correlation float64) evaluation.Voters {
	return evaluation.Voters{Members: members, Accuracy: 0.7, Spread: 0.2, Correlation: correlation, Draws: draws, Seed: 1}
}

func TestOneMemberOneVoteMatchesMajorityTheory(t *testing.T) {
	for _, n := range sizes {
		for _, of := range []struct{ accuracy, correlation float64 }{{0.55, 0}, {0.7, 0}, {0.7, 0.2}, {0.9, 0.6}} {
			m := evaluation.Voters{Members: n, Accuracy: of.accuracy, Spread: evaluation.SpreadOf(of.accuracy),
				Correlation: of.correlation, Draws: draws, Seed: 7}
			got, want := m.Simulate().Protocol, m.Theory()
			if limit := 4 * evaluation.StandardError(want, draws); math.Abs(got-want) > limit {
				t.Errorf("%+v: %.4f, and theory says %.4f ± %.4f", m, got, want, limit)
			}
		}
	}
}

// TestTheoryIsCondorcets holds the sum against counts by hand: three voters of 0.7 are right with 0.7³ + 3·0.7²·0.3.
func TestTheoryIsCondorcets(t *testing.T) {
	for _, test := range []struct {
		m    evaluation.Voters
		want float64
	}{
		{evaluation.Voters{Members: 1, Accuracy: 0.7}, 0.7},
		{evaluation.Voters{Members: 2, Accuracy: 0.7}, 0.7},
		{evaluation.Voters{Members: 3, Accuracy: 0.7}, 0.784},
		{evaluation.Voters{Members: 5, Accuracy: 0.7}, 0.83692},
		{evaluation.Voters{Members: 5, Accuracy: 0.7, Correlation: 0.5}, 0.76846},
		{evaluation.Voters{Members: 15, Accuracy: 0.7, Correlation: 1}, 0.7},
		{evaluation.Voters{Members: 9, Accuracy: 0.5}, 0.5},
	} {
		if got := test.m.Theory(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%+v: %.6f, not %.6f", test.m, got, test.want)
		}
	}
}

func TestCalibratedConfidenceIsWithinAPointOfTheOptimum(t *testing.T) {
	for _, n := range sizes {
		s := model(n, 0).Simulate()
		if loss := s.Optimal - s.Calibrated; math.Abs(loss) > 0.01 {
			t.Errorf("%d members: %.4f, and the optimum is %.4f", n, s.Calibrated, s.Optimal)
		}
		if s.Optimal < s.Protocol {
			t.Errorf("%d members: the optimum, %.4f, is below one member one vote, %.4f", n, s.Optimal, s.Protocol)
		}
	}
}

// TestWhatInflationCosts shows why votes are not weighed by confidence: where it says nothing, it does worse than
// one member, one vote.
func TestWhatInflationCosts(t *testing.T) {
	for _, n := range sizes {
		s := model(n, 0).Simulate()
		margin := 4 * evaluation.StandardError(s.Protocol, draws)
		if s.Uneven >= s.Calibrated {
			t.Errorf("%d members: uneven inflation gained, %.4f of %.4f", n, s.Uneven, s.Calibrated)
		}
		if s.Uninformative >= s.Protocol-margin {
			t.Errorf("%d members: empty confidence did as well, %.4f, as one member one vote, %.4f", n, s.Uninformative,
				s.Protocol)
		}
	}
}

// TestWhatSharedErrorsCost shows the gain of weighting where voters err together: nothing is lost by it while
// confidence is calibrated, and the more so the surer a common cause makes those that it misleads.
func TestWhatSharedErrorsCost(t *testing.T) {
	for _, n := range sizes {
		m, shared := model(n, 0), model(n, 0.4)
		m.Draws, shared.Draws = draws/5, draws/5
		apart, together := m.Simulate(), shared.Simulate()
		if apart.Misled != apart.Calibrated {
			t.Errorf("%d members: somebody is misled without a cause", n)
		}
		if together.Misled >= together.Calibrated-4*evaluation.StandardError(together.Calibrated, shared.Draws) {
			t.Errorf("%d members: those who are surely misled cost nothing, %.4f of %.4f", n, together.Misled,
				together.Calibrated)
		}
		if together.Protocol >= apart.Protocol || together.Calibrated >= apart.Calibrated {
			t.Errorf("%d members: a common cause costs nothing", n)
		}
	}
}

// One member who claims to be all but certain outweighs four who say 75 %, which is why no charter weighs votes.
func TestOneWhoIsSureOutweighsFour(t *testing.T) {
	if one, four := evaluation.Weight(0.999), 4*evaluation.Weight(0.75); one != 4595 || four != 4396 {
		t.Errorf("%d against %d", one, four)
	}
}

func TestTheVotesCorrelateAsTheModelSays(t *testing.T) {
	m := evaluation.Voters{Members: 2, Accuracy: 0.7, Correlation: 0.3, Draws: draws, Seed: 3}
	// Two of equal accuracy: the protocol carries a true motion when both are right, and keeps a wrong one out unless both
	// are wrong. P(both right) = p² + c·p(1-p) in the first case, 1 - P(both wrong) in the second.
	both := 0.7*0.7 + 0.3*0.7*0.3
	wrong := 0.3*0.3 + 0.3*0.7*0.3
	want := (both + 1 - wrong) / 2
	got := m.Simulate().Protocol
	if math.Abs(got-want) > 4*evaluation.StandardError(want, draws) {
		t.Errorf("%.4f, not %.4f", got, want)
	}
}

func TestTheSameModelGivesTheSameShares(t *testing.T) {
	m := model(5, 0.2)
	m.Draws = 1000
	if a, b := m.Simulate(), m.Simulate(); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
	other := m
	other.Seed = 2
	if m.Simulate() == other.Simulate() {
		t.Error("another seed drew the same")
	}
}

// TestRankedVoters compares the count of rankings with others on voters that see the worth of options through noise. It
// logs how often each finds the best option, in per cent. With clones the second best is there three times.
func TestRankedVoters(t *testing.T) {
	draws := counciltest.Often(2_000, 100_000)
	for _, clones := range []bool{false, true} {
		for _, options := range []int{3, 5} {
			for _, members := range []int{3, 5, 9} {
				found := rankedVoters(members, options, clones, draws)
				share := func(by string) float64 { return 100 * float64(found[by]) / float64(draws) }
				t.Logf("| %d | %d | %t | %.1f | %.1f | %.1f | %.1f | %.1f |", members, options, clones, share("one"),
					share("plurality"), share("borda"), share("schulze"), share("sum"))
				if share("schulze") < share("plurality")-2 || share("sum") < share("schulze")-2 {
					t.Error("the rankings find less than first choices, or more than all that the voters see")
				}
			}
		}
	}
}

// rankedVoters counts how often each rule finds the best option.
func rankedVoters(members, options int, clones bool, draws int) map[string]int {
	r := rand.New(rand.NewPCG(1, uint64(members*100+options)))
	rule := quorum.Rule{Members: members, Threshold: "0.5", CountOf: quorum.Cast}
	found := map[string]int{}
	for range draws {
		worth := make([]float64, options)
		for o := range worth {
			worth[o] = r.NormFloat64()
		}
		best := slices.Index(worth, slices.Max(worth))
		original := -1
		if clones {
			order := slices.Sorted(slices.Values(worth))
			second := order[len(order)-2]
			worth = append(worth, second, second)
			original = slices.Index(worth, second)
		}
		n := len(worth)
		first, borda, sum := make([]float64, n), make([]float64, n), make([]float64, n)
		var ballots []quorum.Ranking
		for m := range members {
			seen := make([]float64, n)
			for o := range seen {
				if seen[o] = worth[o] + r.NormFloat64(); o >= options {
					seen[o] = seen[original] - 1e-9*float64(o) // everybody sees that it is the same, but for a trifle
				}
				sum[o] += seen[o]
			}
			order := r.Perm(n)
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(seen[b], seen[a]) })
			ballot := quorum.Ranking{}
			for place, o := range order {
				borda[o] += float64(n - place)
				ballot = append(ballot, []int{o})
			}
			first[order[0]]++
			if m == 0 && order[0] == best {
				found["one"]++
			}
			ballots = append(ballots, ballot)
		}
		lot := r.Perm(n) // the same decides every rule's ties
		most := func(points []float64) int {
			return slices.MaxFunc(lot, func(a, b int) int { return cmp.Compare(points[a], points[b]) })
		}
		for by, o := range map[string]int{
			"plurality": most(first), "borda": most(borda), "sum": most(sum), "schulze": rule.Choose(n, ballots).Pair[0],
		} {
			if o == best {
				found[by]++
			}
		}
	}
	return found
}
