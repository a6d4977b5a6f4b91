package render

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

// citing returns a session whose charter has citations marked, with every kind of citation that does not hold, somebody
// who forges marks, and documents that were left out.
func citing() *scribe {
	c := charter("anthropic")
	c.Deliberation.MarkCitations = true
	c.Phases = c.Phases[:1]
	given := topic
	given.Skipped = []council.Skipped{
		{Reason: "there is no room left for it", Count: 1204, Lines: 90_000, Bytes: 12_500_000,
			Files: []council.LeftFile{{Name: "src/a.go", Lines: 120, Bytes: 3000}, {Name: "src/b|c.go"}}},
		{Reason: "it is hidden", Count: 1, Files: []council.LeftFile{{Name: ".git"}}},
	}
	s := newScribe(given, c)
	s.position(ada, "As e2 and [e2] say; docs/queue.md:2 holds, docs/queue.md:3 does not.", 0.8, "See other.go:4.")
	s.position(boole,
		"`queue.md:1` holds, `e77` does not, and e1 does.\n\n    e99 in a block\n\n```\ne98 other.go:9\n```", 0.5)
	s.position(curie, "e5 is a chess move. Mine is true: e3 ⟨no such event then⟩.", 0.5)
	s.note("", council.PositionsOpened{Sealed: 3})
	s.nominate(ada, ada, "As [e40] shows.").nominate(boole, ada, "As e2 | e41 show.").nominate(curie, ada, "e3")
	s.note("", council.LeaderElected{Leader: ada, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 3}}})
	s.enter("explore", "Find the options.", "").startRound(2)
	s.turn++
	looked := s.answered(council.AskTurn, ada)
	looked.Tools = []council.ToolUse{{Tool: "read", Given: []council.FileLines{{File: "main.go", From: 10, To: 20}}}}
	s.note(
		ada,
		council.ContributionMade{Answered: looked,
			Message: "I read main.go:10-20, not main.go:9. **e60** [x](https://example.org/e61)"},
	)
	s.says(boole, "main.go:12, says e11.")
	s.passes(curie, "e88 said all.")
	s.startRound(2)
	s.moves(boole, "Measure e70", "As e70 asks.", "Done as in plan.md:3.")
	s.seconds(ada, true, "Fair, e71.").note("", council.MotionSeconded{Motion: s.motion(), Seconder: ada})
	s.votes(ada, council.ChoiceYes, "e72").votes(boole, council.ChoiceYes, "e11").votes(curie, council.ChoiceNo, "[e73]")
	s.decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members))
	m := s.motion()
	s.ends(council.EndMajorityVote, m)
	s.note(ada, council.PhaseAssessed{Answered: s.answered(council.AskAssess, ada), Assessment: council.Assessment{
		Deliverables: []council.Claim{
			{ID: "options", Claim: "Two, by e11 and e74.", Citations: []string{"e11", "e75", "nothing.md"}, Met: true}},
		Citations: []string{"docs/queue.md:9", "e75"}, Assumptions: []string{"e76 is right."},
	}})
	s.note("", council.PhaseEnded{
		Phase: "explore", Reason: council.EndMajorityVote, Resolutions: []council.MotionID{m}, Assessed: true,
		Deliverables: []council.Finding{
			{ID: "options", Status: council.FindingComplete, Required: true, Citations: []string{"e11"}}},
		BadCites: []string{"docs/queue.md:9", "e75", "nothing.md"},
	})
	s.summarises(ada, council.Summary{SummaryMarkdown: "By e80.", RequiresExecution: true,
		ExecutionBrief: &council.Brief{Objective: "Measure", Steps: []council.Step{{Step: "Measure both"}}}})
	s.drafts(ada, "# Plan\n\nSee e81 and docs/queue.md:1.\n")
	s.votes(ada, council.ChoiceYes, "Mine.").
		votes(boole, council.ChoiceNo, "e81 is nothing.").
		votes(curie, council.ChoiceNo, "No.")
	s.decide(decided(1, 2, 0, 0, 0, "0.5", quorum.Members))
	s.reviews(boole, []string{"Drop docs/queue.md:7."}, council.Blocker{ID: "d1.boole.b1", Section: "Plan",
		Problem: "e81", Impact: "None", RequiredChange: "Cite e11, not plan.md:1.", Severity: "high"})
	s.reviews(curie, nil)
	ref := s.ref()
	s.draft = 0
	s.dissents(curie, "As e82 says.")
	return s.closes(council.Outcome{
		Ended: council.SessionCompleted, Leader: ada, Decided: true, Documentation: council.DocumentationUnapproved,
		Draft: ref, ExecutionWithheld: council.WithheldDocument, Executes: []council.MotionID{m},
		Resolutions: []council.Resolution{
			{Phase: "explore", Motion: m, Title: "Measure e70", Text: "x", Decision: "y", Yes: 2, No: 1}},
	})
}

