package evaluation_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/counciltest"
)

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
