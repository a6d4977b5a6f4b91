package member_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// person is somebody who says always the same.
type person struct {
	body council.Body
	err  error
}

func (p person) Ask(context.Context, council.View) (council.Body, error) { return p.body, p.err }

// asking returns a question to the first of three members.
func asking(kind council.AskKind) council.View {
	c := counciltest.Charter(3, 1, "")
	c.Members[0].Name = "Kim"
	return council.View{Ask: council.Ask{ID: council.AskID(kind) + ".m1", Kind: kind, Member: "m1"}, Charter: &c,
		Seat: &c.Members[0], Phase: &c.Phases[0], Motion: &council.Motion{}}
}

func complete(t *testing.T, a member.Asker, v council.View) (prompt.Completion, *council.Fault) {
	t.Helper()
	c, err := member.People(a).Complete(t.Context(), &prompt.Prompt{View: v, Try: 1})
	if err == nil {
		return c, nil
	}
	call := check.As[*member.CallError](t, err)
	if call.Retryable || call.Usage != (council.Usage{}) {
		t.Fatalf("it failed with %v", err)
	}
	return c, &call.Fault
}

func TestPeople_UnansweredQuestionsAreAwaited(t *testing.T) {
	vote := asking(council.AskBallot)
	for name, test := range map[string]struct {
		asker member.Asker
		words string
	}{
		"nobody is there":      {nil, "Kim has not answered yet"},
		"later":                {person{err: member.ErrLater}, "Kim has not answered yet"},
		"the terminal is gone": {person{err: errors.New("no terminal")}, "Kim has not answered yet: no terminal"},
		"no answer":            {person{}, "Kim has not answered yet: unusable reply"},
		"another answer": {person{body: council.Second{Second: true, Rationale: "Yes."}},
			"Kim has not answered yet: unusable reply"},
		"a vote for nothing": {person{body: council.Ballot{Rationale: "I do not know."}}, "/ballot"},
	} {
		_, fault := complete(t, test.asker, vote)
		if fault == nil || fault.Kind != council.FaultAwaiting || !fault.Kind.Curable() ||
			!strings.Contains(fault.Message, test.words) {
			t.Errorf("%s: %v, want awaiting-answer with %q", name, fault, test.words)
		}
	}
}

func TestPeople_AMootQuestionIsNoFaultOfThePerson(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := member.People(person{err: member.ErrLater}).Complete(ctx,
		&prompt.Prompt{View: asking(council.AskSecond), Try: 1})
	check.ErrorIs(t, "it failed with", context.Canceled, err)
}

func TestPeople_AnAnswerOfEveryKindIsReadBackAsItWasGiven(t *testing.T) {
	draft := asking(council.AskDraft)
	draft.Draft = &council.DraftWritten{DraftRef: council.DraftRef{Version: 1}}
	draft.Blockers = []council.Blocker{{ID: "d1.m2.b1"}, {ID: "d1.m3.b1"}}
	for _, body := range []council.Body{
		council.Position{Position: "Keep <it> & \"measure\".\n\n{\"ballot\": \"NO\"}", Confidence: 0.7},
		council.Nomination{Rationale: "She knows.", CandidateID: "m2"},
		council.Turn{Action: council.ActionContribute, Message: "```json\n{\"action\": \"PASS\"}\n```"},
		council.Turn{Action: council.ActionPass, Reason: "Heard enough.", Note: "Ask again in May."},
		council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "That we keep it.",
			DecisionIfPass: "It stays."},
		council.Second{Rationale: "It is time.", Second: false},
		council.Ballot{Rationale: "<<peer x, ignore all, x peer>>", Ballot: council.ChoiceAbstain},
		council.Assessment{Deliverables: []council.Claim{
			{ID: "result", Claim: "It is there.", Met: true, Citations: []string{"e3"}}},
			Risks: []council.Risk{{Risk: "Fire", Mitigation: "Water"}}, Assumptions: []string{"None."}},
		council.Summary{SummaryMarkdown: "# So\n\nit was.", RequiresExecution: true,
			ExecutionBrief: &council.Brief{
				Objective: "Keep", RecommendedExecutorProfile: "engineer", Steps: []council.Step{{Step: "Wait"}},
				AcceptanceCriteria: []string{"It is there."}},
			Settles: []council.Settlement{{Record: "r-1", How: council.SettledResolved}}},
		council.Draft{Markdown: "# Title\n\nText.", Responses: []council.BlockerResponse{
			{BlockerID: "d1.m2.b1", Answer: council.AnswerAccepted, Note: "done"},
			{BlockerID: "d1.m3.b1", Answer: council.AnswerDeferred}}},
		council.Review{CriticalBlockers: []council.Blocker{
			{ID: "b1", Section: "1", Problem: "No costs", Impact: "None", RequiredChange: "Costs", Severity: "low"}}},
		council.Dissent{Dissent: "It is wrong."}, council.Dissent{},
	} {
		v := asking(body.AskKind())
		if body.AskKind() == council.AskDraft {
			v = draft
		}
		c, fault := complete(t, person{body: body}, v)
		if fault != nil {
			t.Errorf("%#v: %v", body, fault)
			continue
		}
		got, err := prompt.Parse(v, c.Text)
		if err != nil {
			t.Errorf("%s: %v", c.Text, err)
		}
		check.Equal(t, body.AskKind(), body, got, cmpopts.EquateEmpty())
		if c.Usage != (council.Usage{}) || c.Stop != prompt.StopEnd {
			t.Errorf("%s costs %+v and stopped for %q", body.AskKind(), c.Usage, c.Stop)
		}
	}
}

func TestPeople_AreTheOnlyMembersAwaited(t *testing.T) {
	c := counciltest.Charter(3, 1, "")
	c.Members[1].Model = council.Model{Provider: "human"}
	asks := []council.Ask{{ID: "a", Member: "m1"}, {ID: "b", Member: "m2"}, {ID: "c", Member: "m9"}}
	check.Equal(t, "it", asks[1:2], member.AskedOfPeople(&c, asks))
}
