package council

import "github.com/council-engine/council/council/quorum"

// SessionStarted freezes the topic, the charter and the memory of the session. It is the first event of every log.
type SessionStarted struct {
	Rules   int       `json:"rules" jsonschema:"minimum=1"` // the version of the rules
	Session SessionID `json:"session"`                      // the id of the session
	Topic   Topic     `json:"topic"`                        // the question to the council, with its documents
	Charter Charter   `json:"charter"`                      // the configuration with every default filled in

	// The reminders of members: the council's memory first, then the members' in seat order.
	Memory []Reminder `json:"memory,omitempty"`
}

// Row implements [Payload].
func (SessionStarted) Row() Row { return factRow("SESSION_STARTED", "1, 2, 76 to 79, 165 to 167") }

// MemoryRecalled gives the council hits of a search of memory, unchecked. It follows SESSION_STARTED directly or is
// absent.
type MemoryRecalled struct {
	// The words that memory was searched for.
	Query string         `json:"query" text:"query" jsonschema:"pattern=\\S,maxLength=1000"`
	Hits  []Recollection `json:"hits" jsonschema:"minItems=1,maxItems=3"` // best first
}

func (MemoryRecalled) Row() Row { return Row{Type: "MEMORY_RECALLED", Protocol: "80, 81", Lasts: true} }
func (MemoryRecalled) ruling()  {}

// PositionSealed records one member's opinion before any discussion. Where members know one another under pseudonyms,
// prompts number the positions by the lot of LEADER_ELECTED with the matter `position`.
type PositionSealed struct {
	Answered
	Position
}

func (PositionSealed) Row() Row       { return replyRow("POSITION_SEALED", "3, 4, 86, 260", AskPosition) }
func (p PositionSealed) reply() Reply { return p.Reply(p.Position) }

// PositionsOpened shows all sealed positions to everybody at once.
type PositionsOpened struct {
	Sealed int `json:"sealed"`           // how many positions
	Absent int `json:"absent,omitempty"` // members without one

	// Every member sealed the same stance and is sure of it; only with `contestedOnly`.
	Agreed bool `json:"agreed,omitempty"`
}

func (PositionsOpened) Row() Row { return openingRow("POSITIONS_OPENED", "5, 87") }

// Baseline is the result that a vote on the sealed positions would have had: rankings count as those of a choice in the
// deciding phase. Without options the answers are the named stances, and a position ranks its own above all others.
type Baseline struct {
	// Without options: who named each answer, in the order of first naming.
	Held [][]MemberID `json:"held,omitempty"`

	Decision
	Choice quorum.Choice `json:"choice"`
}

func (Baseline) Row() Row { return dueRow("BASELINE", "218, 219") }

// LeaderBallotCast records one member's vote for a leader.
type LeaderBallotCast struct {
	Answered
	Nomination
}

func (LeaderBallotCast) Row() Row       { return replyRow("LEADER_BALLOT_CAST", "7, 8", AskNominate) }
func (p LeaderBallotCast) reply() Reply { return p.Reply(p.Nomination) }

// LeaderElected counts the votes for a leader.
//
// A lot orders members by SHA-256(session id, line feed, matter, line feed, member id, line feed) in hexadecimal. Here
// the matter is `election`. The other matters, such as that of the options of a choice, where the option takes the
// place of the member's id, are in the protocol.
type LeaderElected struct {
	Leader  MemberID         `json:"leader"`
	Votes   []CandidateVotes `json:"votes,omitempty"`   // in the order of the ranking, for those with at least one
	Tie     bool             `json:"tie"`               // others had as many votes, and the lot decided
	Invalid int              `json:"invalid,omitempty"` // members whose vote could not be counted
	Absent  int              `json:"absent,omitempty"`  // members without a vote

	// All members by votes and lot: the order of the leader's substitutes.
	Ranking []MemberID `json:"ranking"`
}

func (LeaderElected) Row() Row { return openingRow("LEADER_ELECTED", "9, 10, 11") }

// CandidateVotes is one candidate's count.
type CandidateVotes struct {
	Candidate MemberID `json:"candidate"`
	Votes     int      `json:"votes" jsonschema:"minimum=1"`
}

// AnswersProposed records the leader's list of the answers that the positions come to. It holds the summary and the
// brief in case the first is chosen: SUMMARY_WRITTEN then repeats them without another question.
type AnswersProposed struct {
	Answered
	Answers
}

func (AnswersProposed) Row() Row       { return replyRow("ANSWERS_PROPOSED", "241 to 243", AskPropose) }
func (p AnswersProposed) reply() Reply { return p.Reply(p.Answers) }

// LeaderSucceeded has the next in the ranking answer one question in the leader's place. The leader stays the leader.
type LeaderSucceeded struct {
	From    MemberID `json:"from"`
	To      MemberID `json:"to"`
	Because AskID    `json:"because"` // the question that was not answered
}

func (LeaderSucceeded) Row() Row { return dueRow("LEADER_SUCCEEDED", "12, 13") }
