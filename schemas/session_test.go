package schemas_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// script is a session that is played to its end, with every event held against its schemas on the way.
type script struct {
	*testing.T
	s     *rules.Session
	log   *wire.Writer
	all   []wire.Entry
	seen  map[council.EventType]bool
	reply func(a council.Ask) any // a council.Body or a *council.Fault
}

func sampleCharter(edit func(*council.Charter)) council.Charter {
	c := council.Charter{
		CouncilName: "Test council", Purpose: "To be tested.",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 2, PhaseContextVerbosity: "full"},
		Phases: []council.Phase{{
			ID: "decide", Goal: "Decide.", QualityGates: []string{"It is clear."}, PromptGuidance: []string{"Be brief."},
			Deliverables:   []council.Deliverable{{ID: "answer", Description: "An answer.", Required: true}},
			Governance:     council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "members", Quorum: 2},
			StopConditions: council.StopConditions{MaxRounds: 2, EndOnMajorityVote: true},
			Fallback:       council.Fallback{Resolution: "Nothing.", Action: council.FallbackEndSession},
		}},
		Output:              council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 1, Sections: []string{"Answer"}},
		Deliberation:        council.Deliberation{SealedPositions: true},
		Budget:              council.Budget{Tokens: 1_000_000},
		Storage:             council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:           council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
	warm := 0.5
	for _, id := range []council.MemberID{"ada", "bob", "cyn"} {
		c.Members = append(c.Members, council.Member{
			ID: id, Name: strings.ToUpper(string(id)), Role: "tester", SystemPrompt: "Test.", Traits: []string{"calm"},
			FocusWeights: map[string]float64{"risk": 0.5},
			Model: council.Model{Provider: "openai", Model: "m", BaseURL: "http://localhost:1/v1", Temperature: &warm,
				MaxTokens: 100, Headers: map[string]string{"X-Title": "t"},
				Auth: &council.Auth{Method: "command", Command: council.Printer{Shell: "print-key"}, CacheTTLSeconds: 1.5}},
		})
	}
	c.Members[0].Model.Auth = &council.Auth{Method: "oauth-device-code", ClientID: "c", Scopes: []string{"s"},
		DeviceAuthorizationEndpoint: "http://localhost:1/d", TokenEndpoint: "http://localhost:1/t"}
	c.Members[1].Model.Auth = &council.Auth{Method: "api-key-env", APIKeyEnv: "KEY"}
	if edit != nil {
		edit(&c)
	}
	return c
}

// play opens a session, rules what comes first and answers until it is closed or suspended.
func play(t *testing.T, seen map[council.EventType]bool, c council.Charter, reply func(council.Ask) any,
	first ...council.Ruling) *script {
	t.Helper()
	topic := council.Topic{Text: "Shall we?", Documents: []council.Document{council.NewDocument("a.md", "text")}}
	started := check.Get(rules.Open("s1", topic, c, reminders...))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	p := &script{T: t, s: s, log: wire.NewWriter("s1"), seen: seen, reply: reply}
	p.check(started)
	for _, r := range first {
		p.record(p.s.Rule(r))
	}
	p.run()
	return p
}

// reminders are what every session is given of memory.
var reminders = []council.Reminder{
	{Records: []council.Remembered{{ID: "r-1", Kind: "open_loop", Summary: "Who does it is open.", Date: "2026-05-12"}},
		Left: 1},
	{Member: "bob",
		Records: []council.Remembered{
			{ID: "r-2", Kind: "lesson", Summary: "Hurry.", Detail: "It was late.", Date: "2026-05-12"}}},
}

func (p *script) run() {
	p.Helper()
	for range 500 {
		ready := p.s.Ready()
		switch {
		case p.s.Suspended() != nil:
			return
		case ready.Event != nil:
			p.record(*ready.Event, nil)
		case len(ready.Asks) > 0:
			a := ready.Asks[0]
			r := council.Reply{Ask: a.ID, Usage: council.Usage{Model: "m", Calls: 1, InputTokens: 10, ElapsedMS: 5}}
			switch said := p.reply(a).(type) {
			case council.Amend: // the mover accepts the first amendment, and the others second all
				for _, proposed := range p.s.View(a).Proposed {
					if proposed.By != a.Member && (a.Member != p.s.View(a).Motion.Mover || len(said.Amendments) == 0) {
						said.Amendments = append(said.Amendments, proposed.ID)
					}
				}
				r.Body = said
			case council.Body:
				r.Body = said
			case *council.Fault:
				r.Fault = said
			}
			p.record(p.s.Answer(r))
		default:
			return
		}
	}
	p.Fatal("the session does not end")
}

