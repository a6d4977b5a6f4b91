package member_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
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
	c := counciltest.Charter(3, 3, "")
	c.SessionPolicy.MaxPhaseTransitions, c.SessionPolicy.PhaseContextVerbosity = 1, council.VerbosityFull
	c.DocumentationReview.Sections = []string{"Decision", "Open questions"}
	c.Phases = c.Phases[:1]
	p := &c.Phases[0]
	p.Transitions, p.Governance.CountOf, p.QualityGates = nil, "cast", []string{"It can be undone"}
	p.Deliverables = []council.Deliverable{{ID: "decision", Description: "what is decided (in a line)", Required: true}}
	p.EvidenceRequirements = council.EvidenceRequirements{MinCitations: 1, RequireExplicitAssumptions: true,
		RequireRiskRegister: true}
	for i, id := range []string{"ada", "bob", "cyd"} {
		c.Members[i].ID, c.Members[i].Name, c.Members[i].Model = council.MemberID(id), id, models[i]
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

func TestSession_AimockServesASessionToAnApprovedDocument(t *testing.T) {
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
	flawless(t, log)
}

// flawless fails the test if a member failed, or the assessment of a phase lacks something.
func flawless(t *testing.T, log *memory) {
	t.Helper()
	for _, e := range log.events {
		switch p := e.Payload.(type) {
		case council.MemberFaulted:
			t.Errorf("%s: %s", p.Ask, p.Fault.Error())
		case council.PhaseEnded:
			if len(p.Missing)+len(p.BadCites) > 0 {
				t.Errorf("missing %q, bad citations %q", p.Missing, p.BadCites)
			}
		}
	}
}

// sloppy answers in the forms that models fall into: three to each question, all with the same content.
func sloppy(r counciltest.Request, form int) string {
	in := func(forms ...string) string { return forms[form%len(forms)] }
	long := varied(5_800)
	switch r.Contract {
	case "reply_position":
		return in(`{"position": "Keep it.", "confidence": "0.8"}`,
			`{"position": "Keep it.", "confidence": 0.8, "overlooked": "It rains.", "mood": 1}`,
			"Sure:\n```json\n{\"position\": \"Keep\u2028it.\", \"confidence\": 0.8, \"overlooked\": []\n```")
	case "reply_nominate":
		return in(`{"candidateId": "Ada (architect)"}`, `{"rationale": "`+long+`", "candidateId": "ADA"}`,
			`{"candidateId": "ada"} {"candidateId": "ada", "rationale": "r"}`)
	case "reply_turn":
		return in(`{"action": "CALL VOTE", "motionTitle": "`+long+
			`", "motionText": "Keep it.", "decisionIfPass": "It stays."}`,
			`{"action": "call_vote", "motionText": "Keep it.", "message": "I move.", "reason": ""}`,
			`{"action": "Call-Vote.", "motionTitle": "Keep it", "motionText": "Keep it."`)
	case "reply_second":
		return map[string]string{"bob": `{"second": "no"}`}[r.Model] +
			map[string]string{"cyd": in(`{"second": "true"}`, `{"second": yes}`,
				`{"rationale": "r", "second": "Yes."}`)}[r.Model]
	case "reply_ballot": // cyd is against the motion, bob and cyd against the first draft
		if r.Model == "cyd" || r.Model == "bob" && r.Nth == 2 {
			return in(`{"ballot": "No."}`, `{"rationale": "r", "ballot": "no", "ballot": "no"}`,
				`My vote: {"rationale": "r", "ballot": "**NO**"}`)
		}
		return in(`{"rationale": "r", "ballot": "yes"`, `{"ballot": "Yes.", "confidence": "sure"}`,
			`{"rationale": ["a", "b"], "ballot": "YES"}`)
	case "reply_assess":
		return in(
			`{"deliverables": [{"id": "Decision.", "met": "yes", "citations": ["[e1]", "event e2"]}], "qualityGates": [{"id": "it can be undone.", "met": true, "citations": "e1, e2"}], "assumptions": "None", "risks": ["Flood"]}`,
			`{"deliverables": {"id": "decision", "met": true, "citations": ["e1-e3"]}, "qualityGates": [{"id": "gate-1", "met": "true", "citations": ["e1."]}], "assumptions": ["None"], "risks": [{"risk": "Flood"}], "citations": null}`)
	case "reply_summary":
		return in(
			`{"summaryMarkdown": "We keep it.", "requiresExecution": "false", "executionBrief": {"objective": "", "steps": []}}`,
			`{"summaryMarkdown": "We keep it."}`)
	case "reply_review":
		return in(`{"criticalBlockers": [{"problem": "No costs."}]}`,
			`{"criticalBlockers": ["1", "2", "3", "4", "5", "6"], "suggestedChanges": "x"}`,
			`{"criticalBlockers": [{"problem": "No costs.", "severity": "blocking", "owner": "bob"}]}`)
	case "reply_dissent":
		return in("I cannot support this: it names no costs.", `{"dissent": "`+long+`"}`,
			`{"dissent": "No.", "tone": "calm"}`)
	}
	return in("Here is the document:\n\n```markdown\n# The queue\n\n**Decision**\n\nx\n\n**Open questions:**\n\ny\n```",
		"# The queue\n\nDecision\n---\nx\n\n## Open questions (two)\n\ny\n\n**Responses to Blockers**\n\n"+
			"```json\n{\"responses\": {\"d1.bob.b1\": \"accept\"}}\n```",
		"# The queue\n\n## 1. Decision\n\n## 2. Open Questions\n\n{\"Responses\": {\"[bob.b1]\": \"accepted "+
			"(named)\", \"cyd.b1\": \"to be seen\",}}\n\nI hope this helps!")
}

// The counter is the server's own: a reply that is put back would be one call more than there are answers.
func TestSession_NothingUsableIsAskedForTwice(t *testing.T) {
	for form := range 3 {
		server := counciltest.NewServer(t, func(r counciltest.Request) string { return sloppy(r, form) })
		var models []council.Model
		for _, name := range []string{"ada", "bob", "cyd"} {
			models = append(models, council.Model{Provider: "openai", Model: name, BaseURL: server.URL})
		}
		s, log := convene(t, models...)
		r, err := engine.Run(t.Context(), s, seats(t, s), log, engine.Options{})
		if err != nil || r.Outcome == nil || !r.Outcome.Decided || r.Outcome.Documentation != council.DocumentationApproved {
			t.Fatalf("form %d: %+v, %v", form, r, err)
		}
		answers, shortened := 0, 0
		for _, e := range log.events {
			a, ok := e.Answered()
			if !ok {
				continue
			}
			answers++
			shortened += len(a.Shortened)
			if p, ok := e.Payload.(council.DraftWritten); ok {
				said := strings.ToLower(p.Markdown)
				if strings.Contains(said, "here is") || strings.Contains(said, "hope") ||
					p.Version == 2 && strings.Contains(said, "responses to") {
					t.Errorf("form %d: the document is %q", form, p.Markdown)
				}
				if form > 0 && p.Version == 2 && (len(p.Responses) < 2 || p.Responses[0].Answer != council.AnswerAccepted) {
					t.Errorf("form %d: %+v", form, p.Responses)
				}
			}
		}
		flawless(t, log)
		if calls := server.Calls.Load(); int(calls) != answers || answers < 20 {
			t.Errorf("form %d: %d calls for %d answers", form, calls, answers)
		}
		if (shortened > 0) != (form < 2) {
			t.Errorf("form %d: %d fields were cut", form, shortened)
		}
	}
}
