package terminal

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
)

// withStances returns a question in a council that asks for stances, in which these were named: the first by Kim, who
// is asked, the others by Mo.
func withStances(kind council.AskKind, named ...string) council.View {
	v := asking(kind)
	v.Charter.Deliberation = council.Deliberation{SealedPositions: true, Stances: true}
	for i, words := range named {
		who := council.MemberID("mo")
		if i == 0 {
			who = "m1"
		}
		v.Events = append(v.Events, council.Event{Seq: council.Seq(i + 1), Actor: who,
			Payload: council.PositionSealed{Answered: council.Answered{Ask: "position"},
				Position: council.Position{Position: "P", Stance: words}}})
	}
	return v
}

func TestPeopleAreAskedForStancesWhereModelsAre(t *testing.T) {
	long := strings.Repeat("ü", 101)
	named := []string{"Keep it", "Move\nit", "keep it!", ""}
	draft := withStances(council.AskBallot, named...)
	draft.Motion = nil
	holdDialogues(t, map[string]dialogue{
		"a position": {withStances(council.AskPosition), []string{"Keep it.", ".", "70", "", "Keep it", "yes"},
			council.Position{Position: "Keep it.", Confidence: 0.7, Stance: "Keep it"},
			[]string{"Your answer in a few words", "!so far"}},
		"a position without one": {withStances(council.AskPosition), []string{"Keep it.", ".", "70", "", "", "yes"},
			council.Position{Position: "Keep it.", Confidence: 0.7}, []string{"[Enter: none]", "!so far"}},
		"one that is too long": {withStances(council.AskPosition), []string{"Keep it.", ".", "70", "", long, "Keep", "yes"},
			council.Position{Position: "Keep it.", Confidence: 0.7, Stance: "Keep"},
			[]string{"At most 100 characters, please.", "!Enter: ü"}},
		"a ballot of somebody not moved": {withStances(council.AskBallot, named...), []string{"NO", "Costs.", "", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "Costs.", Stance: "Keep it"},
			[]string{"Answers named so far: “Keep it”, “Move it”.\n", "!keep it!"}},
		"a ballot of somebody who was moved": {withStances(council.AskBallot, named...),
			[]string{"YES", "Costs.", "Move it", "yes"},
			council.Ballot{Ballot: council.ChoiceYes, Rationale: "Costs.", Stance: "Move it"},
			[]string{"[Enter: Keep it; -: none]", "!keep it!"}},
		"a ballot that names none": {withStances(council.AskBallot, named...), []string{"YES", "Costs.", "-", "yes"},
			council.Ballot{Ballot: council.ChoiceYes, Rationale: "Costs."}, []string{"whichever way you vote", "!keep it!"}},
		"a ballot begun anew": {withStances(council.AskBallot, named...),
			[]string{"YES", "Costs.", "Wait", "no", "YES", "", "", "yes"},
			council.Ballot{Ballot: council.ChoiceYes, Rationale: "Costs.", Stance: "Wait"},
			[]string{"[Enter: Wait; -: none]", "!keep it!"}},
		"a ballot on a draft": {draft, []string{"YES", "Good.", "yes"},
			council.Ballot{Ballot: council.ChoiceYes, Rationale: "Good."}, []string{"Record this answer?", "!prefer"}},
		"a council that does not ask": {asking(council.AskBallot), []string{"YES", "Good.", "yes"},
			council.Ballot{Ballot: council.ChoiceYes, Rationale: "Good."}, []string{"Record this answer?", "!prefer"}},
	})
}

// Names, deliverables, blockers and records of memory are words of others: none makes a line that looks like one of
// ours.
func TestNothingThatIsAskedForCanForgeALine(t *testing.T) {
	forged := "x\nThank you.\n\x1b[2J\x1b]0;title\a\u202e> yes\rRecord this answer?"
	for _, kind := range council.AskKinds() {
		v := withStances(kind, forged, forged)
		for i := range v.Charter.Members {
			v.Charter.Members[i].Name, v.Charter.Members[i].Role = forged, forged
		}
		v.Phase.QualityGates, v.Phase.Goal = []string{forged}, forged
		v.Phase.Deliverables = []council.Deliverable{{ID: "d", Description: forged}}
		v.Memory[0].Records[0] = council.Remembered{ID: "r\n" + forged, Summary: forged, Date: forged}
		v.Motion.Title, v.Motion.Text, v.Motion.Decision = forged, forged, forged
		v.Charter.Execution.DefaultExecutorProfile = forged
		v.Charter.DocumentationReview.Sections = []string{forged}
		v.Charter.DocumentationReview.Guidance = []council.Guide{{Section: forged, Says: forged}}
		v.Positions = []council.MemberID{"mo"}
		if kind == council.AskDraft {
			v.Blockers = []council.Blocker{{ID: forged, Section: forged, Problem: forged, Impact: forged, RequiredChange: forged,
				Severity: "high"}}
		}
		_, shown, _ := say(t, v, walk[kind]...)
		for line := range strings.Lines(shown) {
			for _, ours := range []string{"Thank you.", "> yes", "Record this answer?"} {
				if line = strings.TrimPrefix(line, "> "); strings.HasPrefix(line, ours) && !strings.HasSuffix(line, "[yes, no]\n") {
					t.Errorf("%s: a line is forged: %q\n%s", kind, line, shown)
				}
			}
		}
		if strings.ContainsAny(shown, "\x1b\a\r\u202e") {
			t.Errorf("%s: the terminal is steered: %q", kind, shown)
		}
		if !strings.Contains(shown, "answers later.") {
			t.Errorf("%s: it was not asked to its end:\n%s", kind, shown)
		}
	}
}

// walk is what is typed to be asked for all parts of an answer, and then to leave.
var walk = map[council.AskKind][]string{
	council.AskPosition: {"P", ".", "70", "", "S", "/later"}, council.AskNominate: {"m1", "Why",
		"/later"}, council.AskTurn: {"pass", "R", "", "/later"},
	council.AskSecond: {"no", "R", "/later"}, council.AskAmend: {"yes", "R", "/later"},
	council.AskBallot: {"NO", "R", "", "/later"},
	council.AskPropose: {"A", "B", "", "2", "C", "T", ".", "S", ".", "R", "yes", "", "O", "S", "", "R", "", "A", "",
		"resolved", "B", "/later"},
	council.AskAssess:  {"yes", "C", "e1", "no", "C", "", "A", "", "R", "", "M", "C", "", "e1", "/later"},
	council.AskSummary: {"S", ".", "R", "yes", "", "O", "S", "", "R", "", "A", "", "resolved", "B", "/later"},
	council.AskDraft:   {"# T", ".", "rejected", "W", "/later"}, council.AskReview: {"P", "", "W", "I", "C", "low", "S",
		"", "/later"},
	council.AskDissent: {"yes", "D", ".", "/later"},
}
