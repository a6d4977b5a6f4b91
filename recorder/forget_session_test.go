package recorder_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/wire"
)

// token returns a word that stands for one text of one answer, and for nothing else.
func token(ask council.AskID, field string) string {
	return "qx" + council.Digest(string(ask) + "/" + field)[:10]
}

// says answers with texts that tell where they come from.
func says(v council.View) string {
	say := func(field string) string { return "About " + token(v.Ask.ID, field) + " – I “mean” it." }
	switch v.Ask.Kind {
	case council.AskPosition:
		return fmt.Sprintf(`{"position":%q,"confidence":0.5,"overlooked":[%q,%q]}`, say("position"), say("known"),
			say("more"))
	case council.AskNominate:
		return fmt.Sprintf(`Here: {"rationale":%q,"candidateId":"ada"}`, say("rationale"))
	case council.AskTurn:
		switch {
		case v.Ask.Member == "cyn":
			return fmt.Sprintf(`{"action":"PASS","reason":%q,"note":%q}`, say("reason"), say("note"))
		case v.Ask.Member == "bob" && v.Round == 2:
			return fmt.Sprintf(`{"action":"CALL_VOTE","motionTitle":%q,"motionText":%q,"decisionIfPass":%q}`, say("title"),
				say("text"), say("decision"))
		}
		return fmt.Sprintf(`{"action":"CONTRIBUTE","message":%q}`, say("message")+"\n"+say("line"))
	case council.AskSecond:
		return fmt.Sprintf(`{"rationale":%q,"stand":"SUPPORT","second":true}`, say("rationale"))
	case council.AskBallot:
		choice := "YES"
		if v.Draft != nil && v.Draft.Version == 1 && v.Ask.Member != "ada" || v.Motion != nil && v.Ask.Member == "cyn" {
			choice = "NO"
		}
		return fmt.Sprintf(`{"rationale":%q,"ballot":%q}`, say("rationale"), choice)
	case council.AskAssess:
		return fmt.Sprintf(
			`{"deliverables":[{"id":"result","claim":%q,"citations":["e3","notes.md:2",%q],"met":true}],"qualityGates":[],
			"assumptions":[%q],"risks":[{"risk":%q,"mitigation":%q}],"constraints":[%q],"citations":["e2","nowhere"]}`,
			say("claim"), token(v.Ask.ID, "cite"), say("assumption"), say("risk"), say("mitigation"), say("constraint"))
	case council.AskSummary:
		return fmt.Sprintf(
			`{"summaryMarkdown":%q,"requiresExecution":true,"executionBrief":{"objective":%q,
			"recommendedExecutorProfile":"engineer","motions":[%q],"steps":[%q],"risks":[%q],"acceptanceCriteria":[%q]}}`,
			say("summary"), say("objective"), v.Standing[0], say("step"), say("risk"), say("criterion"))
	case council.AskDraft:
		draft := council.Draft{Markdown: "# Draft\n\n" + say("draft")}
		for _, b := range v.Blockers {
			draft.Responses = append(draft.Responses,
				council.BlockerResponse{BlockerID: b.ID, Answer: council.AnswerAccepted, Note: say("answer")})
		}
		return prompt.Text(draft)
	case council.AskReview:
		return fmt.Sprintf(
			`{"criticalBlockers":[{"id":"b1","section":%q,"problem":%q,"impact":%q,"requiredChange":%q,"severity":"high"}],
			"suggestedChanges":[%q]}`, say("section"), say("problem"), say("impact"), say("change"), say("suggestion"))
	}
	return fmt.Sprintf(`{"dissent":%q}`, say("dissent"))
}

// What the session was given, apart from what members say.
const (
	topicToken    = "qxtopic0001"
	documentToken = "qxdocument1"
	purposeToken  = "qxpurpose01"
	reminderToken = "qxreminder1"
	ownToken      = "qxownmemory"
	recallToken   = "qxrecalled1"
	noteToken     = "qxapproval1"
)

// spoken returns a workspace with the session of speak, and its log.
func spoken(t testing.TB) (*recorder.Root, string, []wire.Entry) {
	t.Helper()
	root, path := like(t, "spoken", func(root *recorder.Root) { speak(t, root) })
	return root, path, check.Get(root.Read(sessionID))(t)
}

// speak runs a session in which every kind of word is said, and has its brief approved.
func speak(t testing.TB, root *recorder.Root, limits ...prompt.Limits) {
	t.Helper()
	c := charter()
	c.Purpose = "To test " + purposeToken
	c.Phases[0].Deliverables = []council.Deliverable{{ID: "result", Description: "A result", Required: true}}
	c.Phases[0].MemoryPolicy.ReadMemberMemory = true
	topic := council.Topic{Text: "Shall we " + topicToken + "?",
		Documents: []council.Document{council.NewDocument("notes.md", "one\ntwo "+documentToken+"\nthree\n")}}
	remember := func(of council.MemberID, id, word string) council.Reminder {
		return council.Reminder{Member: of, Records: []council.Remembered{{ID: id, Kind: "decision",
			Summary: "We kept " + word + ".", Detail: "Because of " + word + ".", Date: "2026-11-01"}}}
	}
	h := check.Get(conveneOn(root, fixed, topic, c, remember("", "r-000000000001", reminderToken),
		remember("bob", "r-000000000002", ownToken)))(t)
	h.script = says
	for _, l := range limits {
		h.limits = l
	}
	recalled := check.Get(h.rules.Rule(council.MemoryRecalled{Query: topicToken, Hits: []council.Recollection{{
		ID: "20261101-081500-old-7f3k2a.e12", Kind: council.RecalledTurn, Session: "20261101-081500-old-7f3k2a",
		Speaker: "ADA", Date: "2026-11-01", Text: "Long ago " + recallToken + "."}}}))(t)
	check.OK(t, h.take(recalled))
	check.OK(t, h.sit())
	again := check.Get(reconvene(root, fixed))(t)
	sha := again.rules.Handoff().BriefSHA256
	approved := check.Get(again.rules.Rule(council.ExecutionApproved{By: "maria", BriefSHA256: sha,
		Note: "From Monday, " + noteToken + "."}))(t)
	check.OK(t, errors.Join(again.take(approved), again.record.Finalize(), again.record.Close()))
}

var tokenForm = regexp.MustCompile(`qx[0-9a-z]{9,10}`)

// tokensOf are those in a payload.
func tokensOf(t testing.TB, p council.Payload) []string {
	t.Helper()
	text := check.Get(wire.JSON(p))(t)
	found := tokenForm.FindAllString(string(text), -1)
	slices.Sort(found)
	return slices.Compact(found)
}
