package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/probe"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/templates"
)

// to returns a transition.
func to(id council.PhaseID, when council.Trigger, priority int) council.Transition {
	return council.Transition{To: id, When: when, Priority: priority}
}

func TestCharter_PhasesThatNoSessionReaches(t *testing.T) {
	const (
		vote   = council.TriggerMajorityVote
		limit  = council.TriggerRoundLimit
		always = council.TriggerAlways
	)
	for _, test := range []struct {
		name     string
		first    []council.Transition // of the phase a, which precedes b and c, both of which end the session
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
			x := &design{c: &c}
			x.checkPhases()
			var got []string
			for _, f := range x.found {
				got = append(got, f.Code+" "+f.Where)
			}
			check.Equal(t, "it", test.want, strings.Join(got, ", "))
		})
	}
}

func TestCharter_VotesThatHardlyCarry(t *testing.T) {
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
		x := &design{c: &c}
		x.checkGovernance(test.g, "", "A motion")
		got := ""
		if len(x.found) > 0 {
			got = x.found[0].Code + " " + strings.Trim(x.found[0].Where, "/")
		}
		if got != test.want || len(x.found) > 1 {
			t.Errorf("%d members, %+v: %q, not %q", test.n, test.g, got, test.want)
		}
	}
}

func TestCharter_FindingsOfSeveralMembersAreOne(t *testing.T) {
	x := &exam{}
	for _, id := range []council.MemberID{"a", "b", "a", "c"} {
		x.find("vote-few", "", "It", 3, 1).Members = []council.MemberID{id}
	}
	x.find("vote-few", "", "It", 5, 1).Members = []council.MemberID{"a"}
	x.find("members-all-alike", "")
	x.find("members-all-alike", "")
	found := x.sorted()
	if len(found) != 3 || found[0].Code != "members-all-alike" || fmt.Sprint(found[1].Members) != "[a b c]" {
		t.Errorf("got %v", found)
	}
	if found[1].Who() != "members a, b and c" || (Finding{Members: []council.MemberID{"a"}}).Who() != "member a" {
		t.Error("members are not named well")
	}
}

// A row that is asked for and not there would be a finding without a word; one that nothing asks for is dead.
func TestCharter_EachFindingHasARowAndEachRowIsFound(t *testing.T) {
	var code string
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			doc := check.Get(os.ReadFile(name))(t)
			code += string(doc)
		}
	}
	for _, named := range regexp.MustCompile(`ind(?:Of\(m, |\()"([a-z:-]+)"`).FindAllStringSubmatch(code, -1) {
		if f := rows[named[1]]; f.Problem == "" {
			t.Errorf("the row %s is not in the table", named[1])
		}
	}
	for row, f := range rows {
		if !slices.Contains([]Severity{Stops, Costs, Remark}, f.Severity) || f.Why == "" || f.Do == "" {
			t.Errorf("%s: %+v", row, f)
		}
		if !strings.Contains(code, `"`+row+`"`) && !slices.Contains(troubles, probe.Trouble(row)) {
			t.Errorf("nothing finds %s", row)
		}
	}
	for _, trouble := range troubles {
		if rows[string(trouble)].Do == "" {
			t.Errorf("%s has no row", trouble)
		}
	}
}

var troubles = []probe.Trouble{probe.TroubleName, probe.TroubleRefused, probe.TroubleUnreachable,
	probe.TroubleCertificate, probe.TroublePlain, probe.TroubleEncrypted, probe.TroubleProxy}

func TestParameters_AreReadFromTheNameOfAModel(t *testing.T) {
	for name, want := range map[string]float64{
		"qwen2.5:0.5b": 0.5, "SmolLM2-135M-Instruct": 0.135, "gemma3:270m": 0.27, "llama3.2:1b": 1, "qwen3-30b-a3b": 30,
		"qwen/qwen3-0.6b": 0.6, "mixtral-8x7b": -1, "gpt-5.4-mini": -1, "phi4-4k": -1, "m3": -1, "claude-5b2": -1,
	} {
		if got, named := parameters(name); named != (want >= 0) || named && got != want {
			t.Errorf("%s: want %v, got %v, %t", name, want, got, named)
		}
	}
}

func TestCharter_NothingIsDoubtfulInTheReadyMadeCouncils(t *testing.T) {
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		c := check.Get(config.Parse(doc))(t)
		if found := Sound(&c); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

func TestCharter_MembersThatAreToldTheSame(t *testing.T) {
	const bold = "You look for the cheapest way to begin, and you vote for whatever can be tried this week."
	for _, test := range []struct {
		name    string
		prompts []string
		want    string
	}{
		{"each its own", []string{"You ask who pays for it.", bold, "You speak for those who are woken at night."}, ""},
		{"two, but for a word", []string{bold, "You ask who pays for it.", strings.Replace(bold, "week", "month", 1)},
			"members-alike a,c"},
		{"two, but for capitals", []string{bold, strings.ToUpper(bold), "You ask who pays for it."}, "members-alike a,b"},
		{"one that is told more", []string{bold, bold + " You ask who pays for it, and who is woken at night.", "Be brief."},
			"members-alike a,b"},
		{"all", []string{bold, bold, bold + " Be brief."}, "members-all-alike "},
		{"all in a word", []string{"s", "s", "s"}, "members-all-alike "},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
			for i, prompt := range test.prompts {
				c.Members[i].ID, c.Members[i].SystemPrompt = council.MemberID("abc"[i:i+1]), prompt
			}
			x := &design{c: &c}
			x.checkAlike()
			var got []string
			for _, f := range x.found {
				var ids []string
				for _, id := range f.Members {
					ids = append(ids, string(id))
				}
				got = append(got, f.Code+" "+strings.Join(ids, ","))
			}
			check.Equal(t, "it", test.want, strings.Join(got, "; "))
		})
	}
}

func TestCharter_SectionsThatTheSkeletonHas(t *testing.T) {
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	for _, test := range []struct {
		skeleton string
		sections []string
		want     string
	}{
		{"", []string{"Weather"}, ""},
		{"naming-decision", []string{"The name", "What it names", "Why this one", "Names not chosen", "Checks", "Moving over",
			"Weather"}, ""},
		{"naming-decision", []string{"The name", "What it names", "Why this one", "Moving over"},
			"skeleton naming-decision: Names not chosen; Checks."},
	} {
		c.DocumentationReview.Skeleton, c.DocumentationReview.Sections = test.skeleton, test.sections
		x := &design{c: &c}
		x.checkDocument()
		if n := len(x.found); (n == 1) != (test.want != "") || n == 1 && !strings.Contains(x.found[0].Problem, test.want) {
			t.Errorf("%+v", x.found)
		}
	}
}
