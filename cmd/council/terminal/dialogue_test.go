package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// asking returns a question to the first of three members.
func asking(kind council.AskKind) council.View {
	c := counciltest.Charter(3, 1, "")
	c.Members[0].Name, c.Members[0].Role = "Kim", "operator"
	c.Members[1].ID, c.Members[1].Name = "mo", "Mo"
	c.Phases[0].QualityGates = []string{"It is tested"}
	v := council.View{
		Session: "s1", Ask: council.Ask{ID: council.AskID(kind) + ".m1", Kind: kind,
			Member: "m1"}, Charter: &c, Seat: &c.Members[0],
		Topic: &council.Topic{Text: "Shall we?"}, Phase: &c.Phases[0], Round: 1, Turn: 1,
		Motion: &council.Motion{ID: "p1.r1.t2", Mover: "mo", Title: "Keep", Text: "That we keep it.", Decision: "It stays."},
		Memory: []council.Reminder{{Records: []council.Remembered{{ID: "r-1", Summary: "We use NATS.", Date: "2026-05-12"}}}},
	}
	switch kind {
	case council.AskTurn:
		c.Deliberation.Convener, v.MayAsk, v.Standing = true, true, []council.MotionID{"p1.r1.t1"}
		v.Events = []council.Event{
			{Seq: 1, Actor: "mo", Payload: council.MotionMade{Motion: "p1.r1.t1", MotionTitle: "Keep"}},
		}
	case council.AskReply:
		v.Question = &council.Question{By: "mo", To: "m1", Text: "What does it cost?"}
	case council.AskRank:
		v.Motion.Options = []string{"NATS", "Kafka"}
	case council.AskDraft, council.AskReview:
		v.Draft = &council.DraftWritten{DraftRef: council.DraftRef{Version: 1},
			Draft: council.Draft{Markdown: "# Old\n\nText."}}
	}
	if kind == council.AskDraft {
		v.Blockers = []council.Blocker{{ID: "d1.mo.b1", Section: "Costs", Problem: "None named", Impact: "Nobody knows",
			RequiredChange: "Name them", Severity: "high"}}
	}
	return v
}

// say asks somebody who types the given lines, and returns what the terminal shows.
func say(t *testing.T, v council.View, lines ...string) (council.Body, string, error) {
	t.Helper()
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader(strings.Join(lines, "\n"))), &out)
	body, err := talk.Ask(t.Context(), v)
	return body, out.String(), err
}

// dialogue is what somebody types in answer to a question, the answer that comes of it, and what is shown meanwhile.
type dialogue struct {
	v     council.View
	typed []string
	want  council.Body
	shown []string // ! before words that are not
}

func holdDialogues(t *testing.T, all map[string]dialogue) {
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			body, shown, err := say(t, test.v, test.typed...)
			if err != nil {
				t.Fatalf("%v\n%s", err, shown)
			}
			check.Equal(t, "it", test.want, body, cmpopts.EquateEmpty())
			check.NeverSays(t, shown, `{"`)
			for _, words := range test.shown {
				if not, ok := strings.CutPrefix(words, "!"); ok {
					check.NeverSays(t, shown, not)
				} else {
					check.Says(t, shown, words)
				}
			}
		})
	}
}

