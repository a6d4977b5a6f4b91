package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
)

const topic = "Shall we adopt NATS?"

// want is a record that a session is to leave.
type want struct {
	book    council.MemberID
	kind    memory.Kind
	summary string // how it begins
}

// yields are the rows of the table in docs/memory.md: the events that each kind of record comes from.
var yields = map[string]struct {
	script
	want []want
}{
	"decision of a phase": {script{motion: moves("Adopt NATS", "We do.")}, []want{
		{"", memory.KindDecision, "Adopt NATS: We do."},
		{"", memory.KindOutcome, "On “Shall we adopt NATS?” the council resolved “We do.”."},
		{ada, memory.KindOutcome, "Its motion “Adopt NATS” was carried, 3 YES to 0 NO."},
		{curie, memory.KindOutcome, "On “Shall we adopt NATS?” the council resolved “We do.”."},
	}},
	"what an assessment names": {script{assess: council.Assessment{
		Constraints: []string{"Order is kept."}, Assumptions: []string{"Disks are honest."},
		Risks: []council.Risk{{Risk: "Latency", Mitigation: "Batches"}},
	}}, []want{
		{"", memory.KindAssumption, "Order is kept."}, {"", memory.KindAssumption, "Disks are honest."},
		{"", memory.KindRiskPattern, "Latency"},
	}},
	"an execution that awaits approval": {script{motion: installing, summary: executing("Install it")}, []want{
		{"", memory.KindOpenLoop, "What was decided on “Shall we adopt NATS?” awaits approval of its execution."},
		{"", memory.KindRiskPattern, "It may burn."},
	}},
	"an execution that needs no approval": {
		script{motion: installing, summary: executing("Install it"), edit: func(c *council.Charter) {
			documented(c)
			c.Execution.RequireHumanApproval = false
		}}, []want{{"", memory.KindConstraint, "It does not burn."}}},
	"an approval": {script{motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{council.ExecutionApproved{By: "Grace", Note: "Slowly."}}}, []want{
		{"", memory.KindConstraint, "It does not burn."}, {"", memory.KindPreference, "Slowly."},
	}},
	"a rejection with a reason": {script{motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{council.ExecutionRejected{By: "Grace", Reason: "Too dear."}}}, []want{
		{"", memory.KindOutcome, "Grace rejected what was decided on “Shall we adopt NATS?”."},
	}},
	"a rejection without": {script{motion: installing, summary: executing("Install it"),
		rulings: []council.Ruling{council.ExecutionRejected{By: "Grace"}}}, []want{
		{"", memory.KindOutcome, "Grace rejected what was decided on “Shall we adopt NATS?”."},
	}},
	"a brief that is amended": {script{motion: installing, summary: executing("Install it"), rulings: []council.Ruling{
		council.BriefAmended{By: "Grace", Brief: council.Brief{Objective: "Lease it",
			Risks: []council.BriefRisk{{Risk: "It may be dear."}}}},
	}}, []want{{"", memory.KindPreference, "Grace had it done otherwise: Lease it"},
		{"", memory.KindRiskPattern, "It may be dear."}}},
	"an execution that succeeds": {script{motion: installing, summary: executing("Install it"), rulings: carriedOut(true)},
		[]want{{"", memory.KindOutcome, "“Install it” was carried out."}}},
	"an execution that fails": {script{motion: installing, summary: executing("Install it"), rulings: carriedOut(false)},
		[]want{
			{"", memory.KindOutcome, "“Install it” was tried and failed."}, {"", memory.KindLesson, "An execution failed."},
		}},
	"nothing resolved": {script{}, []want{
		{"", memory.KindOpenLoop, "Nothing was resolved on “Shall we adopt NATS?”."},
		{"", memory.KindLesson, "Phase “decide” ended without a resolution: everybody passed."},
		{ada, memory.KindOutcome, "On “Shall we adopt NATS?” nothing was resolved."},
	}},
	"rounds that run out": {script{motion: council.Turn{Action: council.ActionContribute, Message: "Hm."}}, []want{
		{"", memory.KindLesson, "Phase “decide” ended without a resolution: its rounds ran out."},
	}},
	"what a phase requires and does not show": {
		script{edit: func(c *council.Charter) { c.Phases[0].Deliverables[0].Required = true }}, []want{
			{"", memory.KindLesson, "Phase “decide” did not show what was required: deliverable result."},
		}},
	"too many phases": {script{edit: func(c *council.Charter) {
		c.SessionPolicy.MaxPhaseTransitions = 1
		c.Phases = append(c.Phases, phase("again"))
		c.Phases[0].Transitions = []council.Transition{{To: "again", When: council.TriggerAlways}}
		c.Phases[1].Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
	}},
		[]want{{"", memory.KindLesson,
			"The session went to its closing because it had gone through as many phases as it may."}}},
	"a vote without a quorum": {script{motion: moves("T", "D."), faults: map[string]council.FaultKind{
		"p1.r1.t1.ballot.boole": council.FaultRefusal, "p1.r1.t1.ballot.curie": council.FaultUnparsable,
	}}, []want{{ada, memory.KindOutcome, "Its motion “T” had no quorum, 1 YES to 0 NO, 2 neither."}}},
	"a motion that is lost": {script{motion: moves("T", "D."),
		lines: no("p1.r1.t1.ballot.boole", "p1.r1.t1.ballot.curie")}, []want{
		{ada, memory.KindOutcome, "Its motion “T” was lost, 1 YES to 2 NO."},
	}},
	"a motion that dies": {script{motion: moves("T", "D."), lines: map[string]council.Body{
		"p1.r1.t1.second.boole": council.Second{}, "p1.r1.t1.second.curie": council.Second{},
	}}, []want{{ada, memory.KindOutcome, "Its motion “T” died for want of a second."}}},
	"a document that nobody writes": {script{edit: documented, faults: map[string]council.FaultKind{
		"d1.draft.ada": council.FaultRefusal, "d1.draft.boole": council.FaultRefusal, "d1.draft.curie": council.FaultRefusal,
	}}, []want{{"", memory.KindOpenLoop, "No document was written on “Shall we adopt NATS?”."}}},
	"a document that is not approved": {blocked(), []want{
		{"", memory.KindOpenLoop, "The document on “Shall we adopt NATS?” stands unapproved."},
		{"", memory.KindLesson, "A draft of the document was not approved."},
		{"", memory.KindOpenLoop, "No test."},  // put off
		{"", memory.KindOpenLoop, "No date."},  // never answered
		{"", memory.KindRiskPattern, "No map"}, // accepted, and yet it stood in the way
		{boole, memory.KindRiskPattern, "No test."},
	}},
	"a position, what only its member knew, and a dissent": {
		script{motion: moves("T", "D."), lines: map[string]council.Body{
			"position.boole":        council.Position{Position: "No.", Confidence: 0.8, Overlooked: []string{"It burnt once."}},
			"p1.r1.t1.ballot.boole": council.Ballot{Ballot: council.ChoiceNo},
			"dissent.boole":         council.Dissent{Dissent: "It will burn."},
		}}, []want{
			{boole, memory.KindPreference, "No."}, {boole, memory.KindAssumption, "It burnt once."},
			{boole, memory.KindPreference, "It will burn."}, {"", memory.KindRiskPattern, "It will burn."},
		}},
}