func (p *script) rule(r council.Ruling) {
	p.Helper()
	p.record(p.s.Rule(r))
	p.run()
}

func (p *script) record(e council.Event, err error) {
	p.Helper()
	check.OK(p, err)
	check.OK(p, p.s.Apply(e))
	p.check(e)
}

// check holds an event, as it is written, against the schemas of events and of its type.
func (p *script) check(e council.Event) {
	p.Helper()
	p.seen[e.Type()] = true
	entry, line, err := p.log.Next(e, time.Unix(int64(e.Seq), 0), "00ff")
	check.OK(p, err)
	p.all = append(p.all, entry)
	text := strings.Trim(string(line), ",\n]")
	if err := schemas.Validate("event", []byte(text)); err != nil {
		p.Errorf("%v in %s", err, text)
	}
	payload := check.Get(json.Marshal(e.Payload))(p)
	if err := schemas.Validate(schemas.Event(string(e.Type())), payload); err != nil {
		p.Errorf("%v in %s", err, payload)
	}
}

// agreeable answers as a council does that decides, rejects its first draft and approves the second.
func agreeable(a council.Ask) any {
	switch a.Kind {
	case council.AskPosition:
		if a.Member == "cyn" {
			return &council.Fault{Kind: council.FaultRefusal, Message: "I cannot."}
		}
		return council.Position{Position: "Yes.", Confidence: 0.7, Overlooked: []string{"A fact."}}
	case council.AskNominate:
		return council.Nomination{Rationale: "Fair.", CandidateID: "ada"}
	case council.AskTurn:
		switch a.Member {
		case "ada":
			return council.Turn{Action: council.ActionContribute, Message: "I think so."}
		case "bob":
			return council.Turn{Action: council.ActionPass, Reason: "Nothing to add.", Note: "Hurry."}
		}
		return council.Turn{Action: council.ActionCallVote, MotionTitle: "Do it", MotionText: "Now.",
			DecisionIfPass: "It is done."}
	case council.AskReply:
		return council.Answer{Answer: "Four."}
	case council.AskSecond:
		return council.Second{Rationale: "Ripe.", Second: true}
	case council.AskBallot:
		if a.Member == "bob" || strings.Contains(string(a.ID), "d1") && a.Member == "cyn" {
			return council.Ballot{Rationale: "No.", Ballot: council.ChoiceNo}
		}
		return council.Ballot{Rationale: "Yes.", Ballot: council.ChoiceYes}
	case council.AskAssess:
		claims := []council.Claim{{ID: "answer", Claim: "Given.", Citations: []string{"e1", "e999"}, Met: true}}
		return council.Assessment{Deliverables: claims, QualityGates: claims, Assumptions: []string{"Time."},
			Risks: []council.Risk{{Risk: "Late.", Mitigation: "Start."}}, Constraints: []string{"No loss."},
			Citations: []string{"e2"}}
	case council.AskSummary:
		return council.Summary{SummaryMarkdown: "We agreed.", RequiresExecution: true,
			ExecutionBrief: &council.Brief{Objective: "Do it.", RecommendedExecutorProfile: "engineer",
				Motions: []string{"Do it"}, Steps: []council.Step{{Step: "Go."}}},
			Settles: []council.Settlement{{Record: "r-1", How: council.SettledResolved, Because: "Ada does it."}}}
	case council.AskDraft:
		return council.Draft{Markdown: "# Answer " + string(a.ID)}
	case council.AskReview:
		return council.Review{SuggestedChanges: []string{"Shorter."}, CriticalBlockers: []council.Blocker{{ID: "b1",
			Section: "Answer", Problem: "p", Impact: "i", RequiredChange: "c", Severity: "high"}}}
	case council.AskDissent:
		return council.Dissent{Dissent: "I disagree."}
	}
	return nil
}

