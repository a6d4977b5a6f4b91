package council

// Brief tells an executor what to do. Motions names the carried motions that it carries out, each by its id or by the
// event that made or decided it; without any it carries out the session's resolution.
type Brief struct {
	Objective                  string   `json:"objective" text:"brief"`
	RecommendedExecutorProfile string   `json:"recommendedExecutorProfile" text:"id"`
	Motions                    []string `json:"motions,omitempty" text:"id"`
	Steps                      []string `json:"steps,omitempty" text:"brief"`
	Risks                      []string `json:"risks,omitempty" text:"brief"`
	AcceptanceCriteria         []string `json:"acceptanceCriteria,omitempty" text:"brief"`
}

// SHA256 names the brief in approvals: the digest of its compact JSON, in which `<`, `>` and `&` stand as they are.
func (b Brief) SHA256() string { return Digest(CompactJSON(b)) }
