package templates_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
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

func TestThereAreThreeCouncils(t *testing.T) {
	if diff := cmp.Diff([]string{"general", "architecture", "security"}, templates.Councils()); diff != "" {
		t.Error(diff)
	}
	if _, ok := templates.Council("../prompts/system"); ok {
		t.Error("a name that is no council's was found")
	}
}

func TestThePhasesAreThoseOfTheProtocolOfEachCouncil(t *testing.T) {
	want := map[string][]string{
		"general": {"explore", "decide"}, "architecture": {"frame", "options", "decide"}, "security": {"assets", "threats", "decide"},
	}
	got := map[string][]string{}
	for name, c := range charters(t) {
		for _, phase := range c.Phases {
			got[name] = append(got[name], string(phase.ID))
			if len(phase.Deliverables) == 0 || len(phase.QualityGates) == 0 || len(phase.PromptGuidance) == 0 ||
				phase.EvidenceRequirements.MinCitations == 0 {
				t.Errorf("%s/%s asks for no deliverable, gate, guidance or citation", name, phase.ID)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// topics are the words by which members weigh; the rehearsal knows them too.
var topics = []string{"cost", "delivery", "evidence", "operations", "risk", "security", "simplicity", "users"}

func TestMembersReallyDiffer(t *testing.T) {
	for name, c := range charters(t) {
		if len(c.Members) != 5 {
			t.Errorf("%s has %d members", name, len(c.Members))
		}
		leads := map[string]council.MemberID{}
		for i, m := range c.Members {
			lead := ""
			for topic, weight := range m.FocusWeights {
				if !slices.Contains(topics, topic) {
					t.Errorf("%s/%s weighs %q, which is no topic word", name, m.ID, topic)
				}
				if weight <= 0 || weight > 1 {
					t.Errorf("%s/%s weighs %s at %v", name, m.ID, topic, weight)
				}
				if lead == "" || weight > m.FocusWeights[lead] {
					lead = topic
				}
			}
			if other, taken := leads[lead]; taken {
				t.Errorf("%s: %s and %s both care most about %s", name, m.ID, other, lead)
			}
			leads[lead] = m.ID
			if n := strings.Count(m.SystemPrompt, ". ") + 1; n < 4 || n > 8 {
				t.Errorf("%s/%s: a prompt of %d sentences", name, m.ID, n)
			}
			if !strings.Contains(m.SystemPrompt, "You trust") || !strings.Contains(m.SystemPrompt, "You vote ") {
				t.Errorf("%s/%s says not what it trusts or when it votes against", name, m.ID)
			}
			if len(m.Traits) < 2 || m.Model.Provider != "default" {
				t.Errorf("%s/%s: traits %v, provider %q", name, m.ID, m.Traits, m.Model.Provider)
			}
			for _, other := range c.Members[:i] {
				if near := cosine(m.FocusWeights, other.FocusWeights); near > 0.75 {
					t.Errorf("%s: %s and %s weigh alike (%.2f)", name, m.ID, other.ID, near)
				}
			}
		}
	}
}

// cosine is 1 for members that weigh alike and 0 for those that share no topic.
func cosine(a, b map[string]float64) float64 {
	var dot, aa, bb float64
	for _, topic := range topics {
		dot += a[topic] * b[topic]
		aa += a[topic] * a[topic]
		bb += b[topic] * b[topic]
	}
	return dot / math.Sqrt(aa*bb)
}

func TestEverySectionOfADocumentSaysWhatBelongsThere(t *testing.T) {
	for name, c := range charters(t) {
		sections := c.DocumentationReview.Sections
		parts := strings.Split("\n"+templates.Skeleton(sections), "\n## ")[1:]
		if len(parts) != len(sections) || len(sections) < 5 {
			t.Errorf("%s: %d sections, and %d in the skeleton", name, len(sections), len(parts))
			continue
		}
		for i, part := range parts {
			heading, says, _ := strings.Cut(part, "\n")
			if heading != sections[i] || len(strings.Fields(says)) < 6 {
				t.Errorf("%s: section %q says %q", name, sections[i], part)
			}
		}
	}
}

func TestASectionOfOnesOwnIsLeftEmpty(t *testing.T) {
	const want = "## Weather\n\n## RISKS\n\nWhat may go wrong, how one would notice, and what is done about it.\n"
	if diff := cmp.Diff(want, templates.Skeleton([]string{"Weather", "RISKS"})); diff != "" {
		t.Error(diff)
	}
}

func TestACouncilIsTheCallersOwnCopy(t *testing.T) {
	first, _ := templates.Council("general")
	clear(first)
	if second, _ := templates.Council("general"); !json.Valid(second) {
		t.Error("a caller changed the embedded council")
	}
}
