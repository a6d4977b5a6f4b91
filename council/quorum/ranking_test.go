package quorum_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council/quorum"
)

// debian counts as section A.5 of Debian's constitution says, defeat by defeat: a twin to compare with. It returns the
// options that win equally, or none.
func debian(r quorum.Rule, options int, ballots []quorum.Ranking) []int {
	prefer := func(a, b int) (n int) {
		for _, ballot := range ballots {
			place := map[int]int{}
			for i, group := range ballot {
				for _, o := range group {
					place[o] = i - len(ballot) // what is not named has 0, below all
				}
			}
			if place[a] < place[b] {
				n++
			}
		}
		return n
	}
	none := options
	left := map[int]bool{none: true}
	for o := range options {
		above, below := prefer(o, none), prefer(none, o)
		box := slices.Concat(slices.Repeat([]string{"yes"}, above), slices.Repeat([]string{"no"}, below),
			slices.Repeat([]string{"abstain"}, len(ballots)-above-below),
			slices.Repeat([]string{"absent"}, r.Members-len(ballots)))
		if above >= r.Required() && naive(r, box, 1, 2) == quorum.Carried {
			left[o] = true
		}
	}
	type defeat struct{ over, under, with, against int }
	var defeats []defeat
	for a := range left {
		for b := range left {
			if with, against := prefer(a, b), prefer(b, a); with > against {
				defeats = append(defeats, defeat{a, b, with, against})
			}
		}
	}
	for {
		beats := map[[2]int]bool{}
		for _, d := range defeats {
			beats[[2]int{d.over, d.under}] = true
		}
		for range left {
			for a := range left {
				for b := range left {
					for c := range left {
						if beats[[2]int{a, b}] && beats[[2]int{b, c}] {
							beats[[2]int{a, c}] = true
						}
					}
				}
			}
		}
		var schwartz []int
		for a := range left {
			in := true
			for b := range left {
				in = in && (!beats[[2]int{b, a}] || beats[[2]int{a, b}])
			}
			if in {
				schwartz = append(schwartz, a)
			}
		}
		within := slices.DeleteFunc(slices.Clone(defeats), func(d defeat) bool {
			return !slices.Contains(schwartz, d.over) || !slices.Contains(schwartz, d.under)
		})
		if len(within) == 0 {
			slices.Sort(schwartz)
			return slices.DeleteFunc(schwartz, func(o int) bool { return o == none })
		}
		weakest := slices.MinFunc(within, func(a, b defeat) int { return cmp.Or(a.with-b.with, b.against-a.against) })
		defeats = slices.DeleteFunc(defeats, func(d defeat) bool {
			return slices.Contains(within, d) && d.with == weakest.with && d.against == weakest.against
		})
	}
}

func ranking(t *rapid.T, options int) quorum.Ranking {
	var r quorum.Ranking
	for _, o := range rapid.Permutation(slices.Collect(upTo(options+1))).Draw(t, "order") {
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0: // it is left out
		case 1:
			if len(r) > 0 {
				r[len(r)-1] = append(r[len(r)-1], o)
				continue
			}
			fallthrough
		default:
			r = append(r, []int{o})
		}
	}
	return r
}

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func TestAChoiceAgreesWithItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := rapid.IntRange(2, 7).Draw(t, "options")
		members := rapid.IntRange(3, 9).Draw(t, "members")
		rule := quorum.Rule{
			Members: members, Quorum: rapid.IntRange(0, members).Draw(t, "quorum"), Threshold: "0.5",
			CountOf: rapid.SampledFrom([]quorum.CountOf{quorum.Members, quorum.Present, quorum.Cast}).Draw(t, "countOf"),
		}
		var box []quorum.Ranking
		for range rapid.IntRange(0, members).Draw(t, "ballots") {
			box = append(box, ranking(t, options))
		}
		lot := rapid.Permutation(slices.Collect(upTo(options))).Draw(t, "lot")
		got := rule.Choose(options, box, lot)
		if len(box) < rule.Required() {
			if got.Result != quorum.NoQuorum {
				t.Fatalf("%d ballots of %+v: %s", len(box), rule, got.Result)
			}
			return
		}
		want := debian(rule, options, box)
		switch {
		case len(want) == 0 && got.Result == quorum.Lost:
		case got.Result != quorum.Carried || len(want) == 0:
			t.Fatalf("%s, the twin has %v", got.Result, want)
		case len(got.Tied) == 0 && !slices.Equal(want, []int{got.Winner}):
			t.Fatalf("%d wins, by the twin %v", got.Winner, want)
		case len(got.Tied) > 0 && !slices.Equal(want, got.Tied):
			t.Fatalf("%v win, by the twin %v", got.Tied, want)
		}
	})
}

