package evaluation_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

var draws = counciltest.Often(2_500, 100_000)

type voters = evaluation.Voters

var sizes = []int{3, 5, 9}

// five are five members whose wrong answers are all the same, of whom one session is held.
func five(change func(*voters)) evaluation.Voters {
	m := evaluation.Voters{Members: 5, Accuracy: 0.7, Spread: 0.2, Attractor: 1, Samples: 5, Repetition: 0.5, Draws: draws,
		Sessions: 1, Seed: 1}
	if change != nil {
		change(&m)
	}
	return m
}

// standardError is that of a share found in so many draws.
func standardError(share float64, draws int) float64 {
	return math.Sqrt(share * (1 - share) / float64(draws))
}

// policies is the result of a model by policy.
type policies map[string]evaluation.Ruled

func simulated(m evaluation.Voters) policies {
	found := policies{}
	for _, p := range m.Simulate().Policies {
		name, _, _ := strings.Cut(p.Rule, " of ")
		if strings.HasPrefix(name, "SC-") {
			name = "SC"
		}
		found[name] = p
	}
	return found
}

func TestSimulate_APluralityMatchesMajorityTheory(t *testing.T) {
	for _, n := range sizes {
		for _, of := range []struct{ accuracy, correlation float64 }{{0.55, 0}, {0.7, 0}, {0.7, 0.2}, {0.9, 0.6}} {
			m := five(func(m *voters) {
				m.Members, m.Accuracy, m.Spread, m.Correlation = n, of.accuracy, evaluation.SpreadOf(of.accuracy), of.correlation
			})
			got, want := simulated(m)["plurality"].Right, m.Theory()
			if limit := 4 * standardError(want, draws); math.Abs(got-want) > limit {
				t.Errorf("%s: want %.4f ± %.4f by theory, got %.4f", m, want, limit, got)
			}
		}
	}
}

