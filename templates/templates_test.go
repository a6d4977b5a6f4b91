package templates_test

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
	"github.com/council-engine/council/templates"
)

func charters(t *testing.T) map[string]council.Charter {
	t.Helper()
	all := map[string]council.Charter{}
	for _, name := range templates.Councils() {
		doc, ok := templates.Council(name)
		if !ok {
			t.Fatalf("there is no council %q", name)
		}
		c, err := config.Parse(doc)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schemas.Validate("config", doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		all[name] = c
	}
	return all
}

// What each council goes through, and what it writes at its end.
func TestTemplates_TheReadyMadeCouncils(t *testing.T) {
	want := []string{"general: explore, decide; report", "architecture: frame, options, decide; adr",
		"security: assets, threats, decide; security-review", "code-review: read, judge; review-report",
		"product: problem, bets, decide; product-brief", "incident-review: timeline, conditions, actions; postmortem",
		"vendor-choice: criteria, compare, choose; decision-matrix", "plan-review: premises, failure, verdict; plan-review",
		"ethics: affected, arguments, opinion; ethics-opinion", "naming: brief, choose; naming-decision"}
	var got []string
	all := charters(t)
	for _, name := range templates.Councils() {
		c := all[name]
		var phases []string
		for _, phase := range c.Phases {
			phases = append(phases, string(phase.ID))
		}
		got = append(got, name+": "+strings.Join(phases, ", ")+"; "+c.DocumentationReview.Skeleton)
	}
	check.Equal(t, "it", want, got)
	_, ok := templates.Council("../prompts/system")
	check.That(t, !ok, "a name that is not a council's was found")
}

func TestTemplates_EveryPhaseAsksForSomething(t *testing.T) {
	for name, c := range charters(t) {
		check.That(t, c.Output.Type == council.OutputDocumentation && c.Deliberation.SealedPositions &&
			c.Execution.RequireHumanApproval, "%s writes no document, seals no positions, or executes by itself", name)
		for _, phase := range c.Phases {
			check.That(t, len(phase.Deliverables) >= 2 && len(phase.QualityGates) >= 2 && len(phase.PromptGuidance) >= 3 &&
				phase.EvidenceRequirements.MinCitations != 0 && phase.Fallback.Resolution != config.DefaultResolution,
				"%s/%s asks for too few deliverables, gates, guidance or citations, or has no fallback", name, phase.ID)
		}
	}
}

func TestTemplates_ACouncilIsTheCallersOwnCopy(t *testing.T) {
	first, _ := templates.Council("general")
	clear(first)
	second, _ := templates.Council("general")
	check.That(t, json.Valid(second), "a caller changed the embedded council")
	clear(templates.Councils())
	check.Is(t, "a caller changed the names", "general", templates.Councils()[0])
}

func TestTemplates_EverySectionOfASkeletonSaysWhatBelongsThere(t *testing.T) {
	want := []string{
		"adr", "decision-matrix", "ethics-opinion", "naming-decision", "plan-review", "postmortem", "product-brief",
		"report", "review-report", "rfc", "runbook", "security-review",
	}
	check.Equal(t, "it", want, templates.Skeletons())
	said := map[string]string{}
	for _, name := range templates.Skeletons() {
		title, sections, ok := templates.Skeleton(name)
		check.That(t, ok && title != "" && len(sections) >= 5, "%s is called %q and has %d sections", name, title,
			len(sections))
		var headings []string
		for _, s := range sections {
			if n := len(strings.Fields(s.Says)); n < 6 || n > 40 || strings.Contains(s.Says, "\n") {
				t.Errorf("%s: section %q says %q", name, s.Heading, s.Says)
			}
			check.Is(t, s.Says, "", said[s.Says])
			check.Is(t, name, false, slices.Contains(headings, s.Heading))
			said[s.Says], headings = name, append(headings, s.Heading)
		}
	}
	_, _, ok := templates.Skeleton("../councils/general")
	check.That(t, !ok, "a name that is not a skeleton's was found")
}

// A council is given the whole of its skeleton: the leader is told of every section what belongs there.
func TestTemplates_TheCharterHoldsTheSkeleton(t *testing.T) {
	for name, c := range charters(t) {
		_, sections, ok := templates.Skeleton(c.DocumentationReview.Skeleton)
		check.Is(t, name, true, ok)
		var headings []string
		var guidance []council.Guide
		for _, s := range sections {
			headings = append(headings, s.Heading)
			guidance = append(guidance, council.Guide{Section: s.Heading, Says: s.Says})
		}
		review := c.DocumentationReview
		check.Is(t, name, "", cmp.Diff(headings, review.Sections)+cmp.Diff(guidance, review.Guidance))
	}
}

// tellers are those who tell the events of a session.
var tellers = []string{"prompt", "transcript", "terminal"}

// An event that a teller forgets is one that members, readers or watchers never hear of.
func TestTemplates_EachTellerTellsEachEventOrIsSilent(t *testing.T) {
	for _, teller := range tellers {
		blocks := definitions(t, teller)
		if blocks["silent"] == nil {
			t.Fatalf("%s.tmpl does not define \"silent\"", teller)
		}
		silent := strings.FieldsFunc(blocks["silent"].Root.String(), func(r rune) bool {
			return (r < 'A' || r > 'Z') && r != '_'
		})
		for _, event := range council.EventTypes() {
			told, silenced := blocks[string(event)] != nil, slices.Contains(silent, string(event))
			check.That(t, told != silenced, "%s.tmpl: %s has a definition: %t; is named as silent: %t; want one of the two",
				teller, event, told, silenced)
		}
		for name := range blocks {
			if strings.ToUpper(name) == name && council.NewPayload(council.EventType(name)) == nil {
				t.Errorf("%s.tmpl defines %s, which is not a type of event", teller, name)
			}
		}
	}
}

// definitions returns the definitions of a teller's template by name.
func definitions(t *testing.T, teller string) map[string]*parse.Tree {
	t.Helper()
	text := check.Get(fs.ReadFile(templates.Tellings(), teller+".tmpl"))(t)
	blocks := map[string]*parse.Tree{}
	file := parse.New(teller)
	file.Mode = parse.SkipFuncCheck
	check.Get(file.Parse(string(text), "", "", blocks))(t)
	return blocks
}