var installing = moves("Install", "We install it.")

func executing(objective string) council.Summary {
	return council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
		ExecutionBrief: &council.Brief{
			Objective: objective,
			Risks:     []council.BriefRisk{{Risk: "It may burn."}}, AcceptanceCriteria: []string{"It does not burn."},
		}}
}

func carriedOut(well bool) []council.Ruling {
	return []council.Ruling{
		council.ExecutionApproved{By: "Grace"}, council.ExecutionStarted{By: "builder"},
		council.ExecutionFinished{By: "builder", Succeeded: well, Note: "So it is."},
	}
}

// blocked returns a session whose document is rejected twice, with blockers that are accepted, put off and not
// answered.
func blocked() script {
	lines := no("d1.ballot.boole", "d1.ballot.curie", "d2.ballot.boole", "d2.ballot.curie")
	lines["d1.review.boole"] = council.Review{CriticalBlockers: []council.Blocker{
		{Problem: "No map", RequiredChange: "Maps must be given."}, {Problem: "No test.", RequiredChange: "Test."},
		{Problem: "No joke.", RequiredChange: "Laugh."},
	}}
	lines["d2.review.curie"] = council.Review{CriticalBlockers: []council.Blocker{{Problem: "No date."}}}
	return script{edit: documented, lines: lines,
		drafts: []council.Draft{{Markdown: "# 1"}, {Markdown: "# 2", Responses: []council.BlockerResponse{
			{BlockerID: "d1.boole.b1", Answer: council.AnswerAccepted},
			{BlockerID: "d1.boole.b2", Answer: council.AnswerDeferred},
			{BlockerID: "d1.boole.b3", Answer: council.AnswerRejected},
		}}}}
}