// TestVoters_TheoryIsCondorcets holds the sum against counts by hand: three voters of 0.7 are right with 0.7³ +
// 3·0.7²·0.3.
func TestVoters_TheoryIsCondorcets(t *testing.T) {
	for _, test := range []struct {
		m    evaluation.Voters
		want float64
	}{
		{evaluation.Voters{Members: 1, Accuracy: 0.7}, 0.7},
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

// Every part of a model changes what it should, and in the right direction: less is below more by 4 standard errors.
func TestSimulate_EveryPartHasItsEffect(t *testing.T) {
	held := func(change func(*voters)) func(*voters) {
		return func(m *voters) {
			m.Draws, m.Sessions, m.Attractor = 120, 120, 0.5
			if change != nil {
				change(m)
			}
		}
	}
	wrong, undecided := 1, 2 // of the shares
	for name, test := range map[string]struct {
		policy     string
		share      int // 0: right
		less, more func(*voters)
	}{
		"accuracy":    {"one", 0, nil, func(m *voters) { m.Accuracy = 0.8 }},
		"correlation": {"plurality", 0, func(m *voters) { m.Correlation = 0.4 }, nil},
		"attractor":   {"plurality", 0, nil, func(m *voters) { m.Attractor = 0.2 }},
		"attractor, in a session": {"thorough", wrong, held(func(m *voters) { m.Attractor = 0 }),
			held(func(m *voters) { m.Attractor = 1 })},
		"members": {"plurality", 0, nil, func(m *voters) { m.Members = 9 }},
		"spread, which samples share": {"SC", 0, func(m *voters) { m.Repetition, m.Samples = 0, 15 },
			func(m *voters) { m.Repetition, m.Samples, m.Spread = 0, 15, 0 }},
		"repetition": {"SC", 0, nil, func(m *voters) { m.Repetition = 0 }},
		"samples": {"SC", 0, func(m *voters) { m.Repetition = 0 },
			func(m *voters) { m.Repetition, m.Samples = 0, 15 }},
		"members err apart more than samples": {"SC", 0, nil, func(m *voters) {
			m.Repetition, m.Spread = 0, 0 // as if each sample were of another member
		}},
		"conformity": {"thorough", undecided, held(func(m *voters) { m.Conformity = 0.5 }), held(nil)},
		"correction": {"thorough", 0, held(nil), held(func(m *voters) { m.Correction = 0.3 })},
		"correction at the pace auto": {"auto", 0, held(func(m *voters) { m.Accuracy = 0.6 }),
			held(func(m *voters) { m.Accuracy, m.Correction = 0.6, 1 })},
	} {
		m := five(test.less)
		share := func(r evaluation.Ruled) float64 { return r.Shares()[test.share] }
		low, high := simulated(m)[test.policy], simulated(five(test.more))[test.policy]
		if limit := 4 * standardError(share(low), low.Questions); share(low)+limit > share(high) {
			t.Errorf("%s: want the second at least %.4f above the first, got %+v and %+v", name, limit, low, high)
		}
	}
}

// Where theory says exactly what a policy comes to, it comes to that on the same questions.
func TestSimulate_AgreesWithTheoryQuestionByQuestion(t *testing.T) {
	alike := func(m *voters) { m.Correlation, m.Spread = 1, 0 }
	for name, test := range map[string]struct {
		policy, as string
		change     func(*voters)
	}{
		"conformity alone never betters the first ballot": {"thorough", "plurality", func(m *voters) {
			m.Conformity = 1
		}},
		"who hears nothing votes as at first":            {"thorough", "plurality", nil},
		"auto of three is their majority":                {"auto", "plurality", func(m *voters) { m.Members = 3 }},
		"samples that share every error are worth one":   {"SC", "one", func(m *voters) { m.Correlation = 1 }},
		"samples that are all the same are worth one":    {"SC", "one", func(m *voters) { m.Repetition = 1 }},
		"members with the same errors are worth one":     {"plurality", "one", alike},
		"a council that shares every error is worth one": {"auto", "one", func(m *voters) { m.Correlation, m.Spread = 1, 0 }},
	} {
		m := five(func(m *voters) {
			if m.Draws, m.Sessions = 40, 40; test.change != nil {
				test.change(m)
			}
		})
		found := simulated(m)
		got, want := found[test.policy], found[test.as]
		if got.Decided != m.Draws || math.Abs(got.Right-want.Right) > 1e-9 {
			t.Errorf("%s: want %+v right, got %+v", name, want, got)
		}
	}
}

// Votes that were weighed by confidence would gain if it is calibrated, and lose if it says nothing or misleads.
func TestSimulate_WeighedVotesGainOnlyIfConfidenceIsCalibrated(t *testing.T) {
	for _, n := range sizes {
		m := five(func(m *voters) { m.Members, m.Correlation = n, 0.4 })
		found := simulated(m)
		right := func(name string) float64 { return found[name].Right }
		plain, calibrated := right("plurality"), right("weighed, calibrated")
		margin := 4 * standardError(plain, draws)
		for name, holds := range map[string]bool{
			"calibrated is better than one member, one vote": calibrated > plain+margin,
			"uninformative is worse":                         right("weighed, uninformative") < plain,
		} {
			if !holds {
				t.Errorf("%d members: it is not so that %s: %+v", n, name, found)
			}
		}
	}
}

// One member who claims to be all but certain outweighs four who say 75 %, which is why no charter weighs votes.
func TestVoters_OneWhoIsSureOutweighsFour(t *testing.T) {
	if one, four := evaluation.Weight(0.999), 4*evaluation.Weight(0.75); one != 4595 || four != 4396 {
		t.Errorf("%d against %d", one, four)
	}
}

func TestSimulate_TheSameModelGivesTheSameRow(t *testing.T) {
	m := five(func(m *voters) { m.Draws, m.Sessions, m.Conformity, m.Correction = 1000, 20, 0.5, 0.5 })
	check.Equal(t, "the row", m.Simulate(), m.Simulate())
	other := m
	other.Seed = 2
	if reflect.DeepEqual(m.Simulate().Policies, other.Simulate().Policies) {
		t.Error("another seed drew the same")
	}
	check.Is(t, "questions of a session", 20, simulated(m)["auto"].Questions)
}