func TestDialogue_EveryQuestionIsAnsweredInPlainWords(t *testing.T) {
	holdDialogues(t, map[string]dialogue{
		"a position": {asking(council.AskPosition), []string{"Keep it.", "It works.", ".", "120", "70 %",
			"Nobody has run a broker.", "", "yes"},
			council.Position{Position: "Keep it.\nIt works.", Confidence: 0.7, Overlooked: []string{"Nobody has run a broker."}},
			[]string{"A question for Kim (operator).", "The topic: Shall we?", "from 2026-05-12 (r-1): We use NATS.",
				"0 to 100, please"}},
		"a vote for a leader": {asking(council.AskNominate), []string{"m", "mo", "", "She knows.", "y"},
			council.Nomination{Rationale: "She knows.", CandidateID: "mo"},
			[]string{"m1           Kim (operator, you)", "One of these words"}},
		"a contribution": {asking(council.AskTurn), []string{"c", ".", "Look at the costs.", ".", "yes"},
			council.Turn{Action: council.ActionContribute, Message: "Look at the costs."},
			[]string{"Round 1 of 1 of phase explore", "carries with 2 YES of 3 members", "There is nothing yet."}},
		"a pass": {asking(council.AskTurn), []string{"pass", "Heard enough.", "", "yes"},
			council.Turn{Action: council.ActionPass, Reason: "Heard enough."}, nil},
		"a motion": {asking(council.AskTurn), []string{"motion", "Keep", "That we keep it.", ".", "It stays.", "no", "yes"},
			council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "That we keep it.",
				DecisionIfPass: "It stays."}, nil},
		"a motion that replaces another": {asking(council.AskTurn),
			[]string{"motion", "Move", "That we do.", ".", "We move it.", "yes", "yes"},
			council.Turn{Action: council.ActionCallVote, MotionTitle: "Move", MotionText: "That we do.",
				DecisionIfPass: "We move it.", Supersedes: []council.MotionID{"p1.r1.t1"}},
			[]string{"“Keep” carried and stands. Does your motion replace it?"}},
		"a question": {asking(council.AskTurn), []string{"ask", "convener", "What may it cost?", ".", "yes"},
			council.Turn{Action: council.ActionAsk, To: council.Convener, Question: "What may it cost?"},
			[]string{"convener     the convener", "mo           Mo"}},
		"an answer": {asking(council.AskReply), []string{"40 euro.", ".", "yes"}, council.Answer{Answer: "40 euro."},
			[]string{"Mo asks: What does it cost?", "then the round goes on"}},
		"a second": {asking(council.AskSecond), []string{"no", "Too early.", "yes"}, council.Second{Rationale: "Too early."},
			[]string{"The motion, by Mo: Keep", "If it carries: It stays.", "Nobody sees your answer"}},
		"a ballot": {asking(council.AskBallot), []string{"", "maybe", "abs", "I was away.", "yes"},
			council.Ballot{Rationale: "I was away.", Ballot: council.ChoiceAbstain}, []string{"The motion, by Mo: Keep"}},
		"a ranking": {asking(council.AskRank), []string{"5", "2 > 1 = none", "It is simple.", "yes"},
			council.Ranked{Rationale: "It is simple.", Ranking: council.Ranks{{"Kafka"}, {"NATS", council.NoneOfThese}}},
			[]string{"The choice: Keep", "Kafka (option 2)", "none of these", `The entry "5" is not one of the options`}},
		"a ballot begun anew": {asking(council.AskBallot), []string{"YES", "/again", "NO", "Costs.", "no", "NO", "", "yes"},
			council.Ballot{Rationale: "Costs.", Ballot: council.ChoiceNo}, []string{"Once more.", "[Enter: Costs.]"}},
		"an assessment": {asking(council.AskAssess), []string{"yes", "It is there.", "e3, notes.md:2", "no",
			"There is no test.", "", "Time.", "", "Fire", "", "Water", "", "e1", "yes"},
			council.Assessment{
				Deliverables: []council.Claim{{ID: "result", Claim: "It is there.", Citations: []string{"e3", "notes.md:2"},
					Met: true}},
				QualityGates: []council.Claim{{ID: "It is tested", Claim: "There is no test."}}, Assumptions: []string{"Time."},
				Risks: []council.Risk{{Risk: "Fire", Mitigation: "Water"}}, Citations: []string{"e1"}},
			[]string{"Quality gate: It is tested: was it met?"}},
		"a summary": {asking(council.AskSummary), []string{"We talked.", ".", "yes", "", "Keep", "e3", "Wait", "", "",
			"It is there.", "", "superseded", "It is decided.", "yes"},
			council.Summary{SummaryMarkdown: "We talked.", RequiresExecution: true,
				ExecutionBrief: &council.Brief{Objective: "Keep", RecommendedExecutorProfile: "engineer", Motions: []string{"e3"},
					Steps: []council.Step{{Step: "Wait"}}, AcceptanceCriteria: []string{"It is there."}},
				Settles: []council.Settlement{{Record: "r-1", How: council.SettledSuperseded, Because: "It is decided."}}}, nil},
		"a revision": {asking(council.AskDraft), []string{".", "accepted", "They are named.", "no", "# New", ".", "rejected",
			"", "yes"},
			council.Draft{Markdown: "# New", Responses: []council.BlockerResponse{{BlockerID: "d1.mo.b1",
				Answer: council.AnswerRejected, Note: "They are named."}}},
			[]string{"    # Old", "d1.mo.b1 (Costs, high): None named", "a dot at once keeps what there is"}},
		"a review": {asking(council.AskReview), []string{"No costs", "", "Costs", "Nobody knows", "Name them", "high",
			"Shorter", "", "yes"},
			council.Review{CriticalBlockers: []council.Blocker{{ID: "b1", Section: "Costs", Problem: "No costs",
				Impact: "Nobody knows", RequiredChange: "Name them", Severity: "high"}},
				SuggestedChanges: []string{"Shorter"}}, nil},
		"a pass that is too long": {asking(council.AskTurn),
			[]string{"pass", strings.Repeat("x", 2001), "", "pass", "Enough.", "", "yes"},
			council.Turn{Action: council.ActionPass, Reason: "Enough."}, []string{"That cannot be recorded."}},
		"a dissent that is too long, which is not cut": {asking(council.AskDissent),
			[]string{"yes", strings.Repeat("x", council.MaxDissent+1), ".", "yes", "Too dear.", ".", "yes"},
			council.Dissent{Dissent: "Too dear."}, []string{"dissent has 4001 characters"}},
		"a motion with help, shown before it is recorded": {asking(council.AskTurn),
			[]string{"motion", "/help", "Keep it", "It runs.", ".", "We keep it.", "no", "yes"},
			council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep it", MotionText: "It runs.",
				DecisionIfPass: "We keep it."},
			[]string{"/again begins the answer anew and keeps what was given", "What was asked is still open:\n> ",
				"Your answer:\n", "  motion title: Keep it\n", "  decision if pass: We keep it.\nRecord this answer?"}},
		"no dissent": {asking(council.AskDissent), []string{"no", "yes"}, council.Dissent{}, nil},
	})
}