func TestFold_YieldsOfEvents(t *testing.T) {
	kinds := map[memory.Kind]bool{}
	for name, row := range yields {
		t.Run(name, func(t *testing.T) {
			s := held(t, row.script)
			for _, w := range row.want {
				if !slices.ContainsFunc(s.books[w.book].Records, func(r memory.Record) bool {
					return r.Kind == w.kind && r.Status == memory.StatusActive && strings.HasPrefix(r.Summary, w.summary)
				}) {
					t.Errorf("the book of %q holds no %s %q:\n%s", w.book, w.kind, w.summary, told(s.books[w.book]))
				}
				kinds[w.kind] = true
			}
		})
	}
	for _, k := range memory.Kinds() {
		check.That(t, kinds[k], "nothing here yields a %s", k)
	}
}

func TestDecision_OnlyFinalResolutions(t *testing.T) {
	second := moves("Second", "D2.")
	second.Supersedes = []council.MotionID{"p1.r1.t1"}
	s := held(t, script{motion: moves("Lost", "D."), lines: no("p1.r1.t1.ballot.boole", "p1.r1.t1.ballot.curie")},
		script{motion: moves("First", "D1."),
			edit:  func(c *council.Charter) { c.Phases[0].StopConditions.EndOnMajorityVote = false },
			lines: map[string]council.Body{"p1.r1.t2.turn.boole": second, "p1.r1.t3.turn.curie": moves("Third", "D3.")}})
	var decisions []string
	for _, r := range s.books[""].Records {
		if r.Kind == memory.KindDecision {
			decisions = append(decisions, r.Summary)
		}
	}
	check.Equal(t, "decisions", []string{"Second: D2.", "Third: D3."}, decisions)
}

func TestDecision_Confidence(t *testing.T) {
	for _, c := range []struct {
		what string
		script
		want float64
	}{
		{"all say YES", script{}, 1},
		{"one says NO", script{lines: no("p1.r1.t1.ballot.curie")}, 0.67},
		{"one is absent", script{faults: map[string]council.FaultKind{"p1.r1.t1.ballot.curie": council.FaultRefusal}}, 0.67},
	} {
		c.motion = moves("Adopt", "We do.")
		check.Is(t, c.what, c.want, held(t, c.script).find(t, "", "Adopt").Confidence)
	}
}

