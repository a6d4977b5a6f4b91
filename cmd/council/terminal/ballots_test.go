package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// askingAtOnce is asking at the pace auto. Mo leads, and proposed the options of the motion.
func askingAtOnce(kind council.AskKind, change func(*council.View)) council.View {
	v := asking(kind)
	v.Charter.Deliberation.Pace = council.PaceAuto
	v.Positions, v.Memory = []council.MemberID{"m1", "mo", "m3"}, nil
	change(&v)
	return v
}

func TestBallots_APersonAnswersEveryQuestionOfAVoteAtOnce(t *testing.T) {
	proposed := []council.Event{
		{Seq: 1, Payload: council.SessionStarted{}}, {Seq: 2, Actor: "mo", Payload: council.AnswersProposed{}},
		{Seq: 3, Payload: council.ChoicePut{Motion: "p1.choice", Options: []string{"NATS", "Kafka"}}},
	}
	brief := council.Brief{Objective: "Run it", RecommendedExecutorProfile: "engineer",
		Steps: []council.Step{{Step: "Buy"}}, AcceptanceCriteria: []string{"It runs."}}
	same := func(*council.View) {}
	holdDialogues(t, map[string]dialogue{
		"a position": {askingAtOnce(council.AskPosition, func(v *council.View) {
			v.Charter.DecidingPhase().PromptGuidance = []string{"Name a date."}
		}),
			[]string{"Keep it.", ".", "70", "It failed twice.", "A third time.", "yes"},
			council.Position{Position: "Keep it.", Confidence: 0.7, Counter: "It failed twice.", ChangeMind: "A third time."},
			[]string{"Take into account:\n      Name a date.\n", "strongest argument against it", "change your mind",
				"!What may the others overlook"}},
		"a position on options": {askingAtOnce(council.AskPosition, func(v *council.View) {
			v.Charter.Options = []string{"NATS", "Kafka"}
		}), []string{"NATS.", ".", "70", "", "", "NATS", "kafka", "Redis", "yes"},
			council.Position{Position: "NATS.", Confidence: 0.7, Ranking: council.Ranks{{"NATS"}}, Missing: "Redis"},
			[]string{"Your ranking is a ballot, and may decide.", `It cannot be added: it is the same as "Kafka".`}},
		"a spare's position": {askingAtOnce(council.AskPosition, func(v *council.View) {
			v.Options, v.Charter.Deliberation.ElectWithPositions = []string{"NATS", "Kafka"}, true
		}), []string{"NATS.", ".", "70", "", "", "NATS", "yes"},
			council.Position{Position: "NATS.", Confidence: 0.7, Ranking: council.Ranks{{"NATS"}}},
			[]string{"The members that sit could not decide."}},
		"a proposal": {askingAtOnce(council.AskPropose, same), []string{"NATS", "nats.", "", "NATS", "Kafka", "", "2", "1",
			"2", "Who runs it?", "We take Kafka.", ".", "We talked.", ".", "yes", "", "Run it", "Buy", "", "", "It runs.", "",
			"yes"},
			council.Answers{Crux: "Who runs it?", Text: "We take Kafka.", Answers: []council.Held{
				{Answer: "Kafka", HeldBy: []council.MemberID{"m1", "m3"}},
				{Answer: "NATS", HeldBy: []council.MemberID{"mo"}}},
				Summary: council.Summary{SummaryMarkdown: "We talked.", RequiresExecution: true, ExecutionBrief: &brief}},
			[]string{"Give 1 to 5 answers that differ.", "To which answer does this position belong? Mo",
				"“Kafka” as a resolution"}},
		"a proposal of one answer": {askingAtOnce(council.AskPropose, same),
			[]string{"NATS", "", "", "We take NATS.", ".", "We talked.", ".", "no", "yes"},
			council.Answers{Text: "We take NATS.", Answers: []council.Held{
				{Answer: "NATS", HeldBy: []council.MemberID{"m1", "mo", "m3"}}},
				Summary: council.Summary{SummaryMarkdown: "We talked."}}, nil},
		"a ballot on a proposal": {askingAtOnce(council.AskRank, func(v *council.View) { v.Events = proposed }),
			[]string{"Kafka", "It keeps a log.", "Name a price.", "", "Redis", "yes"},
			council.Ranked{Ranking: council.Ranks{{"Kafka"}}, Rationale: "It keeps a log.",
				Blockers: []string{"Name a price."}, Missing: "Redis"},
			[]string{"What must change in the resolution “NATS”?"}},
		"a ballot in a round": {askingAtOnce(council.AskRank, same), []string{"NATS", "No evidence.", "yes"},
			council.Ranked{Ranking: council.Ranks{{"NATS"}}, Rationale: "No evidence."},
			[]string{"The council does not agree. Say why your own first choice holds against the strongest point"}},
		"a ballot for the proposal": {askingAtOnce(council.AskRank, func(v *council.View) { v.Events = proposed }),
			[]string{"NATS", "It is simple.", "", "yes"},
			council.Ranked{Ranking: council.Ranks{{"NATS"}}, Rationale: "It is simple."}, nil},
		"a NO to a draft": {askingAtOnce(council.AskBallot, func(v *council.View) {
			v.Motion, v.Draft = nil, &council.DraftWritten{Draft: council.Draft{Markdown: "# T\n\nText."}}
		}), []string{"NO", "No price.", "No price", "", "Costs", "Too dear", "Name it", "high", "yes"},
			council.Ballot{Ballot: council.ChoiceNo, Rationale: "No price.", CriticalBlockers: []council.Blocker{{ID: "b1",
				Section: "Costs", Problem: "No price", Impact: "Too dear", RequiredChange: "Name it", Severity: "high"}}},
			[]string{"What must change before you can approve it?"}},
	})
}

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

