package member_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
	"github.com/council-engine/council/internal/counciltest"
)

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
func TestNothingUsableIsAskedForTwice(t *testing.T) {
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
			switch p := e.Payload.(type) {
			case council.MemberFaulted:
				t.Errorf("form %d: %s: %s", form, p.Ask, p.Fault.Error())
			case council.DraftWritten:
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
		for _, e := range log.events {
			if p, ok := e.Payload.(council.PhaseEnded); ok && len(p.Missing)+len(p.BadCites) > 0 {
				t.Errorf("form %d: missing %q, bad citations %q", form, p.Missing, p.BadCites)
			}
		}
		if calls := server.Calls.Load(); int(calls) != answers || answers < 20 {
			t.Errorf("form %d: %d calls for %d answers", form, calls, answers)
		}
		if (shortened > 0) != (form < 2) {
			t.Errorf("form %d: %d fields were cut", form, shortened)
		}
	}
}