func TestEveryEventOfRealSessionsMeetsItsSchemas(t *testing.T) {
	seen := map[council.EventType]bool{}
	brief := council.Brief{Objective: "Do it well.", RecommendedExecutorProfile: "engineer"}

	p := play(t, seen, sampleCharter(remembering), agreeable)
	p.rule(council.BriefAmended{By: "me", Brief: brief})
	sha := p.s.Handoff().BriefSHA256
	p.rule(council.ExecutionRejected{By: "me", BriefSHA256: sha, Reason: "Not yet."})
	p.rule(council.ExecutionApproved{By: "me", BriefSHA256: sha, Note: "Now."})
	p.rule(council.ExecutionStarted{By: "me", BriefSHA256: sha})
	p.rule(council.ExecutionFinished{By: "me", Succeeded: true, Note: "Done."})
	checkMemory(t, p.all)
	checkShelf(t, p.all)

	// Memory is searched, and has something to say.
	play(t, seen, sampleCharter(nil), agreeable, council.MemoryRecalled{Query: "it",
		Hits: []council.Recollection{{ID: "s0.e4", Kind: council.RecalledTurn, Session: "s0",
			Speaker: "Ada", Date: "2026-05-12", Text: "It was tried."}}})

	// Nobody seconds, and the leader cannot judge the phase.
	play(t, seen, sampleCharter(nil), func(a council.Ask) any {
		switch {
		case a.Kind == council.AskSecond:
			return council.Second{Rationale: "Too early."}
		case a.Kind == council.AskAssess && a.Member == "ada":
			return &council.Fault{Kind: council.FaultUnparsable, Message: "No JSON."}
		}
		return agreeable(a)
	})

	// The council chooses between options.
	play(t, seen, sampleCharter(func(c *council.Charter) { c.Options = []string{"a", "b"} }), func(a council.Ask) any {
		switch a.Kind {
		case council.AskPosition:
			if a.Member == "ada" {
				return council.Position{Position: "c.", Confidence: 0.7, UnreadRanking: []string{"c"}}
			}
			return council.Position{Position: "b.", Confidence: 0.7, Ranking: council.Ranks{{"b"}, {"a", council.NoneOfThese}}}
		case council.AskTurn:
			return council.Turn{Action: council.ActionPass, Reason: "Nothing to add."}
		case council.AskRank:
			return council.Ranked{Rationale: "So.", Ranking: council.Ranks{{"b"}}}
		}
		return agreeable(a)
	})

	// The council votes at once, on answers that its leader proposes.
	play(t, seen, sampleCharter(func(c *council.Charter) {
		c.Deliberation.Pace = council.PaceAuto
		charter.SetPace(c)
	}), func(a council.Ask) any {
		switch a.Kind {
		case council.AskPosition:
			return council.Position{Position: "Yes.", Confidence: 0.7, Counter: "No.", ChangeMind: "Costs.", Stance: "Do it",
				CandidateID: "bob"}
		case council.AskPropose:
			return council.Answers{Crux: "When?", Answers: []council.Held{{Answer: "Do it", HeldBy: []council.MemberID{"ada",
				"bob", "cyn"}}}, Text: "It is done.", Summary: council.Summary{SummaryMarkdown: "We agreed.",
				RequiresExecution: true, ExecutionBrief: &council.Brief{Objective: "Do it.",
					RecommendedExecutorProfile: "engineer", Steps: []council.Step{{Step: "Go."}}}}}
		case council.AskRank:
			ranking := council.Ranks{{"Do it"}}
			if a.Member == "cyn" {
				ranking = council.Ranks{{council.NoneOfThese}}
			}
			return council.Ranked{Rationale: "So.", Ranking: ranking, Blockers: []string{"By when?"}, Missing: "Wait"}
		case council.AskBallot:
			return council.Ballot{Rationale: "No.", Ballot: council.ChoiceNo, CriticalBlockers: []council.Blocker{{ID: "b1",
				Section: "Answer", Problem: "p", Impact: "i", RequiredChange: "c", Severity: "high"}}}
		}
		return agreeable(a)
	})

	// A member asks another one.
	play(t, seen, sampleCharter(func(c *council.Charter) { c.Phases[0].StopConditions.MaxQuestions = 1 }),
		func(a council.Ask) any {
			if a.Kind == council.AskTurn && a.Member == "ada" {
				return council.Turn{Action: council.ActionAsk, To: "bob", Question: "How many?"}
			}
			return agreeable(a)
		})

	// Two members move at once, and the positions elect.
	play(t, seen, sampleCharter(func(c *council.Charter) {
		c.Deliberation.ElectWithPositions, c.Phases[0].Turns = true, council.TurnsTogether
	}), func(a council.Ask) any {
		switch {
		case a.Kind == council.AskPosition:
			return council.Position{Position: "Yes.", Confidence: 0.7, CandidateID: "bob"}
		case a.Kind == council.AskRank:
			return council.Ranked{Rationale: "So.", Ranking: council.Ranks{{"Do it (motion 2)"}}}
		case a.Kind == council.AskTurn && a.Member != "bob":
			return council.Turn{Action: council.ActionCallVote, MotionTitle: "Do it", MotionText: "Now.",
				DecisionIfPass: "Done."}
		}
		return agreeable(a)
	})

	// A motion is debated, and amended by its mover and by a vote.
	play(t, seen, sampleCharter(func(c *council.Charter) {
		c.Phases[0].Governance.Debate, c.Phases[0].Governance.MaxAmendments = true, 2
	}), func(a council.Ask) any {
		switch {
		case a.Kind == council.AskSecond && a.Member == "ada":
			return council.Second{Rationale: "Later.", Stand: council.StandAmend, Second: true,
				Amendment: &council.Amendment{Strike: "Now", Insert: "In May"}}
		case a.Kind == council.AskSecond:
			return council.Second{Rationale: "No.", Stand: council.StandAmend, Second: true, Amendment: &council.Amendment{
				Substitute: &council.Wording{MotionTitle: "Leave it", MotionText: "Never.", DecisionIfPass: "It is left."}}}
		case a.Kind == council.AskAmend:
			return council.Amend{Rationale: "So."}
		}
		return agreeable(a)
	})

	// The provider is down, the budget grows, and then somebody has had enough.
	p = play(t, seen, sampleCharter(nil), func(council.Ask) any {
		return &council.Fault{Kind: council.FaultTransport, Message: "connection refused"}
	})
	p.rule(council.NoteGiven{By: "me", Text: "The budget was cut."})
	p.rule(council.BudgetAmended{By: "me", Budget: council.Budget{Tokens: 9, Minutes: 1.5}})
	p.rule(council.ServerMoved{By: "me", Member: "ada", BaseURL: "http://192.168.1.7:11434/v1"})
	p.rule(council.MembersExcluded{By: "me", Members: []council.MemberID{"ada"}})
	p.rule(council.SessionResumed{By: "me"})
	p.rule(council.SessionAdjourned{By: "me", Reason: "Enough."})

	for _, eventType := range council.EventTypes() {
		if !seen[eventType] {
			t.Errorf("no session had a %s", eventType)
		}
	}
}