func TestBallots_PeopleAreAskedForStancesWhereModelsAre(t *testing.T) {
	long := strings.Repeat("ü", 201)
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
			[]string{"At most 200 characters, please.", "!Enter: ü"}},
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
func TestBallots_NothingThatIsAskedForCanForgeALine(t *testing.T) {
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

// vote returns a session in which m1 has moved, and the ballots of m1 and m2 are in, but not that of m3.
func vote(t *testing.T) *rules.Session {
	t.Helper()
	c := counciltest.Charter(3, 1, "")
	c.Deliberation.SealedPositions = false
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, c))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	for len(s.Events()) < 12 {
		next := s.Ready().Event
		if next == nil {
			next = reply(t, s)
		}
		check.OK(t, s.Apply(*next))
	}
	return s
}

// reply answers the first question that is open.
func reply(t *testing.T, s *rules.Session) *council.Event {
	t.Helper()
	a := s.Ready().Asks[0]
	body := map[council.AskKind]council.Body{
		council.AskNominate: council.Nomination{Rationale: "Why not?", CandidateID: "m1"},
		council.AskTurn: council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "Keep it.",
			DecisionIfPass: "Kept."},
		council.AskSecond: council.Second{Rationale: "Now.", Second: true},
		council.AskBallot: council.Ballot{Rationale: "My secret " + string(a.Member), Ballot: council.ChoiceYes},
	}[a.Kind]
	e := check.Get(s.Answer(council.Reply{Ask: a.ID, Body: body}))(t)
	return &e
}

// watch shows the rest of a vote after what it has shown before.
func watch(t *testing.T, s *rules.Session, v *View) (before, after string) {
	t.Helper()
	var out strings.Builder
	v.Out, v.Now = &out, func() time.Time { return time.Unix(0, 0) }
	stop := v.Begin(s.Events())
	for s.Ready().Event == nil {
		e := reply(t, s)
		check.OK(t, s.Apply(*e))
		v.Observe(*e)
	}
	stop()
	before = out.String()
	e := s.Ready().Event
	check.OK(t, s.Apply(*e))
	v.Observe(*e)
	return before, strings.TrimPrefix(out.String(), before)
}

func TestBallots_NobodyWhoWatchesSeesABallotBeforeAllAreIn(t *testing.T) {
	before, after := watch(t, vote(t), &View{})
	check.NeverSays(t, before, "secret")
	// The ballots before a session went on are shown too.
	if strings.Count(after, "My secret") != 3 ||
		!strings.HasSuffix(after, "The motion: carried, 3 YES, 0 NO (2 needed).\n") {
		t.Errorf("when all are in, this is shown:\n%s", after)
	}
}

func TestBallots_SinceTellsOnlyWhatTheMemberMayKnow(t *testing.T) {
	s := vote(t)
	view := s.View(s.Ready().Asks[0])
	view.Events = s.Events() // more than it may: the ballots are sealed all the same
	if got := Since(view, 0); strings.Contains(got, "secret") || !strings.Contains(got, "Member m1 moves: Keep") {
		t.Errorf("m3 is told:\n%s", got)
	}
	if got := Since(view, 8); strings.Contains(got, "moves") {
		t.Errorf("m3 is told again:\n%s", got)
	}
}
