package render

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// confident is a session whose motions are weighed by confidence: the first falls though two of three voted YES, because
// the third is surer than both; the second carries by the one vote for it.
func confident() *scribe {
	c := charter("anthropic")
	c.Deliberation = council.Deliberation{SealedPositions: true, Stances: true}
	c.Output = council.Output{Type: council.OutputNone}
	c.Phases[0].Governance = council.Governance{MajorityThreshold: 0.5, Weighting: council.WeightingConfidence}
	s := newScribe(topic, c)
	for _, m := range []council.MemberID{ada, boole, curie} {
		s.note(m, council.PositionSealed{Answered: s.answered(council.AskPosition, m),
			Position: council.Position{Position: "As ever.", Confidence: 0.6, Stance: "write ahead"}})
	}
	s.note("", council.PositionsOpened{Sealed: 3})
	s.nominate(ada, ada, "I.").nominate(boole, ada, "She.").nominate(curie, ada, "She.")
	s.note("", council.LeaderElected{
		Leader: ada, Ranking: []council.MemberID{ada, boole, curie}, Votes: []council.CandidateVotes{{Candidate: ada, Votes: 3}},
	})
	s.enter("explore", "Find the options.", "").startRound(2)
	vote := func(m council.MemberID, c council.Choice, confidence float64, why, stance string) {
		p := council.BallotCast{Answered: s.answered(council.AskBallot, m), Subject: council.Subject{Motion: s.motion()},
			Ballot: council.Ballot{Rationale: why, Ballot: c, Stance: stance}}
		if c != council.ChoiceAbstain {
			p.Confidence, p.Weight = &confidence, new(quorum.Weight(confidence))
		}
		s.note(m, p)
	}
	s.moves(ada, "Write ahead", "The queue writes ahead.", "Write before acknowledging.")
	vote(ada, council.ChoiceYes, 0.6, "It is my motion.", "write ahead")
	vote(boole, council.ChoiceYes, 0.6, "It seems so.", "write ahead")
	vote(curie, council.ChoiceNo, 0.9, "I measured it: docs/queue.md:2.", "write behind")
	s.decide(council.Decision{
		Result: quorum.Lost, Rule: quorum.Rule{Members: 3, Quorum: 2, Threshold: 0.5}, Count: quorum.Count{Yes: 2, No: 1},
		Weights: &quorum.Weights{Yes: 405 + 405, No: 2197}, Needed: 1504, Of: 3007,
	})
	s.moves(curie, "Write behind", "The queue writes behind.", "Acknowledge, then write.")
	vote(ada, council.ChoiceAbstain, 0, "I cannot tell.", "")
	vote(boole, council.ChoiceNo, 0.5, "A coin toss.", "write ahead")
	vote(curie, council.ChoiceYes, 0.9, "As measured.", "write behind")
	s.decide(council.Decision{
		Result: quorum.Carried, Rule: quorum.Rule{Members: 3, Quorum: 2, Threshold: 0.5}, Count: quorum.Count{Yes: 1, No: 1, Abstain: 1},
		Weights: &quorum.Weights{Yes: 2197}, Needed: 1099, Of: 2197,
	})
	m := s.motion()
	s.ends(council.EndMajorityVote, m)
	s.note("", council.PhaseEnded{Phase: "explore", Reason: council.EndMajorityVote, Resolution: m})
	s.summarises(ada, council.Summary{SummaryMarkdown: "We measured.", FinalResolution: "Acknowledge, then write."})
	s.dissents(boole, "A coin toss decided nothing.")
	return s.closes(council.Outcome{
		Ended: council.SessionCompleted, Leader: ada, Decided: true, Documentation: council.DocumentationNone,
		Resolution: &council.Resolution{Phase: "explore", Motion: m, Title: "Write behind", Text: "The queue writes behind.",
			Decision: "Acknowledge, then write.", Yes: 1, No: 1, Abstain: 1, Weights: &quorum.Weights{Yes: 2197}},
	})
}