func TestDialogue_LaterIsPossibleAtEveryPrompt(t *testing.T) {
	for _, typed := range [][]string{{"/later"}, {"YES", "/later"}, {"YES", "Because.", "/later"}, {}, {"YES"},
		{"YES", "Because."}} {
		_, shown, err := say(t, asking(council.AskBallot), typed...)
		if !errors.Is(err, member.ErrLater) || !strings.Contains(shown, "Kim answers later.") {
			t.Errorf("%q: %v\n%s", typed, err, shown)
		}
		if at := strings.LastIndex(shown, "> "); strings.Join(strings.Fields(shown[at:]), " ") != "> Kim answers later." {
			t.Errorf("%q: something is asked of somebody who has left: %q", typed, shown[at:])
		}
	}
}

func TestDialogue_NobodyIsCalledToAKeyboardThatIsGone(t *testing.T) {
	var out strings.Builder
	talk := NewDialogue(NewKeyboard(strings.NewReader("")), &out)
	talk.Shared = true
	for range 2 {
		check.ErrorIs(t, "it", member.ErrLater, check.Err(talk.Ask(t.Context(), asking(council.AskBallot))))
	}
	if shown := out.String(); strings.Count(shown, "Press Enter") != 1 || strings.Count(shown, "Kim answers later.") != 2 {
		t.Errorf("%s", shown)
	}
}

// keys returns a keyboard on which a test types.
func keys(t *testing.T) (*Keyboard, func(string)) {
	in, typing := io.Pipe()
	t.Cleanup(func() { typing.Close() })
	return NewKeyboard(in), func(line string) {
		if _, err := io.WriteString(typing, line+"\n"); err != nil {
			t.Error(err)
		}
	}
}

// screen is what a terminal shows; many may write to it.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestDialogue_AWordForAQuestionThatIsGoneAnswersNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board, typing := keys(t)
		var out screen
		talk := NewDialogue(board, &out)
		ctx, moot := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := talk.Ask(ctx, asking(council.AskSecond))
			done <- err
		}()
		synctest.Wait()
		moot()
		if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(out.String(), "need not answer any more") {
			t.Fatalf("%v\n%s", err, out.String())
		}
		answer := make(chan council.Body)
		go func() {
			body, err := talk.Ask(t.Context(), asking(council.AskBallot))
			if err != nil {
				t.Error(err)
			}
			answer <- body
		}()
		for _, line := range []string{"yes", "NO", "It is dear.", "yes"} { // the first was meant as a second
			typing(line)
		}
		check.Is(t, "the vote", council.ChoiceNo, (<-answer).(council.Ballot).Ballot)
	})
}

func TestDialogue_SeveralPeopleAtOneTerminalAnswerOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board, typing := keys(t)
		var out screen
		talk := NewDialogue(board, &out)
		held := 0
		talk.Shared, talk.Hold = true, func() func() { held++; return func() { held-- } }
		votes := make(chan council.MemberID, 2)
		for _, id := range []council.MemberID{"m1", "mo"} {
			v := asking(council.AskBallot)
			v.Ask.Member, v.Seat = id, v.Charter.Member(id)
			go func() {
				if _, err := talk.Ask(t.Context(), v); err != nil {
					t.Error(err)
				}
				votes <- id
			}()
		}
		for range 2 {
			synctest.Wait()
			check.Is(t, "hold the terminal", 1, held)
			for _, line := range []string{"", "YES", "My secret.", "yes"} {
				typing(line)
			}
			<-votes
		}
		synctest.Wait()
		check.Is(t, "the terminal is given back", 0, held)
		parts := strings.Split(out.String(), Wipe)
		if len(parts) != 3 || strings.Contains(parts[1], "My secret.") && strings.Contains(parts[1], parts[0]) {
			t.Errorf("the first vote stays on the screen: %q", out.String())
		}
	})
}

func TestDialogue_AWishToStopIsAnAnswerLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		board, _ := keys(t)
		stop := make(chan struct{})
		var out screen
		talk := NewDialogue(board, &out)
		talk.Stop = stop
		done := make(chan error)
		go func() {
			_, err := talk.Ask(t.Context(), asking(council.AskBallot))
			done <- err
		}()
		synctest.Wait()
		close(stop)
		check.ErrorIs(t, "the answer", member.ErrLater, <-done)
	})
}
