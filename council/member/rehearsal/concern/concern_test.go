package concern

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

func TestStemsJoinTheFormsOfAWord(t *testing.T) {
	for _, forms := range []string{
		"migrate migrates migrated migrating migration migrations",
		"measure measured measures measuring measurement measurements",
		"operate operation operations operating",
		"user users", "fail fails failed failing", "policy policies", "test tests tested testing", "secure security",
	} {
		var first string
		for word := range strings.FieldsSeq(forms) {
			s := stem(word)
			if first == "" {
				first = s
			}
			if s != first {
				t.Errorf("%s has the stem %q, not %q as the first of: %s", word, s, first, forms)
			}
		}
	}
}

func TestStemsLeaveOutWhatSaysNothing(t *testing.T) {
	got := slices.Collect(Stems("Should we not move the queue's jobs, all of them, to it?"))
	if diff := cmp.Diff([]string{"move", "queue", "job"}, got, cmp.Comparer(func(a, b string) bool { return stem(a) == stem(b) })); diff != "" {
		t.Error(diff)
	}
	if got := slices.Collect(Stems("移動する")); len(got) != 3 {
		t.Errorf("a script without spaces gives %q, not pairs of characters", got)
	}
}

func TestAFocusFindsItsTheme(t *testing.T) {
	for focus, want := range map[string]string{
		"cost": "cost", "Users": "users", "user_experience": "users", "scalability": "performance", "privacy": "compliance",
		"delivery-risk": "risk", "ops": "operations", "outcomes": "value",
	} {
		found := ThemesFor(focus)
		if !slices.ContainsFunc(found, func(i int) bool { return Built[i].id == want }) {
			t.Errorf("%s finds %v, not %s", focus, found, want)
		}
	}
	if found := ThemesFor("astrology"); len(found) > 0 {
		t.Errorf("astrology finds %v", found)
	}
}

func charter(focus ...map[string]float64) (*council.Charter, []council.MemberID) {
	c := &council.Charter{}
	for i, f := range focus {
		id := council.MemberID(fmt.Sprintf("m%d", i))
		c.Members = append(c.Members, council.Member{ID: id, Name: string(id), Role: "member", SystemPrompt: "Speak.", FocusWeights: f})
	}
	return c, c.Seats()
}

func TestMembersAreSetApart(t *testing.T) {
	c, seats := charter(
		map[string]float64{"cost": 1, "risk": 0.9}, map[string]float64{"cost": 1, "users": 0.9}, map[string]float64{"cost": 1, "evidence": 0.9},
	)
	k := NewCast(c, seats, "Shall we?")
	leads := map[int]bool{}
	for _, p := range k.Players {
		leads[p.Lead()] = true
	}
	if len(leads) != 3 {
		t.Errorf("three members who care for the same and for something else have %d leads", len(leads))
	}
}

func TestMembersWhoCareForTheSameAskForDifferentThings(t *testing.T) {
	same := map[string]float64{"cost": 1}
	c, seats := charter(same, same, same)
	k := NewCast(c, seats, "Shall we?")
	for i, p := range k.Players {
		if p.Lead() != k.Players[0].Lead() || p.Shift != i {
			t.Errorf("member %d leads with theme %d, shifted by %d", i, p.Lead(), p.Shift)
		}
	}
}

func TestAFocusThatNobodyKnowsBecomesATheme(t *testing.T) {
	c, seats := charter(map[string]float64{"astrology": 1}, map[string]float64{"cost": 1}, nil)
	k := NewCast(c, seats, "Shall we?")
	lead := k.Themes[k.Players[0].Lead()]
	if lead.About != "astrology" || len(lead.Demands) != 3 || !strings.Contains(lead.Demands[0].Need, "astrology") {
		t.Errorf("the lead of a member who cares for astrology is %+v", lead)
	}
}

func TestWeightsOfAnySizeAreTamed(t *testing.T) {
	c, seats := charter(map[string]float64{"cost": 1e300, "risk": -5}, map[string]float64{"users": math.MaxFloat64}, map[string]float64{"x": 0})
	for _, p := range NewCast(c, seats, "").Players {
		for i, w := range p.Weights {
			if !(w >= 0 && w <= 1) {
				t.Errorf("%s has the weight %v for theme %d", p.ID, w, i)
			}
		}
	}
}

func TestDemandsCanBeToldApart(t *testing.T) {
	var all []Demand
	for _, theme := range append(slices.Clone(Built), invented(len(Built), "astrology")) {
		if len(theme.Demands) != 3 || len(theme.Questions) < 5 || len(theme.Also) == 0 {
			t.Errorf("%s has %d demands, %d questions and %d other names", theme.About, len(theme.Demands), len(theme.Questions), len(theme.Also))
		}
		all = append(all, theme.Demands...)
	}
	for i, d := range all {
		article, _, _ := strings.Cut(d.Need, " ")
		if !slices.Contains([]string{"a", "an", "one"}, article) || strings.ContainsAny(d.Need, ".,;:") || d.Need != strings.ToLower(d.Need) {
			t.Errorf("%q does not fit into a sentence", d.Need)
		}
		for _, sentence := range []string{d.Risk, d.Step, d.Done} {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%q is no sentence", sentence)
			}
		}
		for j, other := range all {
			if i != j && strings.Contains(other.Need, d.Need) {
				t.Errorf("%q holds %q, so the two cannot be told apart", other.Need, d.Need)
			}
		}
	}
}

func TestWantsAreFoundInTheOrderOfTheText(t *testing.T) {
	c, seats := charter(nil, nil, nil)
	k := NewCast(c, seats, "")
	a, b := Want{3, 1}, Want{0, 2}
	got := k.WantsIn("First " + strings.ToUpper(k.Demand(a).Need) + ", then " + k.Demand(b).Need + ".")
	if diff := cmp.Diff([]Want{a, b}, got); diff != "" {
		t.Error(diff)
	}
}
