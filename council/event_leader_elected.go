package council

// LeaderElected counts the votes for a leader.
//
// A lot is drawn from the session's id alone: members stand in the order of SHA-256(session id, line feed, matter, line
// feed, member id, line feed) in hexadecimal, where the matter is `election`.
//
// Protocol: 9, 10, 11.
type LeaderElected struct {
	Leader  MemberID         `json:"leader"`
	Votes   []CandidateVotes `json:"votes,omitempty"`   // in the order of the ranking, for those with at least one
	Tie     bool             `json:"tie"`               // others had as many votes, and the lot decided
	Invalid int              `json:"invalid,omitempty"` // members whose vote could not be counted
	Absent  int              `json:"absent,omitempty"`  // members without a vote

	// All members by votes, and those with as many votes by lot: the order in which they stand in for the leader.
	Ranking []MemberID `json:"ranking"`
}

// Row implements [Payload].
func (LeaderElected) Row() Row { return Row{Type: "LEADER_ELECTED", Consequence: true, Opens: true} }

// CandidateVotes is one candidate's count.
type CandidateVotes struct {
	Candidate MemberID `json:"candidate"`
	Votes     int      `json:"votes" jsonschema:"minimum=1"`
}
