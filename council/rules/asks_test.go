package rules_test

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/council"
)

// maxAsks returns an upper bound of the number of different asks in a session under a sound charter. A question that is
// put again after a suspension is the same ask.
func maxAsks(c *council.Charter) int {
	n := len(c.Members)
	visit := 0 // asks in the longest visit to a phase
	for _, phase := range c.Phases {
		turn := 1 + n // the turn, then a ballot of each
		if phase.Governance.RequireSeconding || phase.Governance.Debate {
			turn += n - 1
		}
		if phase.Governance.Amends() {
			turn += n + phase.Governance.MaxAmendments*n // the answers on them, and the ballots
		}
		ends := 1 + phase.StopConditions.MaxQuestions // one assessment, and answers
		if len(c.OptionsOf(&phase)) > 0 {
			ends += n // a choice
		}
		visit = max(visit, phase.StopConditions.MaxRounds*n*turn+ends)
	}
	total := n + (c.SessionPolicy.MaxPhaseTransitions+1)*visit + 1 // the election, the phases, the summary
	if c.Deliberation.SealedPositions {
		total += n
	}
	if c.Output.Type == council.OutputDocumentation {
		total += (c.DocumentationReview.MaxRevisionRounds + 1) * (1 + 2*n) // drafts with ballots and reviews
	}
	return total + n + n - 1 // dissents, then questions put again to a leader's successor
}

// askForms returns the form of the ids of each kind of question, as docs/events.md lists them.
var askForms = sync.OnceValue(func() map[council.AskKind]*regexp.Regexp {
	doc, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		panic(err)
	}
	motion := `p<visit>\.(?:r<round>\.(?:t<turn>|choice)|(?:added\.)?choice)`
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
