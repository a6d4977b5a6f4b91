package council

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Brief tells an executor what to do. Motions names the carried motions that it carries out, each by its id or by the
// event that made or decided it; without any it carries out the session's resolution.
type Brief struct {
	Objective                  string   `json:"objective"`
	RecommendedExecutorProfile string   `json:"recommendedExecutorProfile"`
	Motions                    []string `json:"motions,omitempty"`
	Steps                      []string `json:"steps,omitempty"`
	Risks                      []string `json:"risks,omitempty"`
	AcceptanceCriteria         []string `json:"acceptanceCriteria,omitempty"`
}

// SHA256 names the brief in approvals: the digest of its compact JSON, in which `<`, `>` and `&` stand as they are.
func (b Brief) SHA256() string {
	var doc strings.Builder
	encoder := json.NewEncoder(&doc)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(b); err != nil {
		panic(fmt.Sprintf("council: a brief of strings did not encode: %v", err))
	}
	return Digest(strings.TrimSuffix(doc.String(), "\n"))
}
