package names

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

func alike(a, b string) bool {
	x, y := Keys(a), Keys(b)
	return x[0] == y[0] || x[1] == y[1]
}

func TestLookalike_NamesThatLookAlike(t *testing.T) {
	for _, c := range [][2]string{
		{"Ada", "ada"}, {"Ada", "АDА"}, {"Ada", "Αda"}, {"Ada", "Ａｄａ"}, {"Ada", "𝐀𝐝𝐚"}, {"Ada", "A\u200bda"},
		{"Ada", "A\u00add\u202ea"}, {"Ada Lovelace", "AdaLovelace"}, {"Ada Lovelace", "Ada\u00a0 Lovelace"},
		{"Ada Lovelace", "Ada-Lovelace"}, {"O'Neill", "O’Neill"}, {"Bill", "BiII"}, {"Seat I", "Seat l"}, {"seat1", "seatl"},
		{"R0B", "ROB"}, {"Morn", "Mom"}, {"Zoë", "Zoe\u0308"}, {"Zoë", "Zоё"}, {"ﬁn", "fin"}, {"skeptic", "ѕkерtіс"},
		{"Kim", "Кіm"}, {"Paul", "Ρаul"}, {"ALI", "Ali"}, {"m-1", "m_1"}, {"Ira", "Ӏra"}, {"Dr. Who", "Dr Who"},
	} {
		if !alike(c[0], c[1]) {
			t.Errorf("%q and %q look alike", c[0], c[1])
		}
	}
}

func TestLookalike_NamesThatDiffer(t *testing.T) {
	names := []string{"Ada", "Ida", "Eda", "Adam", "Zoe", "Zoë", "m1", "m2", "m11", "Анна", "Ирина", "山田", "山本", "C",
		"C++", "C#", "The Skeptic", "The Sceptic", "Member A", "Member B", "José", "Jose", "علي", "Ali", "🙂", "🙃", "Bob",
		"Rob"}
	for i, a := range names {
		for _, b := range names[:i] {
			if alike(a, b) {
				t.Errorf("%q and %q differ", a, b)
			}
		}
	}
}

func TestLookalike_ANameOfWhichNothingIsSeen(t *testing.T) {
	for name, seen := range map[string]bool{"": false, " \u200b\u00ad": false, "\u2800": false, "\u3164": false,
		"-": false, "x": true, "山": true} {
		check.Is(t, name, seen, Seen(name))
	}
}

func TestNearest(t *testing.T) {
	known := []string{"maxRounds", "endOnMajorityVote", "quorum", "general", "architecture", "security"}
	for name, want := range map[string]string{
		"maxRound": "maxRounds", "MAXROUNDS": "maxRounds", "maxRuonds": "maxRounds", "endOnMajority": "endOnMajorityVote",
		"qurum": "quorum", "generl": "general", "architekture": "architecture", "secruity": "security",
		"": "", "banana": "", "x": "", strings.Repeat("q", 10_000): "",
	} {
		got, ok := Nearest(name, slices.Values(known))
		if got != want || ok != (want != "") {
			t.Errorf("Nearest(%.20q) is %q, not %q", name, got, want)
		}
	}
}

func TestMeant_TakesAWholeNameOrTheOnlyBeginning(t *testing.T) {
	known := [][]string{{"d1.draft.kim", "kim"}, {"d1.draft.ann", "ann", "Ann Lee"}, {"an", "An"}}
	for word, want := range map[string]int{"KIM": 0, " k": 0, "ann l": 1, "an": 2, "d1": -1, "a": -1, "": -1, "x": -1} {
		check.Is(t, word, want, Meant(word, known, func(names []string) []string { return names }))
	}
}
