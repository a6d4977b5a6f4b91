package council

import (
	"encoding/json"
	"fmt"
)

// Brief tells an executor what to do.
type Brief struct {
	Objective                  string   `json:"objective"`
	RecommendedExecutorProfile string   `json:"recommendedExecutorProfile"`
	Steps                      []string `json:"steps,omitempty"`
	Risks                      []string `json:"risks,omitempty"`
	AcceptanceCriteria         []string `json:"acceptanceCriteria,omitempty"`
}

// SHA256 names the brief in approvals: the digest of its JSON form.
func (b Brief) SHA256() string {
	doc, err := json.Marshal(b)
	if err != nil {
		panic(fmt.Sprintf("council: a brief of strings did not encode: %v", err))
	}
	return Digest(string(doc))
}
