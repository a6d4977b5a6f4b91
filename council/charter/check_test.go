package charter

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// soundCharter returns a charter that passes, for tests to break in one place.
func soundCharter() council.Charter {
	phase := func(id, to council.PhaseID) council.Phase {
		p := council.Phase{
			ID: id, Goal: "Find out.", Governance: council.Governance{MajorityThreshold: "0.5", CountOf: "cast"},
			StopConditions: council.StopConditions{MaxRounds: 2},
			Fallback:       council.Fallback{Resolution: "None.", Action: council.FallbackEndSession},
			Deliverables:   []council.Deliverable{{ID: "list", Description: "A list."}},
		}
		if to != "" {
			p.Transitions = []council.Transition{{To: to, When: council.TriggerAlways}}
		}
		return p
	}
	c := council.Charter{
		CouncilName: "Test", Purpose: "To test.",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "explore", MaxPhaseTransitions: 4,
			PhaseContextVerbosity: council.VerbosityStandard},
		Phases:    []council.Phase{phase("explore", "decide"), phase("decide", "")},
		Output:    council.Output{Type: council.OutputNone},
		Storage:   council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution: council.Execution{DefaultExecutorProfile: "engineer"},
	}
	for _, id := range []council.MemberID{"ann", "bob", "cy"} {
		c.Members = append(c.Members, council.Member{
			ID: id, Name: string(id), Role: "Member", SystemPrompt: "Think.",
			Model: council.Model{Provider: "openai", Model: "m"},
		})
	}
	return c
}

func TestCheck_SoundChartersPass(t *testing.T) {
	for name, edit := range map[string]func(*council.Charter){
		"as it is": func(*council.Charter) {},
		"a phase that a fallback leads to": func(c *council.Charter) {
			c.Phases[0].Transitions = nil
			c.Phases[0].Fallback = council.Fallback{Resolution: "r", Action: council.FallbackTransition,
				TransitionToPhaseID: "decide"}
		},
	} {
		c := soundCharter()
		edit(&c)
		check.ErrorIs(t, name, nil, Check(&c))
	}
}

func TestCheck_ACharterIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, pointer string
		problem       string // part of it
		spoil         any    // the value at the pointer, or a function
	}{
		{"without a name", "/councilName", "must not be empty", " "},
		{"without a purpose", "/purpose", "must not be empty", ""},
		{"without an entry phase", "/sessionPolicy/entryPhaseId", "must name the phase", ""},
		{"with an unknown entry phase", "/sessionPolicy/entryPhaseId", `no phase "frame"`, "frame"},
		{"without any transition", "/sessionPolicy/maxPhaseTransitions", "between 1 and 1000, not 0", 0},
		{"with too many transitions", "/sessionPolicy/maxPhaseTransitions", "between 1 and 1000, not 1001", 1001},
		{"with an unknown verbosity", "/sessionPolicy/phaseContextVerbosity", `minimal, standard or full, not "loud"`,
			"loud"},
		{"with an unknown output", "/output/type", `none or documentation, not "poem"`, "poem"},
		{"with a negative revision bound", "/documentationReview/maxRevisionRounds", "between 0 and 100", -1},
		{"with a section twice", "/documentationReview/sections/1", "more than one section",
			func(c *council.Charter) { c.DocumentationReview.Sections = []string{"Risks", "risks "} }},
		{"with a section of two lines", "/documentationReview/sections/0", "one line",
			func(c *council.Charter) { c.DocumentationReview.Sections = []string{"Risks\n# Costs"} }},
		{"with review rules that nothing meets", "/documentationReview/governance/majorityThreshold",
			"more than 0 and at most 1, a number or a fraction such as \"2/3\", not \"2\"", func(c *council.Charter) {
				c.DocumentationReview.Governance = &council.Governance{MajorityThreshold: "2", CountOf: "cast"}
			}},
		{"with a negative budget", "/budget/tokens", "0 (for none) or more",
			func(c *council.Charter) { c.Budget.Tokens = -1 }},
		{"with an endless budget", "/budget/minutes", "0 (for none) or more",
			func(c *council.Charter) { c.Budget.Minutes = math.Inf(1) }},
		{"without storage", "/storage/rootDir", "must not be empty", ""},
		{"without a memory folder", "/storage/memoryDir", "must not be empty", ""},
		{"without an executor", "/execution/defaultExecutorProfile", "must not be empty", ""},

		{"with a phase twice", "/phases/1/id", `more than one phase "explore"`,
			func(c *council.Charter) { c.Phases[1].ID = "explore"; c.Phases[0].Transitions = nil }},
		{"with a phase that has no goal", "/phases/0/goal", "must not be empty", ""},
		{"with a phase out of reach", "/phases/1/id", "cannot be reached from the entry phase",
			func(c *council.Charter) { c.Phases[0].Transitions = nil }},
		{"with a threshold of zero", "/phases/0/governance/majorityThreshold", "more than 0", "0"},
		{"with a threshold above one", "/phases/0/governance/majorityThreshold", "at most 1", "1.01"},
		{"with a threshold that is not a number", "/phases/0/governance/majorityThreshold", `not "NaN"`, "NaN"},
		{"with a fraction above one", "/phases/0/governance/majorityThreshold", `not "3/2"`, "3/2"},
		{"with an unknown denominator", "/phases/0/governance/countOf", `members, present or cast, not "all"`, "all"},
		{"with a quorum above its members", "/phases/0/governance/quorum", "at most the number of members, 3", 4},
		{"with a negative quorum", "/phases/0/governance/quorum", "not -1", -1},
		{"without rounds", "/phases/0/stopConditions/maxRounds", "between 1 and 1000, not 0", 0},
		{"with endless questions", "/phases/0/stopConditions/maxQuestions", "between 0 and 1000", 1 << 30},
		{"with endless rounds", "/phases/0/stopConditions/maxRounds", "between 1 and 1000", 1 << 30},
		{"with hardly any memory", "/phases/0/memoryPolicy/maxChars", "between 1000 and 24000, not 7", 7},
		{"with memory chosen in a later phase", "/phases/1/memoryPolicy/maxChars", "only the entry phase", 9000},
		{"with two phases that decide", "/phases/1/decides", `phase "explore" decides already`,
			func(c *council.Charter) { c.Phases[0].Decides, c.Phases[1].Decides = true, true }},
		{"with negative citations", "/phases/0/evidenceRequirements/minCitations", "between 0 and 1000", -1},
		{"with a deliverable twice", "/phases/0/deliverables/1/id", `more than one deliverable "list"`,
			func(c *council.Charter) {
				c.Phases[0].Deliverables = append(c.Phases[0].Deliverables, council.Deliverable{ID: "list", Description: "d"})
			}},
		{"with a deliverable that says nothing", "/phases/0/deliverables/0/description", "must not be empty", ""},
		{"with an empty quality gate", "/phases/0/qualityGates/0", "must not be empty",
			func(c *council.Charter) { c.Phases[0].QualityGates = []string{""} }},
		{"with empty guidance", "/phases/0/promptGuidance/0", "must not be empty",
			func(c *council.Charter) { c.Phases[0].PromptGuidance = []string{""} }},
		{"with a transition to nowhere", "/phases/0/transitions/1/to", `no phase "moon"`, func(c *council.Charter) {
			c.Phases[0].Transitions = append(c.Phases[0].Transitions,
				council.Transition{To: "moon", When: council.TriggerAlways})
		}},
		{"with an unknown trigger", "/phases/0/transitions/0/when", `not "SOMETIMES"`, "SOMETIMES"},
		{"with an unknown fallback", "/phases/0/fallback/action", `not "SHRUG"`, "SHRUG"},
		{"with a fallback that says nothing", "/phases/0/fallback/resolution", "must not be empty", ""},
		{"with a fallback that leads nowhere", "/phases/0/fallback/transitionToPhaseId", "must name the phase",
			func(c *council.Charter) { c.Phases[0].Fallback.Action = council.FallbackTransition }},
		{"with a fallback to an unknown phase", "/phases/0/fallback/transitionToPhaseId", `no phase "moon"`,
			func(c *council.Charter) {
				c.Phases[0].Fallback = council.Fallback{Resolution: "r", Action: council.FallbackTransition,
					TransitionToPhaseID: "moon"}
			}},
		{"with an end that leads on", "/phases/0/fallback/transitionToPhaseId", "END_SESSION leads to no phase", "decide"},
	} {
		t.Run(tt.name, func(t *testing.T) { refuses(t, tt.pointer, tt.problem, tt.spoil) })
	}
}

