package counciltest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

// Said is an event of a log written by hand: who said what, in which phase and round.
type Said struct {
	Phase   council.PhaseID
	Round   int
	Actor   council.MemberID
	Payload council.Payload
}

// LogOf puts events one after the other, seven seconds apart. Its clock stands in a zone that is not UTC.
func LogOf(id council.SessionID, all []Said) []wire.Entry {
	at := time.Date(2026, 11, 21, 9, 15, 0, 250_000_000, time.FixedZone("elsewhere", 3600))
	var log []wire.Entry
	for i, s := range all {
		seq := council.Seq(i + 1)
		log = append(log, wire.Entry{
			Event:   council.Event{Seq: seq, Phase: s.Phase, Round: s.Round, Actor: s.Actor, Payload: s.Payload},
			Session: id, ID: seq.ID(), Time: at.Add(time.Duration(i) * 7 * time.Second),
		})
	}
	return log
}

func chair(id council.MemberID, name string) council.Member {
	return council.Member{ID: id, Name: name}
}

func architects() council.Charter {
	return council.Charter{
		CouncilName: "Architecture council", Purpose: "Decide how the queue survives a crash",
		Members: []council.Member{chair("ada", "Ada Lovelace"), chair("boole", "George Boole"),
			chair("curie", "Marie Curie")},
		Execution: council.Execution{RequireHumanApproval: true},
	}
}

var queueBrief = council.Brief{
	Objective: "Write before acknowledging", Steps: []council.Step{{Step: "Add the log"}, {Step: "Measure the latency"}},
	Risks: []council.BriefRisk{{Risk: "Slower replies"}}, AcceptanceCriteria: []string{"A kill loses nothing"},
}

// WholeSession returns a session in which everything is said that can be said, up to its close.
func WholeSession() []Said {
	carried := council.Decision{Result: quorum.Carried, Count: quorum.Count{Yes: 2, No: 1}}
	first := &council.DraftRef{Version: 1}
	return []Said{
		{Payload: council.SessionStarted{Topic: council.Topic{
			Text: "# Queue\n\nShould the queue write to disk before it acknowledges?"}, Charter: architects()}},
		{Actor: "ada",
			Payload: council.PositionSealed{Position: council.Position{Position: "Write ahead.", Confidence: 0.8,
				Overlooked: []string{"I wrote the first version."}}}},
		{Actor: "boole",
			Payload: council.PositionSealed{Position: council.Position{Position: "Prove it first.", Confidence: 0.5}}},
		{Actor: "curie", Payload: council.MemberFaulted{Kind: council.AskPosition,
			Fault: council.Fault{Kind: council.FaultRefusal, Message: "I cannot help with that"}}},
		{Actor: "boole",
			Payload: council.LeaderBallotCast{
				Nomination: council.Nomination{Rationale: "She knows the code.", CandidateID: "ada"}}},
		{Payload: council.LeaderElected{Leader: "ada"}},
		{Phase: "decide", Payload: council.PhaseStarted{Phase: "decide", Visit: 1}},
		{Phase: "decide", Round: 1, Payload: council.RoundStarted{Round: 1, Of: 2}},
		{Phase: "decide", Round: 1, Actor: "curie",
			Payload: council.ContributionMade{Message: "Today we do the *second*.\n\x1b[31mNaïve\u202e 回答\n"}},
		{Phase: "decide", Round: 1, Actor: "boole",
			Payload: council.TurnPassed{Reason: "I want to hear the operator.", Note: "Later."}},
		{Phase: "decide", Round: 1, Actor: "ada", Payload: council.MotionMade{Motion: "p1.r1.t3", MotionTitle: "Write ahead",
			MotionText: "The queue writes ahead.", DecisionIfPass: "Write before acknowledging."}},
		{Phase: "decide", Round: 1, Actor: "boole", Payload: council.SecondAnswered{Motion: "p1.r1.t3",
			Second: council.Second{Rationale: "It can be measured.", Second: true}}},
		{Phase: "decide", Round: 1, Actor: "curie",
			Payload: council.SecondAnswered{Motion: "p1.r1.t3", Second: council.Second{Rationale: "It costs."}}},
		{Phase: "decide", Round: 1, Actor: "ada", Payload: council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t3"},
			Ballot: council.Ballot{Rationale: "Mine.", Ballot: council.ChoiceYes}}},
		{Phase: "decide", Round: 1, Actor: "curie", Payload: council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t3"},
			Ballot: council.Ballot{Rationale: "Latency doubles.", Ballot: council.ChoiceNo}}},
		{Phase: "decide", Round: 1, Payload: council.MotionDecided{Motion: "p1.r1.t3", Decision: carried}},
		{Phase: "decide", Actor: "ada", Payload: council.PhaseAssessed{Assessment: council.Assessment{
			Deliverables: []council.Claim{{ID: "options", Claim: "Two are on the table.", Met: true}},
			QualityGates: []council.Claim{{ID: "gate-1", Claim: "Only one does."}},
			Assumptions:  []string{"The disk is honest."},
			Risks:        []council.Risk{{Risk: "Latency", Mitigation: "Batch the writes."}},
			Constraints:  []string{"No new service."},
		}}},
		{Phase: "decide", Payload: council.PhaseEnded{Phase: "decide", Resolutions: []council.MotionID{"p1.r1.t3"}}},
		{Actor: "ada", Payload: council.SummaryWritten{
			Summary: council.Summary{SummaryMarkdown: "We chose **write ahead**.",
				FinalResolution: "Write before acknowledging.", RequiresExecution: true, ExecutionBrief: &queueBrief,
				Settles: []council.Settlement{
					{Record: "r-4k2m9qx7w3ab", How: council.SettledResolved, Because: "It was measured."}}},
			BriefSHA256: queueBrief.SHA256(),
		}},
		{Actor: "ada", Payload: council.DraftWritten{DraftRef: *first,
			Draft: council.Draft{Markdown: "# Write ahead\n\nThe queue writes first.\n"}}},
		{Actor: "boole", Payload: council.BallotCast{Subject: council.Subject{Draft: first},
			Ballot: council.Ballot{Rationale: "No numbers.", Ballot: council.ChoiceNo}}},
		{Actor: "boole", Payload: council.ReviewGiven{Version: 1,
			Review: council.Review{SuggestedChanges: []string{"Name the disk."}, CriticalBlockers: []council.Blocker{{
				ID: "d1.boole.b1", Section: "Risks", Problem: "No figure", Impact: "Nobody can plan.",
				RequiredChange: "Give a figure."}}}}},
		{Actor: "ada", Payload: council.DraftWritten{DraftRef: council.DraftRef{Version: 2},
			Draft: council.Draft{Markdown: "# Write ahead\n\n3 ms.\n",
				Responses: []council.BlockerResponse{
					{BlockerID: "d1.boole.b1", Answer: council.AnswerAccepted, Note: "Measured."}}}}},
		{Actor: "curie",
			Payload: council.DissentWritten{Dissent: council.Dissent{Dissent: "Three milliseconds is too much."}}},
		{Actor: "boole", Payload: council.DissentWritten{}},
		{Payload: council.SessionClosed{Outcome: council.Outcome{
			Ended: council.SessionCompleted, Leader: "ada", Decided: true, Documentation: council.DocumentationApproved,
			RequiresExecution: true,
			Resolutions: []council.Resolution{{Phase: "decide", Motion: "p1.r1.t3", Title: "Write ahead",
				Decision: "Write before acknowledging.", Yes: 2, No: 1}},
		}}},
	}
}

