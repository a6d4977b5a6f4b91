package member_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// memory is a log that lives as long as its test.
type memory struct{ events []council.Event }

func (m *memory) Append(e council.Event) error {
	m.events = append(m.events, e)
	return nil
}

// convene opens a session of three members with the given models.
func convene(t *testing.T, models ...council.Model) (*rules.Session, *memory) {
	t.Helper()
	c := council.Charter{
		CouncilName: "Test council", Purpose: "Decide small things.",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "discuss", MaxPhaseTransitions: 1,
			PhaseContextVerbosity: council.VerbosityFull},
		Phases: []council.Phase{{
			ID: "discuss", Goal: "Decide.", QualityGates: []string{"It can be undone"},
			Deliverables: []council.Deliverable{
				{ID: "decision", Description: "what is decided (in a line)", Required: true}},
			Governance:     council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "cast"},
			StopConditions: council.StopConditions{MaxRounds: 3, EndOnMajorityVote: true},
			EvidenceRequirements: council.EvidenceRequirements{MinCitations: 1, RequireExplicitAssumptions: true,
				RequireRiskRegister: true},
			Fallback: council.Fallback{Resolution: "None.", Action: council.FallbackEndSession},
		}},
		Output: council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 2,
			Sections: []string{"Decision", "Open questions"}},
		Deliberation: council.Deliberation{SealedPositions: true},
		Storage:      council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:    council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
	for i, m := range models {
		id := []string{"ada", "bob", "cyd"}[i]
		c.Members = append(c.Members, council.Member{ID: council.MemberID(id), Name: id, Role: "member",
			SystemPrompt: "Think.", Model: m})
	}
	opening := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, c))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	return s, &memory{[]council.Event{opening}}
}

// seats gives every member of a session its model and decorators, without waiting between tries.
func seats(t *testing.T, s *rules.Session) map[council.MemberID]engine.Member {
	t.Helper()
	quick := member.Policy{Tries: 30, Patience: time.Hour,
		Sleep: func(context.Context, time.Duration) error { return nil }}
	members := map[council.MemberID]engine.Member{}
	for _, seat := range s.Charter().Members {
		i := slices.IndexFunc(dialects, func(d dialect) bool {
			return d.model.Provider == seat.Model.Provider && d.model.API == seat.Model.API
		})
		m := check.Get(dialects[i].open(seat.Model, endpoint.Options{Getenv: environment}))(t)
		m = member.Retry(member.Timeout(m, member.Limits{Whole: time.Minute}, time.Now), quick)
		members[seat.ID] = member.NewSeat(m, prompt.NewConversation(prompt.Limits{}))
	}
	return members
}

func TestASeatPutsABadReplyBackToTheModel(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			server := serve(t, d,
				script{text: "I would say yes."},
				script{text: `{"position":"Yes."}`},
				script{text: `{"position":"Yes.","confidence":0.5,"overlooked":[]}`,
					usage: council.Usage{InputTokens: 5, OutputTokens: 2}})
			model := d.at(server.URL)
			s, _ := convene(t, model, model, model)
			ask := s.Ready().Asks[0]
			r := check.Get(seats(t, s)[ask.Member].Answer(t.Context(), s.View(ask)))(t)
			if position, ok := r.Body.(council.Position); !ok || position.Position != "Yes." || r.Usage.Calls != 3 {
				t.Fatalf("%+v, %v", r, r.Fault)
			}
			if _, err := s.Answer(r); err != nil {
				t.Error(err)
			}
			first, last := server.asked(0), server.asked(2)
			if len(last.Messages) != len(first.Messages)+4 || last.System != first.System {
				t.Errorf("%d messages became %d", len(first.Messages), len(last.Messages))
			}
			check.Is(t, "the repair shows", "I would say yes.", last.Messages[len(first.Messages)].Content)
		})
	}
}

func TestAimockServesASessionToAnApprovedDocument(t *testing.T) {
	address := aimock(t)
	chatting := council.Model{Provider: "openai", Model: "mock", BaseURL: address + "/v1"}
	messaging := council.Model{Provider: "anthropic", Model: "mock", BaseURL: address}
	s, log := convene(t, chatting, messaging, chatting)
	r, err := engine.Run(t.Context(), s, seats(t, s), log, engine.Options{})
	if err != nil || r.Outcome == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if !r.Outcome.Decided || r.Outcome.Documentation != council.DocumentationApproved || !r.Outcome.RequiresExecution {
		t.Errorf("%+v", r.Outcome)
	}
	for _, e := range log.events {
		if p, ok := e.Payload.(council.MemberFaulted); ok {
			t.Errorf("%s: %s", p.Ask, p.Fault.Error())
		}
		if p, ok := e.Payload.(council.PhaseEnded); ok && len(p.Missing)+len(p.BadCites) > 0 {
			t.Errorf("missing %q, bad citations %q", p.Missing, p.BadCites)
		}
	}
}
