package chronicle_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

const shallWe council.SessionID = "20261121-081500-shall-we-7f3k2a"

// spoken is an event of a log written by hand: who said what, in which phase and round.
type spoken struct {
	phase council.PhaseID
	round int
	actor council.MemberID
	p     council.Payload
}

// logOf puts events one after the other, seven seconds apart. Its clock stands in a zone that is not UTC.
func logOf(id council.SessionID, all []spoken) []wire.Entry {
	at := time.Date(2026, 11, 21, 9, 15, 0, 250_000_000, time.FixedZone("elsewhere", 3600))
	var log []wire.Entry
	for i, s := range all {
		seq := council.Seq(i + 1)
		log = append(log, wire.Entry{
			Event:   council.Event{Seq: seq, Phase: s.phase, Round: s.round, Actor: s.actor, Payload: s.p},
			Session: id, ID: seq.ID(), Time: at.Add(time.Duration(i) * 7 * time.Second),
		})
	}
	return log
}

func seat(id council.MemberID, name string) council.Member { return council.Member{ID: id, Name: name} }

func charter() council.Charter {
	return council.Charter{
		CouncilName: "Architecture council", Purpose: "Decide how the queue survives a crash",
		Members:   []council.Member{seat("ada", "Ada Lovelace"), seat("boole", "George Boole"), seat("curie", "Marie Curie")},
		Execution: council.Execution{RequireHumanApproval: true},
	}
}

var brief = council.Brief{
	Objective: "Write before acknowledging", Steps: []string{"Add the log", "Measure the latency"},
	Risks: []string{"Slower replies"}, AcceptanceCriteria: []string{"A kill loses nothing"},
}

// whole is a session in which everything is said that can be said, up to its close.
func whole() []spoken {
	carried := council.Decision{Result: quorum.Carried, Count: quorum.Count{Yes: 2, No: 1}}
	first := &council.DraftRef{Version: 1}
	return []spoken{
		{p: council.SessionStarted{Topic: council.Topic{Text: "# Queue\n\nShould the queue write to disk before it acknowledges?"}, Charter: charter()}},
		{actor: "ada", p: council.PositionSealed{Position: council.Position{Position: "Write ahead.", Confidence: 0.8, OnlyIKnow: []string{"I wrote the first version."}}}},
		{actor: "boole", p: council.PositionSealed{Position: council.Position{Position: "Prove it first.", Confidence: 0.5}}},
		{actor: "curie", p: council.MemberFaulted{Kind: council.AskPosition, Fault: council.Fault{Kind: council.FaultRefusal, Message: "I cannot help with that"}}},
		{actor: "boole", p: council.LeaderBallotCast{Nomination: council.Nomination{Rationale: "She knows the code.", CandidateID: "ada"}}},
		{p: council.LeaderElected{Leader: "ada"}},
		{phase: "decide", p: council.PhaseStarted{Phase: "decide", Visit: 1}},
		{phase: "decide", round: 1, p: council.RoundStarted{Round: 1, Of: 2}},
		{phase: "decide", round: 1, actor: "curie", p: council.ContributionMade{Message: "Today we do the *second*.\n\x1b[31mNaïve\u202e 回答\n"}},
		{phase: "decide", round: 1, actor: "boole", p: council.TurnPassed{Reason: "I want to hear the operator.", Note: "Later."}},
		{phase: "decide", round: 1, actor: "ada", p: council.MotionMade{Motion: "p1.r1.t3", MotionTitle: "Write ahead", MotionText: "The queue writes ahead.", DecisionIfPass: "Write before acknowledging."}},
		{phase: "decide", round: 1, actor: "boole", p: council.SecondAnswered{Motion: "p1.r1.t3", Second: council.Second{Rationale: "It can be measured.", Second: true}}},
		{phase: "decide", round: 1, actor: "curie", p: council.SecondAnswered{Motion: "p1.r1.t3", Second: council.Second{Rationale: "It costs."}}},
		{phase: "decide", round: 1, actor: "ada", p: council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t3"}, Ballot: council.Ballot{Rationale: "Mine.", Ballot: council.ChoiceYes}}},
		{phase: "decide", round: 1, actor: "curie", p: council.BallotCast{Subject: council.Subject{Motion: "p1.r1.t3"}, Ballot: council.Ballot{Rationale: "Latency doubles.", Ballot: council.ChoiceNo}}},
		{phase: "decide", round: 1, p: council.MotionDecided{Motion: "p1.r1.t3", Decision: carried}},
		{phase: "decide", actor: "ada", p: council.PhaseAssessed{Assessment: council.Assessment{
			Deliverables: []council.Claim{{ID: "options", Claim: "Two are on the table.", Met: true}}, QualityGates: []council.Claim{{ID: "gate-1", Claim: "Only one does."}},
			Assumptions: []string{"The disk is honest."}, Risks: []council.Risk{{Risk: "Latency", Mitigation: "Batch the writes."}}, Constraints: []string{"No new service."},
		}}},
		{phase: "decide", p: council.PhaseEnded{Phase: "decide", Resolution: "p1.r1.t3"}},
		{actor: "ada", p: council.SummaryWritten{
			Summary: council.Summary{SummaryMarkdown: "We chose **write ahead**.", FinalResolution: "Write before acknowledging.", RequiresExecution: true, ExecutionBrief: &brief,
				Settles: []council.Settlement{{Record: "r-4k2m9qx7w3ab", How: council.SettledResolved, Because: "It was measured."}}},
			BriefSHA256: brief.SHA256(),
		}},
		{actor: "ada", p: council.DraftWritten{DraftRef: *first, Draft: council.Draft{Markdown: "# Write ahead\n\nThe queue writes first.\n"}}},
		{actor: "boole", p: council.BallotCast{Subject: council.Subject{Draft: first}, Ballot: council.Ballot{Rationale: "No numbers.", Ballot: council.ChoiceNo}}},
		{actor: "boole", p: council.ReviewGiven{Version: 1, Review: council.Review{SuggestedChanges: []string{"Name the disk."}, CriticalBlockers: []council.Blocker{{
			ID: "d1.boole.b1", Section: "Risks", Problem: "No figure", Impact: "Nobody can plan.", RequiredChange: "Give a figure."}}}}},
		{actor: "ada", p: council.DraftWritten{DraftRef: council.DraftRef{Version: 2}, Draft: council.Draft{Markdown: "# Write ahead\n\n3 ms.\n",
			Responses: []council.BlockerResponse{{BlockerID: "d1.boole.b1", Answer: council.AnswerAccepted, Note: "Measured."}}}}},
		{actor: "curie", p: council.DissentWritten{Dissent: council.Dissent{Dissent: "Three milliseconds is too much."}}},
		{actor: "boole", p: council.DissentWritten{}},
		{p: council.SessionClosed{Outcome: council.Outcome{
			Ended: council.SessionCompleted, Leader: "ada", Decided: true, Documentation: council.DocumentationApproved, RequiresExecution: true,
			Resolution: &council.Resolution{Phase: "decide", Motion: "p1.r1.t3", Title: "Write ahead", Decision: "Write before acknowledging.", Yes: 2, No: 1},
		}}},
	}
}

// rulings are what people said of it later.
func rulings() []spoken {
	other := brief
	other.Steps = append([]string{"Ask the operators"}, brief.Steps...)
	return []spoken{
		{p: council.ExecutionApproved{By: "Grace", BriefSHA256: brief.SHA256()}},
		{p: council.BriefAmended{By: "Grace", Brief: other, BriefSHA256: other.SHA256()}},
		{p: council.ExecutionApproved{By: "Grace", BriefSHA256: other.SHA256(), Note: "Go ahead."}},
		{p: council.ExecutionStarted{By: "builder", BriefSHA256: other.SHA256()}},
		{p: council.ExecutionFinished{By: "builder", Succeeded: true, Note: "Merged."}},
	}
}

// adjourned is a session that a person ended before anything was resolved.
func adjourned() []spoken {
	c := charter()
	c.Output = council.Output{Type: council.OutputDocumentation}
	return []spoken{
		{p: council.SessionStarted{Topic: council.Topic{Text: "Shall we?"}, Charter: c}},
		{phase: "decide", p: council.PhaseStarted{Phase: "decide", Visit: 1}},
		{phase: "decide", round: 1, p: council.RoundStarted{Round: 1, Of: 1}},
		{phase: "decide", round: 1, actor: "ada", p: council.MotionMade{Motion: "p1.r1.t1", MotionTitle: "Do", MotionText: "Do it.", DecisionIfPass: "Done."}},
		{phase: "decide", round: 1, p: council.MotionDied{Motion: "p1.r1.t1"}},
		{phase: "decide", p: council.PhaseEnded{Phase: "decide", Fallback: "All stays as it is."}},
		{p: council.SessionAdjourned{By: "Grace", Reason: "We have other work."}},
		{p: council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCutShort, Documentation: council.DocumentationMissing}}},
	}
}

