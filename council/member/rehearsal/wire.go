package rehearsal

import (
	"bytes"
	"encoding/json"

	"github.com/council-engine/council/council"
)

// The reply contracts ask for every list, empty or not, where the bodies leave out empty ones.
type (
	positionReply struct {
		Position   string   `json:"position"`
		Confidence float64  `json:"confidence"`
		OnlyIKnow  []string `json:"onlyIKnow"`
		Stance     string   `json:"stance,omitempty"`
	}
	reviewReply struct {
		CriticalBlockers []council.Blocker `json:"criticalBlockers"`
		SuggestedChanges []string          `json:"suggestedChanges"`
	}
	assessReply struct {
		Deliverables []claimReply   `json:"deliverables"`
		QualityGates []claimReply   `json:"qualityGates"`
		Assumptions  []string       `json:"assumptions"`
		Risks        []council.Risk `json:"risks"`
		Constraints  []string       `json:"constraints"`
		Citations    []string       `json:"citations"`
	}
	claimReply struct {
		ID        string   `json:"id"`
		Claim     string   `json:"claim"`
		Citations []string `json:"citations"`
		Met       bool     `json:"met"`
	}
)

func newAssessReply(a council.Assessment) assessReply {
	claims := func(list []council.Claim) []claimReply {
		out := []claimReply{}
		for _, c := range list {
			out = append(out, claimReply(c))
		}
		return out
	}
	return assessReply{claims(a.Deliverables), claims(a.QualityGates), a.Assumptions, a.Risks, a.Constraints, a.Citations}
}

// encode writes a reply as a model would, without escaping what HTML would escape.
func encode(reply any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(reply); err != nil {
		return "", err
	}
	return string(bytes.TrimSpace(b.Bytes())), nil
}
