package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

const (
	ada   = council.MemberID("ada")
	boole = council.MemberID("boole")
	curie = council.MemberID("curie")
)

func charter(provider string) council.Charter {
	seat := func(id council.MemberID, name, role string) council.Member {
		return council.Member{ID: id, Name: name, Role: role, Model: council.Model{Provider: provider, Model: "m-1"}}
	}
	return council.Charter{
		CouncilName: "Architecture council", Purpose: "Decide how the queue survives a crash.",
		Phases: []council.Phase{
			{
				ID: "explore", Goal: "Find the options.",
				Deliverables: []council.Deliverable{
					{ID: "options", Description: "at least two options", Required: true},
					{ID: "costs", Description: "what each costs"},
				},
				QualityGates: []string{"every option names its risk"},
			},
			{ID: "decide", Goal: "Choose one option."},
		},
		Output:              council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 2},
		Members: []council.Member{seat(ada, "Ada Lovelace", "architect"), seat(boole, "George Boole", "sceptic"),
			seat(curie, "Marie Curie", "operator")},
		Execution: council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "maintainer"},
	}
}

var topic = council.Topic{
	Text: "# Queue\n\nShould the queue write to disk before it acknowledges?",
	Documents: []council.Document{
		council.NewDocument("docs/queue.md", "The queue acknowledges at once.\nIt writes later.\n")},
}

var brief = council.Brief{
	Objective: "Write before acknowledging",
	Steps: []council.Step{
		{Step: "Add the log", AcceptanceCriteria: []string{"A kill loses nothing"}, AskedIn: []string{"e12", "e999"}},
		{Step: "Measure the latency"},
	},
	Risks: []council.BriefRisk{{Risk: "Slower replies", Mitigation: "Batch the writes"},
		{Risk: "A full disk"}},
	AcceptanceCriteria: []string{"The operators agree"},
}

// approved returns a whole session: a tie, a motion that dies, one that is lost, one that is carried, a draft that is
// rejected and one that is approved, a dissent, and a handoff that is approved, amended, approved and carried out.
func approved() *scribe {
	s := explored()
	s.enter("decide", "Choose one option.", "the options are known").startRound(1)
	s.moves(ada, "Write ahead", "The queue writes ahead.\n\n- one `fsync` a batch\n- acknowledge after it",
		"Write before acknowledging.")
	s.seconds(boole, true, "It can be measured.").note("", council.MotionSeconded{Motion: s.motion(), Seconder: boole})
	s.votes(ada, council.ChoiceYes, "It is my motion.").votes(boole, council.ChoiceYes, "Bounded loss.")
	s.votes(curie, council.ChoiceNo, "Latency | doubles.").decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
	m := s.motion()
	s.ends(council.EndMajorityVote, m).
		note("", council.PhaseEnded{Phase: "decide", Reason: council.EndMajorityVote, Resolutions: []council.MotionID{m}})
	s.summarises(ada, council.Summary{SummaryMarkdown: "## What happened\n\nWe chose **write ahead** [e24].",
		RequiresExecution: true, ExecutionBrief: &brief})
	s.drafts(ada, "# Write ahead\n\nThe queue writes first.\n\n## Risks\n\nLatency.\n")
	s.votes(ada, council.ChoiceYes, "Mine.").
		votes(boole, council.ChoiceNo, "No numbers.").
		votes(curie, council.ChoiceAbstain, "Unsure.")
	s.decide(decided(1, 1, 1, 0, 0, "0.5", quorum.Cast))
	s.reviews(boole, []string{"Name the disk."}, council.Blocker{ID: "d1.boole.b1", Section: "Risks",
		Problem: "No figure for latency.", Impact: "Nobody can plan.", RequiredChange: "Give a figure.",
		Severity: "critical"})
	s.reviews(curie, nil)
	s.drafts(ada,
		"# Write ahead\n\nThe queue writes first.\n\n## Risks\n\n"+
			"3 ms at the median.\n\nMoved in [e34], after what e12 says [e99].\n",
		council.BlockerResponse{BlockerID: "d1.boole.b1", Answer: council.AnswerAccepted, Note: "3 ms, measured."})
	s.votes(ada, council.ChoiceYes, "Better.").
		votes(boole, council.ChoiceYes, "Figure given.").
		votes(curie, council.ChoiceNo, "Too slow.")
	s.decide(decided(2, 1, 0, 0, 0, "2/3", quorum.Present))
	ref := s.ref()
	s.draft = 0
	s.dissents(curie, "Three milliseconds is too much for the operators.")
	s.closes(council.Outcome{
		Ended: council.SessionCompleted, Leader: ada, Decided: true, Documentation: council.DocumentationApproved, Draft: ref,
		RequiresExecution: true, Executes: []council.MotionID{m},
		Resolutions: []council.Resolution{{Phase: "decide", Motion: m, Title: "Write ahead",
			Text: "The queue writes ahead.", Decision: "Write before acknowledging.", Yes: 2, No: 1}},
	})
	s.note("", council.ExecutionApproved{By: "Grace", BriefSHA256: brief.SHA256(), Note: "Go ahead."})
	amended := brief
	amended.Steps = append([]council.Step{{Step: "Ask the operators"}}, brief.Steps...)
	s.note("",
		council.BriefAmended{By: "Grace", Brief: amended, BriefSHA256: amended.SHA256(), Executes: []council.MotionID{m}})
	s.note("", council.ExecutionApproved{By: "Grace", BriefSHA256: amended.SHA256()})
	s.note("", council.ExecutionStarted{By: "builder", BriefSHA256: amended.SHA256()})
	return s.note("", council.ExecutionFinished{By: "builder", Succeeded: true, Note: "Merged."})
}