// forgotten is the whole session after some of it was erased: as payloads that are gone, and as words.
func forgotten() []spoken {
	log := whole()
	log[0].p, log[8].p, log[25].p = nil, nil, nil
	log[9].p = council.TurnPassed{Reason: "[forgotten]"}
	return log
}

// long is a session of nine members who talk for many rounds.
func long(id council.SessionID, rounds int) []wire.Entry {
	c := charter()
	for i := range 6 {
		c.Members = append(c.Members, seat(council.MemberID(fmt.Sprintf("m%d", i)), fmt.Sprintf("Member %d", i)))
	}
	log := []spoken{{p: council.SessionStarted{Topic: council.Topic{Text: strings.Repeat("How long? ", 500)}, Charter: c}}}
	for r := range rounds {
		for _, m := range c.Members {
			log = append(log, spoken{phase: "decide", round: r + 1, actor: m.ID, p: council.ContributionMade{Message: fmt.Sprintf("Round %d, %s: ", r+1, m.ID) + strings.Repeat("we talk on. ", 90)}})
		}
	}
	for i := range 40 {
		id := council.MotionID(fmt.Sprintf("p1.r1.t%d", i))
		log = append(log,
			spoken{phase: "decide", actor: "ada", p: council.MotionMade{Motion: id, MotionTitle: strings.Repeat("Long ", 50), MotionText: "x", DecisionIfPass: strings.Repeat("“so” \\ ", 200)}},
			spoken{phase: "decide", p: council.MotionDecided{Motion: id, Decision: council.Decision{Result: quorum.Carried}}})
	}
	log = append(log, spoken{p: council.SessionClosed{Outcome: council.Outcome{Ended: council.SessionCompleted, Decided: true, Resolution: &council.Resolution{Decision: strings.Repeat("\"so\" ", 300)}}}})
	return logOf(id, log)
}

func check(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
