package council

// Answered is part of every event that records a reply.
type Answered struct {
	Ask   AskID `json:"ask"`
	AsOf  Seq   `json:"asOf"` // the last event that the member could know
	Usage Usage `json:"usage,omitzero"`

	Tools []ToolUse `json:"tools,omitempty"` // what the member looked up before it answered; nobody else was shown it

	Cut    []Cut `json:"cut,omitempty"`    // secrets that were taken out of the reply, over all its tries
	Hidden []Cut `json:"hidden,omitempty"` // characters in it that readers do not see

	Shortened []Shortened `json:"shortened,omitempty"` // fields that were longer than a council takes
}

// Found lists the secrets that were taken out of the reply, and its hidden characters. Every payload that records a reply
// has it.
func (a Answered) Found() (cut, hidden []Cut) { return a.Cut, a.Hidden }

// Reply is the reply that the event records, whose body is b.
func (a Answered) Reply(b Body) Reply {
	return Reply{Ask: a.Ask, Body: b, Usage: a.Usage, Tools: a.Tools, Cut: a.Cut, Hidden: a.Hidden, Shortened: a.Shortened}
}

// Asked names the question that was answered. Every payload that records a reply has it.
func (a Answered) Asked() AskID { return a.Ask }

// Paid is what the reply took. Every payload that records a reply has it.
func (a Answered) Paid() Usage { return a.Usage }

// Used lists what was looked up for the reply. Every payload that records a reply has it.
func (a Answered) Used() []ToolUse { return a.Tools }

// Knew is the last event that the member could know. Every payload that records a reply has it.
func (a Answered) Knew() Seq { return a.AsOf }

// SessionStarted freezes everything that was settled before the council met.
type SessionStarted struct {
	Rules   int       `json:"rules"` // version of the rules; see package rules
	Session SessionID `json:"session"`
	Topic   Topic     `json:"topic"`
	Charter Charter   `json:"charter"`

	Memory []Reminder `json:"memory,omitempty"` // the council's first, then the members' in seat order
}

// MemoryRecalled is what a search of memory found beyond what members are reminded of.
type MemoryRecalled struct {
	Query string         `json:"query"`
	Hits  []Recollection `json:"hits"` // best first
}

// PositionSealed is one member's opinion before discussion.
type PositionSealed struct {
	Answered
	Position
}

// PositionsOpened shows all sealed positions to everybody at once.
type PositionsOpened struct {
	Sealed int `json:"sealed"`
	Absent int `json:"absent,omitempty"`

	Agreed bool `json:"agreed,omitempty"` // everybody sealed the same stance and is sure of it
}

// LeaderBallotCast is one member's vote for a leader.
type LeaderBallotCast struct {
	Answered
	Nomination
}

// LeaderElected counts the votes for a leader. Ranking is the line of succession: votes first, then the lot.
type LeaderElected struct {
	Leader  MemberID         `json:"leader"`
	Votes   []CandidateVotes `json:"votes,omitempty"` // those with at least one vote, in the order of the ranking
	Tie     bool             `json:"tie"`             // the lot decided between the leader and others with as many votes
	Invalid int              `json:"invalid,omitempty"`
	Absent  int              `json:"absent,omitempty"`
	Ranking []MemberID       `json:"ranking"`
}

// CandidateVotes is one candidate's count.
type CandidateVotes struct {
	Candidate MemberID `json:"candidate"`
	Votes     int      `json:"votes"`
}

// LeaderSucceeded has the next in the ranking answer one question in the place of who could not. The leader stays the leader.
type LeaderSucceeded struct {
	From    MemberID `json:"from"`
	To      MemberID `json:"to"`
	Because AskID    `json:"because"`
}
