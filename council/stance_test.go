package council_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestStancesAreTheSameByTheirWordsAlone(t *testing.T) {
	for _, same := range [][2]string{
		{"Adopt NATS.", "adopt  nats"}, {"“Option B”", "option b"}, {"Don’t migrate", "don't migrate!"},
		{"ÜBERGANG", "übergang"}, {"write-ahead", "Write ahead"}, {"採用する", "採用する。"},
	} {
		if council.StanceOf(same[0]) != council.StanceOf(same[1]) {
			t.Errorf("%q and %q differ: %q, %q", same[0], same[1], council.StanceOf(same[0]), council.StanceOf(same[1]))
		}
	}
	for _, other := range [][2]string{
		{"Adopt NATS", "Use NATS"}, {"adopt", "do not adopt"}, {"Option 1", "Option 11"}, {"1.5", "15"}, {"C", "C++"},
		{"", "yes"},
	} {
		if council.StanceOf(other[0]) == council.StanceOf(other[1]) {
			t.Errorf("%q is taken for %q", other[0], other[1])
		}
	}
	check.Is(t, "punctuation alone names something", "", council.StanceOf(" …! \n"))
}

func TestPlurality(t *testing.T) {
	for name, test := range map[string]struct {
		stances  []string
		words    string
		n        int
		distinct int
	}{
		"nobody":         {nil, "", 0, 0},
		"nothing named":  {[]string{"", " ."}, "", 0, 0},
		"one mind":       {[]string{"A", "a.", "A!"}, "A", 3, 1},
		"most":           {[]string{"b", "A", "a"}, "A", 2, 2},
		"a tie":          {[]string{"a", "b"}, "", 1, 2},
		"a tie below":    {[]string{"a", "b", "c", "c"}, "c", 2, 3},
		"a tie at last":  {[]string{"a", "a", "b", "b", "c"}, "", 2, 3},
		"a tie resolved": {[]string{"a", "b", "b", "", "a", "b"}, "b", 3, 2},
	} {
		words, n, distinct := council.Plurality(test.stances)
		if words != test.words || n != test.n || distinct != test.distinct {
			t.Errorf("%s: %q by %d of %d stances", name, words, n, distinct)
		}
	}
}