func TestTheRenderedArtifactsMeetTheirSchemas(t *testing.T) {
	checked := map[string]int{}
	for pattern, name := range map[string]string{
		"session.json": "session", "documentation.review.v*.json": "review",
		"documentation.unresolved-blockers.json": "blockers", "execution-handoff.json": "handoff",
	} {
		paths := check.Get(filepath.Glob("../recorder/render/testdata/*/" + pattern))(t)
		for _, path := range paths {
			doc := check.Get(os.ReadFile(path))(t)
			checked[name]++
			if err := schemas.Validate(name, doc); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if checked[name] == 0 {
			t.Errorf("no %s to check", pattern)
		}
	}
}

func TestTheLinesOfAConversationMeetTheirSchema(t *testing.T) {
	at := wire.Stamp(time.Unix(1, 0))
	sha := council.Digest("x")
	tape := conversation.New("s1", "ada")
	text := check.Get(tape.Next(
		conversation.Line{Role: conversation.RoleSystem, SharedSHA256: sha, Persona: "You are Ada."},
		conversation.Line{Role: conversation.RoleUser, Ask: "a1", Try: 1, PromptSHA256: sha, At: at,
			Messages: []conversation.Message{{Role: "user", Content: "What?"}}},
		conversation.Line{Role: conversation.RoleAssistant, Ask: "a1", Try: 1, Stop: "end", At: at, LatencyMS: 5,
			Content: conversation.Text("That."),
			Usage:   council.Usage{Model: "m", Calls: 1}, Configured: &conversation.Model{Provider: "openai", Model: "m"},
			Reported: "m-1", RequestID: "r1"},
		conversation.Line{Role: conversation.RoleFault, Ask: "a2", Try: 1, At: at,
			Fault: &council.Fault{Kind: council.FaultTimeout}},
	))(t)
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if err := schemas.Validate("conversation", []byte(line)); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
	}
	if err := schemas.Validate("conversation",
		fmt.Appendf(nil, `{"type": "user", "ask": "a", "sum": %q}`, sha)); err == nil {
		t.Error("a question without its time was accepted")
	}
}