// explored returns a session up to the end of its first phase.
func explored() *scribe {
	s := newScribe(topic, charter("anthropic"))
	s.position(ada, "Write ahead. See docs/queue.md:1.", 0.8, "I wrote the first version.")
	s.position(boole, "Prove it first.", 0.45)
	s.faults(curie, council.AskPosition, council.FaultRefusal, council.StandingAbsent, "I cannot help with that")
	s.note("", council.PositionsOpened{Sealed: 2, Absent: 1})
	s.nominate(ada, boole, "He asks the right questions.").nominate(boole, ada, "She knows the code.")
	s.faults(curie, council.AskNominate, council.FaultUnparsable, council.StandingInvalid, "no such member: \"babbage\"")
	s.note("", council.LeaderElected{Leader: ada, Tie: true, Invalid: 1, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 1}, {Candidate: boole, Votes: 1}}})
	s.enter("explore", "Find the options.", "").startRound(2)
	s.says(ada, "Two options:\n\n1. write ahead\n2. write behind\n\nAs docs/queue.md:1 says, we do the *second* today.")
	s.passes(boole, "I want to hear the operator.")
	s.faults(curie, council.AskTurn, council.FaultTruncated, council.StandingAbsent, "cut after 4,096 tokens")
	s.startRound(2)
	s.moves(ada, "Drop write behind", "It loses data.", "Write behind is off the table.")
	s.seconds(boole, false, "Too early.").seconds(curie, false, "It is cheap.")
	s.note("", council.MotionDied{Motion: s.motion()})
	s.moves(boole, "Measure first", "Measure both.", "Both are measured.")
	s.seconds(ada, true, "Fair.").seconds(curie, true, "Yes.")
	s.note("", council.MotionSeconded{Motion: s.motion(), Seconder: ada})
	s.votes(ada, council.ChoiceNo, "It delays us.").votes(boole, council.ChoiceYes, "Facts first.")
	s.faults(curie, council.AskBallot, council.FaultUnparsable, council.StandingInvalid, "\"MAYBE\" is not a ballot")
	s.decide(decided(1, 1, 0, 1, 0, "0.5", quorum.Cast))
	s.passes(curie, "Nothing to add.")
	s.ends(council.EndRoundLimit, "")
	s.note(ada, council.PhaseAssessed{Answered: s.answered(council.AskAssess, ada), Assessment: council.Assessment{
		Deliverables: []council.Claim{
			{ID: "options", Claim: "Two are on the table.", Citations: []string{"e11", "e99"}, Met: true}},
		QualityGates: []council.Claim{{ID: "gate-1", Claim: "Only one does.", Met: false}},
		Assumptions:  []string{"The disk is honest."},
		Risks:        []council.Risk{{Risk: "Latency", Mitigation: "Batch the writes."}},
		Citations:    []string{"docs/queue.md:1-2"},
	}})
	return s.note("", council.PhaseEnded{
		Phase: "explore", Reason: council.EndRoundLimit, Assessed: true, Fallback: "Go on with what we have.",
		Deliverables: []council.Finding{
			{ID: "options", Status: council.FindingComplete, Required: true, Citations: []string{"e11"}},
			{ID: "costs", Status: council.FindingMissing},
		},
		QualityGates: []council.Finding{{ID: "every option names its risk", Status: council.FindingMissing, Required: true}},
		Missing:      []string{"quality gate: every option names its risk"}, BadCites: []string{"e99"},
		Next: "decide", Via: council.TriggerRoundLimit, NextReason: "the options are known",
	})
}

