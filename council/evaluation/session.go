package evaluation

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/council/rules"
)

// simulatedOptions are the answers that can be given: the right one, the wrong one that is common, and others.
var simulatedOptions = [council.MaxOptions]string{"right", "common", "a", "b", "c", "d", "e"}

// simulatedCharter returns a council at a pace, with one phase of three rounds, that chooses between the answers.
func simulatedCharter(pace council.Pace, members int) council.Charter {
	c := council.Charter{CouncilName: "simulated", Purpose: "to answer", Options: simulatedOptions[:],
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 1,
			PhaseContextVerbosity: council.VerbosityStandard},
		Phases: []council.Phase{{ID: "decide", Goal: "to answer",
			Governance:     council.Governance{MajorityThreshold: "0.5", CountOf: quorum.Members},
			StopConditions: council.StopConditions{MaxRounds: 3, EndOnMajorityVote: true},
			Fallback:       council.Fallback{Resolution: "none", Action: council.FallbackEndSession}}},
		Output:       council.Output{Type: council.OutputNone},
		Deliberation: council.Deliberation{Pace: pace, SealedPositions: true},
		Storage:      council.Storage{RootDir: "none", MemoryDir: "none"},
		Execution:    council.Execution{DefaultExecutorProfile: "none"}}
	for i := range members {
		id := "m" + strings.Repeat("i", i)
		c.Members = append(c.Members, council.Member{ID: council.MemberID(id), Name: id, Role: "member",
			SystemPrompt: "Answer.", Model: council.Model{Provider: "script", Model: "simulated"}})
	}
	charter.SetPace(&c)
	return c
}

// hold holds a session whose members, in seat order and spares last, begin with the given answers, and counts every
// question that the rules put to a member.
func (m Voters) hold(r *rand.Rand, c council.Charter, first []answer) (v vote) {
	s, err := rules.Begin("simulated", council.Topic{Text: "What is right?"}, c)
	refuse(err)
	seats, now := len(c.Seats()), slices.Clone(first)
	for {
		switch ready := s.Ready(); {
		case ready.Outcome != nil:
			if v.decides = ready.Outcome.Decided; v.decides {
				v.right = answer(slices.Index(simulatedOptions[:], ready.Outcome.Last().Decision)).right()
			}
			return v
		case ready.Event != nil:
			refuse(s.Apply(*ready.Event))
		default:
			before := slices.Clone(now[:seats])
			for _, a := range ready.Asks {
				i := slices.IndexFunc(c.Members, func(one council.Member) bool { return one.ID == a.Member })
				if a.Kind == council.AskTurn || a.Kind == council.AskRank { // the positions are open
					now[i] = m.hear(r, before, i)
				}
				said, err := s.Answer(council.Reply{Ask: a.ID, Body: simulatedReply(a, now[i], c.Members[0].ID)})
				refuse(err)
				refuse(s.Apply(said))
				v.asked++
			}
		}
	}
}

// refuse stops at an error of the rules: they put every question, and every reply to it is of its form.
func refuse(err error) {
	if err != nil {
		panic("evaluation: " + err.Error())
	}
}

// simulatedReply returns the reply of a member that gives an answer.
func simulatedReply(a council.Ask, given answer, leader council.MemberID) council.Body {
	ranking := council.Ranks{{simulatedOptions[given]}}
	switch a.Kind {
	case council.AskPosition:
		return council.Position{Position: simulatedOptions[given], Ranking: ranking, CandidateID: leader}
	case council.AskNominate:
		return council.Nomination{CandidateID: leader}
	case council.AskTurn:
		return council.Turn{Action: council.ActionContribute, Message: simulatedOptions[given]}
	case council.AskRank:
		return council.Ranked{Rationale: simulatedOptions[given], Ranking: ranking}
	case council.AskDissent:
		return council.Dissent{}
	}
	return council.Summary{SummaryMarkdown: "It is answered."}
}

// hear returns what a member answers that sees the answers of the others.
func (m Voters) hear(r *rand.Rand, all []answer, i int) answer {
	others := slices.Concat(all[:i], all[i+1:])
	corrected, conforms := r.Float64() < m.Correction, r.Float64() < m.Conformity
	if corrected && slices.Contains(others, 0) {
		return 0
	}
	if most := count(others); conforms && most.alone {
		return most.leads
	}
	return all[i]
}