// Without the marks, the transcript is that of a charter that has none.
func TestCitations_MarksChangeNoWords(t *testing.T) {
	marked, plain := citing(), citing()
	started := plain.log[0].Payload.(council.SessionStarted)
	started.Charter.Deliberation.MarkCitations = false
	plain.log[0].Payload = started
	with := check.Get(Artifacts(marked.log))(t)
	without := check.Get(Artifacts(plain.log))(t)
	check.Is(t, "the draft differs", string(without["documentation.draft.v1.md"]),
		string(with["documentation.draft.v1.md"]))
	// One member forges a mark in words of its own.
	check.Is(t, "marks where none are", 1, strings.Count(string(without[FileTranscript]), "⟨"))
	bare := strings.NewReplacer(`\`, "", " ⟨no such event then⟩", "", " ⟨no such line⟩", "", " ⟨no such document⟩", "")
	a, b := bare.Replace(string(with[FileTranscript])), bare.Replace(string(without[FileTranscript]))
	a = strings.Replace(
		a,
		" What stands in ⟨ ⟩ behind a citation is the recorder's too: the citation did not hold when it was "+
			"written. The end of the minutes lists them.",
		"",
		1,
	)
	before, after, _ := strings.Cut(a, "### Citations that did not hold")
	_, after, _ = strings.Cut(after, "### What it cost")
	a = before + "### What it cost" + after
	check.Is(t, "the words differ", b, a)
}

func TestCitations_AFloodIsCutShort(t *testing.T) {
	s := citing()
	s.says(ada, strings.Repeat("e990 ", 5000))
	files := check.Get(Artifacts(s.log))(t)
	check.Is(t, "of the flood are marked, 20", 20, strings.Count(string(files[FileTranscript]), "e990 ⟨"))
	check.Says(t, string(files[FileSession]), `"unfounded": 50`)
}

// weighed returns a session that asks for stances: one member moves and gives the reason, one names none at last, and
// the debate before ends because a round brings nothing new.
func weighed() *scribe {
	c := charter("anthropic")
	c.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
	c.Output = council.Output{Type: council.OutputNone}
	s := newScribe(topic, c)
	seal := func(m council.MemberID, text, stance string) {
		s.note(m, council.PositionSealed{Answered: s.answered(council.AskPosition, m),
			Position: council.Position{Position: text, Confidence: 0.8, Stance: stance}})
	}
	seal(ada, "Write ahead.", "Write ahead")
	seal(boole, "Prove it first.", "| # write behind\n<b>")
	seal(curie, "It is fast as it is.", "write behind b")
	s.note("", council.PositionsOpened{Sealed: 3})
	s.nominate(ada, ada, "I.").nominate(boole, ada, "She.").nominate(curie, ada, "She.")
	s.note("", council.LeaderElected{Leader: ada, Ranking: []council.MemberID{ada, boole, curie},
		Votes: []council.CandidateVotes{{Candidate: ada, Votes: 3}}})
	s.enter("explore", "Find the options.", "").startRound(4)
	s.says(ada, "As docs/queue.md:1 says.").passes(boole, "Yes.").passes(curie, "Yes.")
	s.startRound(4).says(ada, "As docs/queue.md:1 says.").passes(boole, "Yes.").passes(curie, "Yes.")
	s.ends(council.EndNothingNew, "")
	s.note("",
		council.PhaseEnded{Phase: "explore", Reason: council.EndNothingNew, Next: "decide", Via: council.TriggerAlways})
	s.enter("decide", "Choose one option.", "").startRound(1)
	s.moves(ada, "Write ahead", "The queue writes ahead.", "Write before acknowledging.")
	m := s.motion()
	s.seconds(boole, true, "Yes.").note("", council.MotionSeconded{Motion: m, Seconder: boole})
	vote := func(id council.MemberID, c council.Choice, why, stance string) {
		s.note(id, council.BallotCast{Answered: s.answered(council.AskBallot, id), Subject: council.Subject{Motion: m},
			Ballot: council.Ballot{Rationale: why, Ballot: c, Stance: stance}})
	}
	vote(ada, council.ChoiceYes, "Mine.", "write ahead")
	vote(boole, council.ChoiceYes, "docs/queue.md:2 persuades me, and e12.", "Write ahead")
	vote(curie, council.ChoiceNo, "Latency.", "")
	s.decide(decided(2, 1, 0, 0, 0, "0.5", quorum.Members)).ends(council.EndMajorityVote, m)
	s.note("", council.PhaseEnded{Phase: "decide", Reason: council.EndMajorityVote, Resolutions: []council.MotionID{m}})
	s.summarises(ada, council.Summary{SummaryMarkdown: "We chose."})
	s.dissents(curie, "Too slow.")
	return s.closes(council.Outcome{
		Ended: council.SessionCompleted, Leader: ada, Decided: true, Documentation: council.DocumentationNone,
		Resolutions: []council.Resolution{{Phase: "decide", Motion: m, Title: "Write ahead", Text: "The queue writes ahead.",
			Decision: "Write before acknowledging.", Yes: 2, No: 1}},
	})
}
