package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// to returns a transition.
func to(id council.PhaseID, when council.Trigger, priority int) council.Transition {
	return council.Transition{To: id, When: when, Priority: priority}
}

func TestPhasesThatNoSessionReaches(t *testing.T) {
	const (
		vote   = council.TriggerMajorityVote
		limit  = council.TriggerRoundLimit
		always = council.TriggerAlways
	)
	for _, test := range []struct {
		name     string
		first    []council.Transition // of the phase a, which stands before b and c, both of which end the session
		stays    bool                 // a carried motion does not end the phase
		fallback council.PhaseID
		want     string
	}{
		{"by a vote and by the limit", []council.Transition{to("b", vote, 1), to("c", limit, 1)}, false, "", ""},
		{"always, before the others", []council.Transition{to("b", always, 1), to("c", limit, 2)}, false, "",
			"phase-never /phases/2/id, transition-never /phases/0/transitions/1"},
		{"always, after the others", []council.Transition{to("b", always, 2), to("c", limit, 1)}, false, "", ""},
		{"always, after both others", []council.Transition{to("b", vote, 1), to("b", limit, 1), to("c", always, 2)}, false,
			"", "phase-never /phases/2/id, transition-never /phases/0/transitions/2"},
		{"equals go in order", []council.Transition{to("b", vote, 1), to("c", vote, 1)}, false, "",
			"phase-never /phases/2/id, transition-never /phases/0/transitions/1"},
		{"a limit that is always reached", []council.Transition{to("b", limit, 1), to("c", vote, 2)}, true, "",
			"phase-never /phases/2/id, transition-never /phases/0/transitions/1"},
		{"the fallback", []council.Transition{to("b", vote, 1)}, false, "c", ""},
		{"a fallback behind the limit", []council.Transition{to("b", limit, 1)}, false, "c", "phase-never /phases/2/id"},
		{"a circle that can be left", []council.Transition{to("a", limit, 1), to("b", vote, 1)}, false, "",
			"phase-never /phases/2/id"},
		{"a circle that cannot", []council.Transition{to("a", always, 1)}, false, "",
			"phase-never /phases/1/id, phase-never /phases/2/id, phase-loop /phases"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
			last := c.Phases[1]
			c.Phases = []council.Phase{c.Phases[0], last, last}
			for i, id := range []council.PhaseID{"a", "b", "c"} {
				c.Phases[i].ID = id
			}
			c.Phases[0].Transitions, c.SessionPolicy.EntryPhaseID = test.first, "a"
			c.Phases[0].StopConditions.EndOnMajorityVote = !test.stays
			if test.fallback != "" {
				c.Phases[0].Fallback.Action, c.Phases[0].Fallback.TransitionToPhaseID = council.FallbackTransition, test.fallback
			}
			var found findings
			checkPhases(&c, &found)
			var got []string
			for _, f := range found {
				got = append(got, f.Code+" "+f.Where)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVotesThatHardlyCarry(t *testing.T) {
	for _, test := range []struct {
		n    int
		g    council.Governance
		want string
	}{
		{3, council.Governance{MajorityThreshold: "0.5", CountOf: "members"}, ""},
		{99, council.Governance{MajorityThreshold: "0.5", CountOf: "members"}, ""},
		{3, council.Governance{MajorityThreshold: "0.66", CountOf: "members"}, ""},
		{3, council.Governance{MajorityThreshold: "0.67", CountOf: "members"}, "vote-unanimous majorityThreshold"},
		{3, council.Governance{MajorityThreshold: "0.67", CountOf: "present"}, "vote-unanimous majorityThreshold"},
		{3, council.Governance{MajorityThreshold: "0.67", CountOf: "cast"}, "vote-unanimous majorityThreshold"},
		{3, council.Governance{MajorityThreshold: "2/3", CountOf: "members"}, ""},
		{3, council.Governance{MajorityThreshold: "3/4", CountOf: "present"}, "vote-unanimous majorityThreshold"},
		{4, council.Governance{MajorityThreshold: "3/4", CountOf: "members"}, ""},
		{3, council.Governance{MajorityThreshold: "3/3", CountOf: "members"}, "vote-all majorityThreshold"},
		{3, council.Governance{MajorityThreshold: "1", CountOf: "cast"}, ""},
		{3, council.Governance{MajorityThreshold: "1", CountOf: "members"}, "vote-all majorityThreshold"},
		{5, council.Governance{MajorityThreshold: "0.5", CountOf: "members", Quorum: 5}, "vote-all quorum"},
		{5, council.Governance{MajorityThreshold: "0.5", CountOf: "cast"}, ""},
		{5, council.Governance{MajorityThreshold: "0.5", CountOf: "cast", Quorum: 2}, "vote-few quorum"},
		{5, council.Governance{MajorityThreshold: "0.5", Quorum: 2, CountOf: "members"}, ""},
		{9, council.Governance{MajorityThreshold: "0.2", CountOf: "members", Quorum: 1}, "vote-few quorum"},
	} {
		c := counciltest.Charter(test.n, 1, "http://127.0.0.1:1")
		var found findings
		checkGovernance(&c, test.g, "", "A motion", &found)
		got := ""
		if len(found) > 0 {
			got = found[0].Code + " " + strings.Trim(found[0].Where, "/")
		}
		if got != test.want || len(found) > 1 {
			t.Errorf("%d members, %+v: %q, not %q", test.n, test.g, got, test.want)
		}
	}
}

func TestTheReadyMadeCouncilsAreSound(t *testing.T) {
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		c, err := config.Parse(doc)
		if err != nil {
			t.Fatal(err)
		}
		var found findings
		checkPhases(&c, &found)
		checkVotes(&c, &found)
		if len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestFindingsOfSeveralMembersAreOne(t *testing.T) {
	var found findings
	for _, id := range []council.MemberID{"a", "b", "a", "c"} {
		found.add(Finding{Code: "x", Severity: Remark, Problem: "It is so.", Members: []council.MemberID{id}})
	}
	found.add(Finding{Code: "x", Severity: Remark, Problem: "It is otherwise.", Members: []council.MemberID{"a"}})
	found.add(Finding{Code: "y", Problem: "Once.", Severity: Stops})
	found.add(Finding{Code: "y", Problem: "Once.", Severity: Stops})
	if got := fmt.Sprint(found[0].Members, len(found)); got != "[a b c] 3" {
		t.Errorf("got %s", got)
	}
	if inWords(found[0].Members) != "members a, b and c" || inWords(nil) != "" ||
		inWords([]council.MemberID{"a"}) != "member a" {
		t.Error("members are not named well")
	}
	if first := found.sorted()[0]; first.Code != "y" ||
		slices.IndexFunc(found, func(f Finding) bool { return f.Code == "y" }) != 2 {
		t.Error("the gravest is not the first, or the findings were put in another order")
	}
}