// LateRulings returns what people said of it later.
func LateRulings() []Said {
	other := queueBrief
	other.Steps = append([]council.Step{{Step: "Ask the operators"}}, queueBrief.Steps...)
	return []Said{
		{Payload: council.ExecutionApproved{By: "Grace", BriefSHA256: queueBrief.SHA256()}},
		{Payload: council.BriefAmended{By: "Grace", Brief: other, BriefSHA256: other.SHA256()}},
		{Payload: council.ExecutionApproved{By: "Grace", BriefSHA256: other.SHA256(), Note: "Go ahead."}},
		{Payload: council.ExecutionStarted{By: "builder", BriefSHA256: other.SHA256()}},
		{Payload: council.ExecutionFinished{By: "builder", Succeeded: true, Note: "Merged."}},
	}
}

// AdjournedSession returns a session that a person ended before anything was resolved.
func AdjournedSession() []Said {
	c := architects()
	c.Output = council.Output{Type: council.OutputDocumentation}
	return []Said{
		{Payload: council.SessionStarted{Topic: council.Topic{Text: "Shall we?"}, Charter: c}},
		{Phase: "decide", Payload: council.PhaseStarted{Phase: "decide", Visit: 1}},
		{Phase: "decide", Round: 1, Payload: council.RoundStarted{Round: 1, Of: 1}},
		{Phase: "decide", Round: 1, Actor: "ada",
			Payload: council.MotionMade{Motion: "p1.r1.t1", MotionTitle: "Do", MotionText: "Do it.", DecisionIfPass: "Done."}},
		{Phase: "decide", Round: 1, Payload: council.MotionDied{Motion: "p1.r1.t1"}},
		{Phase: "decide", Payload: council.PhaseEnded{Phase: "decide", Fallback: "All stays as it is."}},
		{Payload: council.SessionAdjourned{By: "Grace", Reason: "We have other work."}},
		{Payload: council.SessionClosed{
			Outcome: council.Outcome{Ended: council.SessionCutShort, Documentation: council.DocumentationMissing}}},
	}
}

