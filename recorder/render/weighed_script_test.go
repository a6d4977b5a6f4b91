package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

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
	s.note("", council.LeaderElected{
		Leader: ada, Ranking: []council.MemberID{ada, boole, curie}, Votes: []council.CandidateVotes{{Candidate: ada,
			Votes: 3}},
	})
	s.enter("explore", "Find the options.", "").startRound(4)
	s.says(ada, "As docs/queue.md:1 says.").passes(boole, "Yes.").passes(curie, "Yes.")
	s.startRound(4).says(ada, "As docs/queue.md:1 says.").passes(boole, "Yes.").passes(curie, "Yes.")
	s.ends(council.EndNothingNew, "")
	s.note(
		"",
		council.PhaseEnded{Phase: "explore", Reason: council.EndNothingNew, Next: "decide", Via: council.TriggerAlways},
	)
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
