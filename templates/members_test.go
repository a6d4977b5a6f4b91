package templates_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// topics are the words by which members weigh.
var topics = []string{
	"cost", "delivery", "evidence", "fairness", "operations", "rights", "risk", "security", "simplicity", "users",
}

func TestMembers_ReallyDiffer(t *testing.T) {
	for name, c := range charters(t) {
		leads := map[string]council.MemberID{}
		for i, m := range c.Members {
			lead := ""
			for topic, weight := range m.FocusWeights {
				check.That(t, slices.Contains(topics, topic), "%s/%s weighs %q, which is not a topic word", name, m.ID, topic)
				check.That(t, weight > 0 && weight <= 1, "%s/%s weighs %s at %v", name, m.ID, topic, weight)
				if lead == "" || weight > m.FocusWeights[lead] {
					lead = topic
				}
			}
			if other, taken := leads[lead]; taken {
				t.Errorf("%s: %s and %s both care most about %s", name, m.ID, other, lead)
			}
			leads[lead] = m.ID
			check.That(t, len(m.Traits) >= 2 && m.Model.Provider == "default", "%s/%s: traits %v, provider %q", name, m.ID,
				m.Traits, m.Model.Provider)
			for _, other := range c.Members[:i] {
				near := cosine(m.FocusWeights, other.FocusWeights)
				check.That(t, near <= 0.75, "%s: %s and %s weigh alike (%.2f)", name, m.ID, other.ID, near)
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

// built is how a prompt is put together: what the member looks at, what it takes for proof, when it votes against, and
// what brings it round or what it lets pass.
var built = regexp.MustCompile(
	`^You [^.?!]+[.?!]"?( .+)? You trust [^.]+\. (.+ )?You vote (NO|ABSTAIN) [^.]+\. [A-Z].+[.?]$`)

func TestMembers_EveryPromptSaysWhatItsMemberLooksFor(t *testing.T) {
	for name, c := range charters(t) {
		for _, m := range c.Members {
			check.That(t, built.MatchString(m.SystemPrompt),
				"%s/%s: the prompt lacks what it trusts, when it votes against or what brings it round: %s", name, m.ID,
				m.SystemPrompt)
			n := len(strings.Fields(m.SystemPrompt))
			check.That(t, n >= 70 && n <= 130, "%s/%s: the prompt has %d words", name, m.ID, n)
		}
	}
}

// Prompts that share sentences make members that say the same. Across all councils no two share one, and what
// they share of runs of four words is hardly more than how they begin to say when they vote NO or change their mind.
func TestMembers_NoTwoPromptsAreAlike(t *testing.T) {
	type prompt struct {
		of    string
		words []string
	}
	var all []prompt
	sentences := map[string]string{}
	for name, c := range charters(t) {
		for _, m := range c.Members {
			of := name + "/" + string(m.ID)
			for _, s := range regexp.MustCompile(`[.?!;:]\s+`).Split(m.SystemPrompt, -1) {
				if other := sentences[s]; other != "" && strings.Count(s, " ") > 2 {
					t.Errorf("%s and %s share a sentence: %s", of, other, s)
				}
				sentences[s] = of
			}
			all = append(all, prompt{of, strings.Fields(strings.ToLower(m.SystemPrompt))})
		}
	}
	for i, p := range all {
		for _, q := range all[:i] {
			if shared := overlap(p.words, q.words); shared > 0.06 {
				t.Errorf("%s and %s share %.1f %% of their runs of four words", p.of, q.of, 100*shared)
			}
		}
	}
}

// overlap returns the share of the runs of four words of one text that stand in the other too, by the shorter of them.
func overlap(a, b []string) float64 {
	const run = 4
	runs := func(words []string) map[string]bool {
		all := map[string]bool{}
		for i := range len(words) - run + 1 {
			all[strings.Join(words[i:i+run], " ")] = true
		}
		return all
	}
	in, other := runs(a), runs(b)
	shared := 0
	for r := range in {
		if other[r] {
			shared++
		}
	}
	return float64(shared) / float64(max(1, min(len(in), len(other))))
}
