package rules_test

import (
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
)

// maxAsks returns an upper bound of the number of different asks in a session under this charter. A question that is
// put again after a suspension is the same ask. It saturates at math.MaxInt.
func maxAsks(c *council.Charter) int {
	n := len(c.Members)
	visit := 0 // asks in the longest visit to a phase
	for _, phase := range c.Phases {
		turn := 1 + n // the turn, then a ballot of each
		if phase.Governance.RequireSeconding || phase.Governance.Debate {
			turn += n - 1
		}
		if phase.Governance.Amends() {
			turn = add(turn, add(n, times(phase.Governance.MaxAmendments, n))) // what each says of them, and the ballots
		}
		ends := add(1, phase.StopConditions.MaxQuestions) // one assessment, and answers
		if len(c.OptionsOf(&phase)) > 0 {
			ends += n // a choice
		}
		visit = max(visit, add(times(times(phase.StopConditions.MaxRounds, n), turn), ends))
	}
	total := add(n, times(add(c.SessionPolicy.MaxPhaseTransitions, 1), visit)) // the election, then the phases
	if c.Deliberation.SealedPositions {
		total = add(total, n)
	}
	total = add(total, 1) // the summary
	if c.Output.Type == council.OutputDocumentation {
		// A draft, a ballot of each and a review of each, for the first version and every revision.
		total = add(total, times(add(c.DocumentationReview.MaxRevisionRounds, 1), 1+2*n))
	}
	return add(total, n+max(0, n-1)) // dissents, then questions put again to a leader's successor
}

// times multiplies counts and saturates; a negative count is 0.
func times(a, b int) int {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// add adds counts and saturates; a negative count is 0.
func add(a, b int) int {
	a, b = max(0, a), max(0, b)
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// askedCharter has two phases of two rounds without seconding.
func askedCharter() council.Charter {
	c := smallCharter()
	c.Phases = []council.Phase{phase("explore"), phase("decide")}
	for i := range c.Phases {
		c.Phases[i].Governance.RequireSeconding = false
	}
	return c
}

func TestMaxAsks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		want  int
		alter func(c *council.Charter)
	}{
		// 3 nominate; 2 visits of 2 rounds of 3 turns of 1 + 3 ballots, and 1 assessment; 1 summary; 3 dissents; 2
		// successions.
		{"the plainest session", 3 + 2*(2*3*(1+3)+1) + 1 + 3 + 2, func(c *council.Charter) {}},
		{"with sealed positions", 3 + 3 + 2*(2*3*(1+3)+1) + 1 + 3 + 2,
			func(c *council.Charter) { c.Deliberation.SealedPositions = true }},
		{"with seconds in one phase", 3 + 2*(2*3*(1+2+3)+1) + 1 + 3 + 2,
			func(c *council.Charter) { c.Phases[1].Governance.RequireSeconding = true }},
		{"with questions in one phase", 3 + 2*(2*3*(1+3)+1+4) + 1 + 3 + 2,
			func(c *council.Charter) { c.Phases[1].StopConditions.MaxQuestions = 4 }},
		{"with a debate on motions", 3 + 2*(2*3*(1+2+3)+1) + 1 + 3 + 2,
			func(c *council.Charter) { c.Phases[1].Governance.Debate = true }},
		{"with two amendments to each", 3 + 2*(2*3*(1+2+3+2*3+3)+1) + 1 + 3 + 2,
			func(c *council.Charter) {
				c.Phases[1].Governance.Debate, c.Phases[1].Governance.MaxAmendments = true, 2
			}},
		{"with a longer phase", 3 + 2*(5*3*(1+3)+1) + 1 + 3 + 2,
			func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = 5 }},
		{"with a document and two revisions", 3 + 2*(2*3*(1+3)+1) + 1 + 3*(1+3+3) + 3 + 2, func(c *council.Charter) {
			c.Output.Type, c.DocumentationReview.MaxRevisionRounds = council.OutputDocumentation, 2
		}},
		{"beyond all bounds", math.MaxInt, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = math.MaxInt }},
		{"with a negative bound", 3 + 2*1 + 1 + 3 + 2, func(c *council.Charter) {
			c.Phases[0].StopConditions.MaxRounds, c.Phases[1].StopConditions.MaxRounds = -5, 0
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := askedCharter()
			c.SessionPolicy.MaxPhaseTransitions = 1
			tt.alter(&c)
			if got := maxAsks(&c); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMaxAsksNeverOverflows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := askedCharter()
		c.SessionPolicy.MaxPhaseTransitions = rapid.Int().Draw(t, "transitions")
		c.Phases[0].StopConditions.MaxRounds = rapid.Int().Draw(t, "rounds")
		c.DocumentationReview.MaxRevisionRounds = rapid.Int().Draw(t, "revisions")
		c.Output.Type = council.OutputDocumentation
		if got := maxAsks(&c); got < 0 {
			t.Fatalf("got %d", got)
		}
	})
}

// askForms returns the form of the ids of each kind of question, as docs/events.md lists them.
var askForms = sync.OnceValue(func() map[council.AskKind]*regexp.Regexp {
	doc, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		panic(err)
	}
	motion := `p<visit>\.(?:r<round>\.(?:t<turn>|choice)|choice)`
	counts := regexp.MustCompile(`<(?:visit|round|turn|version|time|n)>`)
	forms := map[council.AskKind]*regexp.Regexp{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| (.*<member>.*) \|$`).FindAllStringSubmatch(string(doc), -1) {
		var any []string
		for _, id := range regexp.MustCompile("`([^`]*<member>)`").FindAllStringSubmatch(row[2], -1) {
			form := strings.ReplaceAll(strings.ReplaceAll(id[1], ".", `\.`), "<motion>", motion)
			form = counts.ReplaceAllString(form, "[1-9][0-9]*")
			form = strings.NewReplacer("<event>", "e[0-9]+", "<id>", "[a-z0-9-]+", "<member>", "[a-z0-9_-]+").Replace(form)
			any = append(any, form)
		}
		forms[council.AskKind(row[1])] = regexp.MustCompile("^(?:" + strings.Join(any, "|") + ")$")
	}
	return forms
})

// The table of docs/events.md has the ids of every kind of question.
func TestTheTableOfIDs_HasEveryKind(t *testing.T) {
	for _, kind := range council.AskKinds() {
		if askForms()[kind] == nil {
			t.Errorf("docs/events.md has no id of %s", kind)
		}
	}
	id := "p1.choice.rank.ada"
	if !askForms()[council.AskRank].MatchString(id) || askForms()[council.AskTurn].MatchString(id) {
		t.Errorf("%s is not the id of a ranking alone", id)
	}
}
