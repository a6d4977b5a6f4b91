package quorum_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// preferring returns how many ballots rank a above b: a twin to compare with.
func preferring(ballots []quorum.Ranking, a, b int) (n int) {
	for _, ballot := range ballots {
		place := map[int]int{}
		for i, group := range ballot {
			for _, o := range group {
				place[o] = i - len(ballot) // options left out have 0, below all
			}
		}
		if place[a] < place[b] {
			n++
		}
	}
	return n
}

// chosen returns the options that carry against none of these and against every other option, each pair voted on as a
// motion is: a twin to compare with.
func chosen(r quorum.Rule, options int, ballots []quorum.Ranking, num, den int) (all []int) {
	for o := range options {
		carries := true
		for over := range options + 1 {
			above, below := preferring(ballots, o, over), preferring(ballots, over, o)
			box := slices.Concat(slices.Repeat([]string{"yes"}, above), slices.Repeat([]string{"no"}, below),
				slices.Repeat([]string{"abstain"}, len(ballots)-above-below),
				slices.Repeat([]string{"absent"}, r.Members-len(ballots)))
			carries = carries && (o == over || naive(r, box, num, den) == quorum.Carried)
		}
		if carries {
			all = append(all, o)
		}
	}
	return all
}

// debian counts the options without none of these as section A.5 of Debian's constitution says, defeat by defeat: a
// twin to compare with. It returns the options that lead equally.
func debian(options int, ballots []quorum.Ranking) []int {
	left := map[int]bool{}
	for o := range options {
		left[o] = true
	}
	type defeat struct{ over, under, with, against int }
	var defeats []defeat
	for a := range left {
		for b := range left {
			if with, against := preferring(ballots, a, b), preferring(ballots, b, a); with > against {
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
			return schwartz
		}
		weakest := slices.MinFunc(within, func(a, b defeat) int { return cmp.Or(a.with-b.with, b.against-a.against) })
		defeats = slices.DeleteFunc(defeats, func(d defeat) bool {
			return slices.Contains(within, d) && d.with == weakest.with && d.against == weakest.against
		})
	}
}

func ranking(t *rapid.T, options int) quorum.Ranking {
	var r quorum.Ranking
	var all []int
	for o := range options + 1 {
		all = append(all, o)
	}
	for _, o := range rapid.Permutation(all).Draw(t, "order") {
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

// drawn is an election under any rule.
type drawn struct {
	rule     quorum.Rule
	num, den int // the threshold
	options  int
	ballots  []quorum.Ranking
}

func draw(t *rapid.T) drawn {
	share := rapid.SampledFrom([]string{"1/2", "2/3", "3/4", "1/1", "1/3"}).Draw(t, "threshold")
	d := drawn{options: rapid.IntRange(1, 7).Draw(t, "options"), num: int(share[0] - '0'), den: int(share[2] - '0')}
	members := rapid.IntRange(1, 9).Draw(t, "members")
	d.rule = quorum.Rule{
		Members: members, Quorum: rapid.IntRange(0, members).Draw(t, "quorum"), Threshold: quorum.Share(share),
		CountOf: rapid.SampledFrom([]quorum.CountOf{quorum.Members, quorum.Present, quorum.Cast}).Draw(t, "countOf"),
	}
	for range rapid.IntRange(0, members).Draw(t, "ballots") {
		d.ballots = append(d.ballots, ranking(t, d.options))
	}
	return d
}

func TestChoice_AgreesWithACountOfEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		got := d.rule.Choose(d.options, d.ballots)
		if !got.Counts(d.options) {
			t.Fatalf("the record is not that of %d options: %+v", d.options, got)
		}
		want := chosen(d.rule, d.options, d.ballots, d.num, d.den)
		switch {
		case len(want) > 1:
			t.Fatalf("%v beat one another", want)
		case len(d.ballots) < d.rule.Required() && got.Result != quorum.NoQuorum:
			t.Fatalf("%d ballots of %+v: want NO_QUORUM, got %s", len(d.ballots), d.rule, got.Result)
		case (len(want) == 1) != (got.Result == quorum.Carried):
			t.Fatalf("want %v chosen, got %+v", want, got)
		case len(want) == 1 && (got.Chosen == nil || *got.Chosen != want[0] || got.Leaning != nil):
			t.Fatalf("want %v chosen, got %+v", want, got)
		case len(want) == 0 && got.Chosen != nil:
			t.Fatalf("want nothing chosen, got %+v", got)
		}
		if yes, no := got.Votes(); len(d.ballots) > 0 { // the pair on record explains the result
			count := quorum.Count{Yes: yes, No: no, Abstain: len(d.ballots) - yes - no, Absent: d.rule.Members - len(d.ballots)}
			check.Is(t, "the pair", got.Result, d.rule.Decide(count))
		}
	})
}