// ForgottenSession returns the whole session after some of it was erased: as payloads that are gone, and as words.
func ForgottenSession() []Said {
	log := WholeSession()
	log[0].Payload, log[8].Payload, log[25].Payload = nil, nil, nil
	log[9].Payload = council.TurnPassed{Reason: "[forgotten]"}
	return log
}

// LongSession returns a session of nine members who talk for many rounds.
func LongSession(id council.SessionID, rounds int) []wire.Entry {
	c := architects()
	for i := range 6 {
		c.Members = append(c.Members, chair(council.MemberID(fmt.Sprintf("m%d", i)), fmt.Sprintf("Member %d", i)))
	}
	log :=
		[]Said{{Payload: council.SessionStarted{Topic: council.Topic{Text: strings.Repeat("How long? ", 500)}, Charter: c}}}
	for r := range rounds {
		for _, m := range c.Members {
			log = append(log,
				Said{Phase: "decide", Round: r + 1, Actor: m.ID,
					Payload: council.ContributionMade{Message: fmt.Sprintf("Round %d, %s: ", r+1, m.ID) +
						strings.Repeat("we talk on. ", 90)}})
		}
	}
	for i := range 40 {
		id := council.MotionID(fmt.Sprintf("p1.r1.t%d", i))
		log = append(log,
			Said{Phase: "decide", Actor: "ada", Payload: council.MotionMade{Motion: id, MotionTitle: strings.Repeat("Long ", 50),
				MotionText: "x", DecisionIfPass: strings.Repeat("“so” \\ ", 200)}},
			Said{Phase: "decide", Payload: council.MotionDecided{Motion: id,
				Decision: council.Decision{Result: quorum.Carried}}})
	}
	log = append(log,
		Said{Payload: council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCompleted, Decided: true,
			Resolutions: []council.Resolution{{Decision: strings.Repeat("\"so\" ", 300)}}}}})
	entries := LogOf(id, log)
	for i, e := range entries { // in turn: what has no number is sealed
		if e.Round > 0 {
			entries[i].Turn = (i-1)%len(c.Members) + 1
		}
	}
	return entries
}

// Charter seats n members, m1 to mn, on a model server for two phases of the given number of rounds and a document.
// Each member's model is called like its seat, so that the server can tell them apart.
func Charter(n, rounds int, baseURL string) council.Charter {
	c := council.Charter{
		CouncilName: "Stand-in council",
		Purpose:     "To measure",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "explore", MaxPhaseTransitions: 2,
			PhaseContextVerbosity: council.VerbosityStandard},
		Phases:              []council.Phase{phase("explore", rounds), phase("decide", rounds)},
		Output:              council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 2},
		Deliberation:        council.Deliberation{SealedPositions: true},
		Storage:             council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:           council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
	c.Phases[0].Transitions = []council.Transition{{To: "decide", When: council.TriggerAlways}}
	for i := range n {
		id := fmt.Sprintf("m%d", i+1)
		c.Members = append(c.Members, council.Member{
			ID: council.MemberID(id), Name: "Member " + id, Role: "role " + id,
			SystemPrompt: "You look at things from side " + id + ".",
			Traits:       []string{"careful"},
			Model:        council.Model{Provider: "openai-compatible", Model: id, BaseURL: baseURL, Parallel: n},
		})
	}
	return c
}

func phase(id council.PhaseID, rounds int) council.Phase {
	return council.Phase{
		ID: id, Goal: "To " + string(id),
		Deliverables:   []council.Deliverable{{ID: "result", Description: "A result", Required: true}},
		Governance:     council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "members"},
		StopConditions: council.StopConditions{MaxRounds: rounds, EndOnMajorityVote: true},
		MemoryPolicy:   council.MemoryPolicy{IncludePriorPhaseSummary: true},
		Fallback:       council.Fallback{Resolution: "Nothing was resolved.", Action: council.FallbackEndSession},
	}
}

// Filled returns a payload of the given type in which every field has a value, and every text is the given one.
func Filled(event council.EventType, text string) council.Payload {
	p := council.NewPayload(event)
	fill(reflect.ValueOf(p).Elem(), text, 0)
	return council.Deref(p)
}

// deepest is how far below a payload values are filled: a model may have models to fall back on.
const deepest = 8

func fill(v reflect.Value, text string, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), text, depth+1)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text, depth)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth)
	}
}

// Lot returns the order of members that docs/protocol.md draws for a matter of a session: "election", or a motion's id.
func Lot(session, matter string, members ...string) []string {
	drawn := func(member string) string {
		sum := sha256.Sum256([]byte(session + "\n" + matter + "\n" + member + "\n"))
		return hex.EncodeToString(sum[:])
	}
	slices.SortFunc(members, func(a, b string) int { return strings.Compare(drawn(a), drawn(b)) })
	return members
}