// refuses holds that a charter spoilt in one place is refused for that place alone: by a function, or with another
// value at the pointer.
func refuses(t *testing.T, pointer, problem string, spoil any) {
	t.Helper()
	c := soundCharter()
	if change, is := spoil.(func(*council.Charter)); is {
		change(&c)
	} else {
		doc := check.Get(hujson.Parse(check.Get(json.Marshal(c))(t)))(t)
		value := check.Get(json.Marshal(spoil))(t)
		check.OK(t, doc.Patch(fmt.Appendf(nil, `[{"op": "add", "path": %q, "value": %s}]`, pointer, value)))
		check.OK(t, json.Unmarshal(doc.Pack(), &c))
	}
	err := Check(&c)
	bad, ok := err.(*council.CharterError)
	if !ok {
		t.Fatalf("got %v (%T), want one *CharterError", err, err)
	}
	if bad.Pointer != pointer || !strings.Contains(bad.Problem, problem) {
		t.Errorf("got %v, want %s: ...%s...", bad, pointer, problem)
	}
	check.ErrorIs(t, "it is not ErrBadCharter", council.ErrBadCharter, err)
}

func TestCheck_AllProblemsOfACharterAreReported(t *testing.T) {
	c := soundCharter()
	c.CouncilName, c.Phases[1].Goal, c.Members[2].Role = "", "", ""
	var got []string
	joined, ok := Check(&c).(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("got %v, want joined errors", Check(&c))
	}
	for _, err := range joined.Unwrap() {
		var bad *council.CharterError
		if errors.As(err, &bad) {
			got = append(got, bad.Pointer)
		}
	}
	check.Equal(t, "it", []string{"/councilName", "/phases/1/goal", "/members/2/role"}, got)
}

func TestCheck_APhaseNeedsAnID(t *testing.T) {
	c := soundCharter()
	c.Phases[1].ID = ""
	check.Fails(t, "the error", Check(&c), "/phases/1/id: it must not be empty")
}

func TestCheck_AnEmptyCharterIsRefusedWithoutPanic(t *testing.T) {
	check.ErrorIs(t, "the error", council.ErrBadCharter, Check(new(council.Charter)))
}