func TestLeaning_AgreesWithSchulzesTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		got := d.rule.Choose(d.options, d.ballots)
		if len(d.ballots) == 0 {
			if got.Pair != nil || got.Leaning != nil {
				t.Fatalf("without a ballot nothing leads, got %+v", got)
			}
			return
		}
		first := debian(d.options, d.ballots)
		for _, ballot := range d.ballots { // among equals the earliest seat decides
			place := func(o int) int {
				for i, group := range ballot {
					if slices.Contains(group, o) {
						return i
					}
				}
				return len(ballot)
			}
			top := slices.MinFunc(first, func(a, b int) int { return place(a) - place(b) })
			first = slices.DeleteFunc(slices.Clone(first), func(o int) bool { return place(o) != place(top) })
		}
		check.Is(t, "who leads", first[0], got.Pair[0])
		liked := preferring(d.ballots, first[0], d.options) >= preferring(d.ballots, d.options, first[0])
		if leans := got.Leaning != nil; leans != (got.Result != quorum.Carried && liked) {
			t.Fatalf("of %d ballots %+v", len(d.ballots), got)
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
		n, _ := strconv.Atoi(count)
		ballots = append(ballots, slices.Repeat([]quorum.Ranking{r}, n)...)
	}
	return ballots
}

func TestTextbookElections(t *testing.T) {
	for name, test := range map[string]struct {
		options int
		ballots []quorum.Ranking
		leads   string
		chosen  bool
	}{
		"Schulze's first example": {5, box("5 ACBED", "5 ADECB", "8 BEDAC", "3 CABED", "7 CAEBD", "2 CBADE",
			"7 DCEBA", "8 EBADC"), "E", false},
		"Schulze's second example": {4, box("5 ACBD", "2 ACDB", "3 ADCB", "4 BACD", "3 CBDA", "3 CDBA", "1 DACB", "5 DBAC",
			"4 DCBA"), "D", false},
		"Tennessee":              {4, box("42 ABCD", "26 BCDA", "15 CDBA", "17 DCBA"), "B", true},
		"a cycle":                {3, box("4 ABC", "3 BCA", "2 CAB"), "A", false},
		"a clone does not harm":  {4, box("4 ADBC", "3 BCAD", "2 CADB"), "A", false},
		"a tie":                  {2, box("2 BA", "2 AB"), "B", false},
		"equals":                 {3, box("3 A=B", "2 BC"), "B", false},
		"all in a circle, equal": {3, box("1 CAB", "1 ABC", "1 BCA"), "C", false},
	} {
		rule := quorum.Rule{Members: len(test.ballots), Threshold: "0.5", CountOf: quorum.Present}
		got := rule.Choose(test.options, test.ballots)
		check.That(t, got.Pair[0] == int(test.leads[0]-'A') && (got.Result == quorum.Carried) == test.chosen,
			"%s: want %s to lead, chosen: %t; got %+v", name, test.leads, test.chosen, got)
	}
}

// Each pair is counted as a motion is; the pair on record is the one with the least to spare.
func TestChoice_EveryPairIsCountedAsAMotion(t *testing.T) {
	for name, test := range map[string]struct { // C is none of these
		rule    quorum.Rule
		ballots []quorum.Ranking
		result  quorum.Result
		pair    []int
		leans   bool
	}{
		"more than half above both": {half(quorum.Present, 0), box("3 ABC", "2 BAC"), quorum.Carried, []int{0, 1}, false},
		"not two thirds above B": {quorum.Rule{Members: 5, Threshold: "2/3", CountOf: quorum.Present},
			box("3 ABC", "2 BAC"), quorum.Lost, []int{0, 1}, true},
		"none wants any": {half(quorum.Present, 0), box("5 CAB"), quorum.Lost, []int{0, 2}, false},
		"as many below none of these": {half(quorum.Present, 0), box("2 ACB", "2 BCA", "1 C"), quorum.Lost, []int{0, 2},
			false},
		"equals abstain, of those voted": {half(quorum.Present, 0), box("2 A", "3 A=B"), quorum.Lost, []int{0, 1}, true},
		"equals abstain, of those cast":  {half(quorum.Cast, 0), box("2 A", "3 A=B"), quorum.Carried, []int{0, 1}, false},
		"absent members count":           {half(quorum.Members, 0), box("3 A"), quorum.Carried, []int{0, 2}, false},
		"not for half of all":            {half(quorum.Members, 2), box("2 A"), quorum.Lost, []int{0, 2}, true},
		"ballots that name nothing":      {half(quorum.Present, 0), box("3 A", "2 "), quorum.Carried, []int{0, 2}, false},
		"too few ballots":                {half(quorum.Present, 0), box("2 AB"), quorum.NoQuorum, []int{0, 2}, true},
		"no ballot":                      {half(quorum.Present, 0), nil, quorum.NoQuorum, nil, false},
	} {
		got := test.rule.Choose(2, test.ballots)
		check.That(t, got.Result == test.result && slices.Equal(got.Pair, test.pair) && (got.Leaning != nil) == test.leans,
			"%s: want %s by %v, leaning: %t; got %+v", name, test.result, test.pair, test.leans, got)
	}
}

func half(of quorum.CountOf, required int) quorum.Rule {
	return quorum.Rule{Members: 5, Quorum: required, Threshold: "0.5", CountOf: of}
}