func TestBlocker_DeferredStaysOpen(t *testing.T) {
	sc := blocked()
	for _, r := range held(t, sc).books[""].Records {
		if r.Kind == memory.KindOpenLoop && (strings.Contains(r.Summary, "joke") || strings.Contains(r.Summary, "map")) {
			t.Errorf("%q was answered and is open", r.Summary)
		}
	}
	delete(sc.lines, "d2.ballot.boole")
	delete(sc.lines, "d2.ballot.curie")
	sc.drafts[1].Responses = sc.drafts[1].Responses[1:2] // the other two are passed over
	var open []string
	for _, r := range held(t, sc).books[""].Records {
		if slices.Contains(r.Tags, "loop:blocker") {
			open = append(open, r.Summary)
		}
	}
	check.Equal(t, "open matters", []string{"No test."}, open)
}

func TestBlocker_CouncilKeepsTwelve(t *testing.T) {
	sc := script{edit: documented, lines: no("d1.ballot.ada", "d1.ballot.boole", "d1.ballot.curie")}
	for i, m := range []council.MemberID{ada, boole, curie} {
		var review council.Review
		for j := range council.MaxBlockers {
			review.CriticalBlockers = append(review.CriticalBlockers,
				council.Blocker{Problem: strings.Repeat(string(rune('a'+5*i+j)), 9)})
		}
		sc.lines["d1.review."+string(m)] = review
	}
	s := held(t, sc)
	for m, want := range map[council.MemberID]int{"": 12, ada: 5, boole: 5, curie: 5} {
		n := 0
		for _, r := range s.books[m].Records {
			if slices.Contains(r.Tags, "blocker") {
				n++
			}
		}
		check.Is(t, "blockers as risks", want, n)
	}
}

func TestMemoryPolicy_AppliesByPhase(t *testing.T) {
	edit := func(first, second council.MemoryPolicy) func(*council.Charter) {
		return func(c *council.Charter) {
			c.Phases = []council.Phase{phase("decide"), phase("second")}
			c.Phases[0].Transitions = []council.Transition{{To: "second", When: council.TriggerAlways}}
			c.Phases[0].MemoryPolicy, c.Phases[1].MemoryPolicy = first, second
		}
	}
	councils, member := council.MemoryPolicy{WriteCouncilMemory: true}, council.MemoryPolicy{WriteMemberMemory: true}
	session := func(edit func(*council.Charter)) *store {
		return held(t, script{edit: edit, lines: map[string]council.Body{
			"p1.assess.ada":     council.Assessment{Constraints: []string{"First"}},
			"p2.assess.ada":     council.Assessment{Constraints: []string{"Second"}},
			"p1.r1.t1.turn.ada": moves("T1", "D1"), "p2.r1.t1.turn.ada": moves("T2", "D2"),
		}})
	}
	summaries := func(b memory.Book) string {
		var all []string
		for _, r := range b.Records {
			all = append(all, string(r.Kind)+" "+r.Summary)
		}
		return strings.Join(all, "; ")
	}
	for _, c := range []struct {
		name          string
		first, second council.MemoryPolicy
		council, ada  string
	}{
		{"the council first", councils, member, "outcome A finding, not a decision on “Shall we adopt NATS?”: T1: D1; " +
			"assumption First",
			"outcome Its motion “T2” was carried, 3 YES to 0 NO.; outcome On “Shall we adopt NATS?” the council resolved “D2”."},
		{"the members first", member, councils,
			"decision T2: D2; assumption Second; outcome On “Shall we adopt NATS?” the council resolved “D2”.",
			"preference Undecided.; outcome Its motion “T1” was carried, 3 YES to 0 NO."},
		{"nobody", council.MemoryPolicy{}, council.MemoryPolicy{ReadMemberMemory: true}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := session(edit(c.first, c.second))
			check.Is(t, "the council remembers", c.council, summaries(s.books[""]))
			check.Is(t, "ada remembers", c.ada, summaries(s.books[ada]))
			if c.council == "" && s.books[""].Sessions != 0 {
				t.Error("a session that may leave nothing is counted")
			}
		})
	}
}
