package counciltest

import (
	"fmt"

	"github.com/council-engine/council/council"
)

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