// box reads ballots such as "5 ACBED": so many that rank the letters so; "=" joins equals.
func box(lines ...string) (ballots []quorum.Ranking) {
	for _, line := range lines {
		var r quorum.Ranking
		count, order, _ := strings.Cut(line, " ")
		equal := false
		for _, letter := range order {
			switch {
			case letter == '=':
				equal = true
			case equal:
				r[len(r)-1], equal = append(r[len(r)-1], int(letter-'A')), false
			default:
				r = append(r, []int{int(letter - 'A')})
			}
		}
		n := 0
		for _, digit := range count {
			n = 10*n + int(digit-'0')
		}
		ballots = append(ballots, slices.Repeat([]quorum.Ranking{r}, n)...)
	}
	return ballots
}

func TestTextbookElections(t *testing.T) {
	for name, test := range map[string]struct {
		options int
		ballots []quorum.Ranking
		winner  string
		tied    string
	}{
		"Schulze's first example": {5, box("5 ACBED", "5 ADECB", "8 BEDAC", "3 CABED", "7 CAEBD", "2 CBADE",
			"7 DCEBA", "8 EBADC"), "E", ""},
		"Schulze's second example": {4, box("5 ACBD", "2 ACDB", "3 ADCB", "4 BACD", "3 CBDA", "3 CDBA", "1 DACB", "5 DBAC",
			"4 DCBA"), "D", ""},
		"Tennessee":              {4, box("42 ABCD", "26 BCDA", "15 CDBA", "17 DCBA"), "B", ""},
		"a cycle":                {3, box("4 ABC", "3 BCA", "2 CAB"), "A", ""},
		"a clone does not harm":  {4, box("4 ADBC", "3 BCAD", "2 CADB"), "A", ""},
		"a tie":                  {2, box("2 AB", "2 BA"), "A", "AB"},
		"equals":                 {3, box("3 A=B", "2 BC"), "B", ""},
		"all in a circle, equal": {3, box("1 ABC", "1 BCA", "1 CAB"), "A", "ABC"},
	} {
		rule := quorum.Rule{Members: len(test.ballots), Threshold: "0.5", CountOf: quorum.Present}
		got := rule.Choose(test.options, test.ballots, slices.Collect(upTo(test.options)))
		var tied []int
		for _, letter := range test.tied {
			tied = append(tied, int(letter-'A'))
		}
		if got.Result != quorum.Carried || got.Winner != int(test.winner[0]-'A') || !slices.Equal(got.Tied, tied) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAnOptionStandsAgainstNoneOfThese(t *testing.T) {
	rule := quorum.Rule{Members: 5, Threshold: "0.5", CountOf: quorum.Present}
	for name, test := range map[string]struct {
		ballots []quorum.Ranking
		result  quorum.Result
		out     []int
	}{ // C is none of these
		"nobody wants any":               {box("5 CAB"), quorum.Lost, []int{0, 1}},
		"too few want B":                 {box("3 ACB", "2 BAC"), quorum.Carried, []int{1}},
		"a quorum, but as many below it": {box("2 ACB", "2 BCA", "1 C"), quorum.Lost, []int{0, 1}},
		"a ballot that names nothing":    {box("3 A", "2 "), quorum.Carried, []int{1}},
		"too few ballots":                {box("2 AB"), quorum.NoQuorum, nil},
	} {
		if got := rule.Choose(2, test.ballots, []int{0, 1}); got.Result != test.result || !slices.Equal(got.Out, test.out) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