// suspended stops in the middle of a vote, with one ballot in and one fault, and was stopped and resumed before.
func suspended() *scribe {
	s := newScribe(topic, charter("openai"))
	s.nominate(ada, ada, "I.").nominate(boole, ada, "She.").nominate(curie, ada, "She.")
	s.note("", council.LeaderElected{Leader: ada, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 3}}})
	s.enter("decide", "Choose one option.", "").startRound(1)
	s.note(ada, council.SessionSuspended{Ask: "p1.r1.t1.turn.ada", Usage: council.Usage{Calls: 3, InputTokens: 30},
		Fault: council.Fault{Kind: council.FaultRate, Message: "429"}})
	s.note("", council.SessionResumed{By: "Grace"}).
		note("", council.BudgetAmended{By: "Grace", Budget: council.Budget{Tokens: 50000}})
	s.note("", council.ServerMoved{By: "Grace", Member: boole, BaseURL: "http://192.168.1.7:11434/v1"})
	s.moves(ada, "Write ahead", "Do it.", "Done.")
	s.seconds(boole, true, "Yes.").note("", council.MotionSeconded{Motion: s.motion(), Seconder: boole})
	s.votes(ada, council.ChoiceYes, "Mine.")
	return s.note(
		"",
		council.SessionSuspended{
			Fault: council.Fault{Kind: council.FaultBudget, Message: "50,010 of 50,000 tokens are spent"}},
	)
}

// adjourned returns a rehearsal that a person ends while ballots on the second draft are out.
func adjourned() *scribe {
	s := newScribe(topic, charter("rehearsal"))
	s.nominate(ada, ada, "I.").nominate(boole, ada, "She.").nominate(curie, boole, "He.")
	s.note("", council.LeaderElected{Leader: ada, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 2}, {Candidate: boole, Votes: 1}}})
	s.enter("decide", "Choose one option.", "").startRound(1)
	s.passes(ada, "No.").passes(boole, "No.").passes(curie, "No.").ends(council.EndAllPassed, "")
	s.note("", council.PhaseEnded{Phase: "decide", Reason: council.EndAllPassed, Fallback: "Nothing was decided."})
	s.faults(ada, council.AskSummary, council.FaultEmpty, council.StandingAbsent, "")
	s.note("", council.LeaderSucceeded{From: ada, To: boole, Because: "summary.ada"})
	s.summarises(boole, council.Summary{SummaryMarkdown: "Nothing."})
	s.drafts(boole, "Nothing was decided.\n")
	s.votes(ada, council.ChoiceNo, "Thin.").votes(boole, council.ChoiceAbstain, "Mine.")
	s.faults(curie, council.AskBallot, council.FaultRefusal, council.StandingAbsent, "")
	s.decide(decided(0, 1, 1, 0, 1, "0.5", quorum.Members))
	s.reviews(
		ada,
		[]string{"Say why."},
		council.Blocker{ID: "d1.ada.b1", Section: "All", Problem: "Empty.",
			Impact: "Useless.", RequiredChange: "Fill it.", Severity: "high"},
	)
	s.faults(curie, council.AskReview, council.FaultRefusal, council.StandingAbsent, "no")
	s.drafts(boole, "Nothing was decided, because all passed.\n",
		council.BlockerResponse{BlockerID: "d1.ada.b1", Answer: council.AnswerUnanswered})
	s.votes(ada, council.ChoiceYes, "Fine.")
	s.note("", council.SessionAdjourned{By: "Grace", Reason: "We have other work."})
	return s.closes(council.Outcome{Ended: council.SessionCutShort, Leader: boole,
		Documentation: council.DocumentationUnapproved, Draft: s.ref()})
}
