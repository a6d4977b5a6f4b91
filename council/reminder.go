package council

// Reminder holds records of one memory, frozen when the session opened: members are told this and nothing
// newer, however long the session takes.
type Reminder struct {
	Member  MemberID     `json:"member,omitempty"` // whose memory it is; empty for the council's, which all are told
	Records []Remembered `json:"records"`          // by kind, decisions first
	Left    int          `json:"left,omitempty"`   // records that would have been told, had there been room
}

// Remembered is one record of memory as members are told it. See package memory.
type Remembered struct {
	ID      string `json:"id" text:"id"` // such as "r-4k2m9qx7w3ab": how a summary names what it settles
	Kind    string `json:"kind" text:"id"`
	Summary string `json:"summary" text:"said"`
	Detail  string `json:"detail,omitempty" text:"said"`
	Date    string `json:"date" text:"id"` // of its newest evidence, YYYY-MM-DD in UTC

	Vote    string    `json:"vote,omitempty" text:"short"` // of a decision: by which it carried
	Session SessionID `json:"session,omitempty"`           // of a decision: where
	Alike   int       `json:"alike,omitempty"`             // how many records say nearly the same, where several do
}

// Recollection is something that memory was searched for beyond what members are reminded of: words from long ago,
// which have not been checked since.
type Recollection struct {
	ID      string    `json:"id" text:"id"`                     // of the turn, episode or record
	Kind    string    `json:"kind" text:"id"`                   // turn, episode or record
	Session SessionID `json:"session,omitempty"`                // where it was said
	Speaker string    `json:"speaker,omitempty" text:"speaker"` // the member's name; empty if it was not one member
	Date    string    `json:"date" text:"id"`                   // YYYY-MM-DD in UTC
	Text    string    `json:"text" text:"said"`
}

// The kinds of recollection.
const (
	RecalledTurn    = "turn"
	RecalledEpisode = "episode"
	RecalledRecord  = "record"
)

// The bounds of what a session is given of memory. Texts are counted in characters.
const (
	MaxReminded          = 240    // records in one reminder
	MaxReminder          = 24_000 // summaries and details of one reminder together
	ReminderSize         = 12_000 // of the council's, unless the charter says otherwise
	MinReminder          = 1_000
	MaxRememberedSummary = 220
	MaxRememberedDetail  = 800
	MaxRecollections     = 3 // of one session
	MaxRecollection      = 1_500
	MaxRecallQuery       = 1_000
)

// Reminder returns the reminder of a memory with which the session opened: the council's for an empty id. It has no
// records if the session was given none.
func (p SessionStarted) Reminder(of MemberID) Reminder {
	for _, r := range p.Memory {
		if r.Member == of {
			return r
		}
	}
	return Reminder{Member: of}
}

// Settled returns those of a summary's settlements that count: of records that its author, the leader, was reminded
// of, by the council's memory or its own, each once. What else it names counts for nothing.
func (p SessionStarted) Settled(leader MemberID, s Summary) []Settlement {
	open := map[string]bool{}
	for _, of := range []MemberID{"", leader} {
		for _, r := range p.Reminder(of).Records {
			open[r.ID] = true
		}
	}
	var settled []Settlement
	for _, settlement := range s.Settles {
		if open[settlement.Record] {
			open[settlement.Record] = false
			settled = append(settled, settlement)
		}
	}
	return settled
}

// ReadsMemberMemory reports whether members may be told their own memory when the given phase is the last that was
// entered; before the first, for an empty id, the entry phase's policy counts. The council's memory is always told.
func (c *Charter) ReadsMemberMemory(last PhaseID) bool {
	if last == "" {
		last = c.SessionPolicy.EntryPhaseID
	}
	p := c.Phase(last)
	return p != nil && p.MemoryPolicy.ReadMemberMemory
}

// ReminderSize returns how many characters of a memory members are told: of the council's, for an empty id, what the
// memory policy of the entry phase says, of a member's own half of it.
func (c *Charter) ReminderSize(of MemberID) int {
	size := ReminderSize
	if p := c.Phase(c.SessionPolicy.EntryPhaseID); p != nil && p.MemoryPolicy.MaxChars > 0 {
		size = p.MemoryPolicy.MaxChars
	}
	if of != "" {
		size /= 2
	}
	return size
}

// Settlement records that a session settled something its members were reminded of.
type Settlement struct {
	Record  string        `json:"record" text:"id"` // the id of a record in a reminder
	How     SettlementHow `json:"how"`
	Because string        `json:"because,omitempty" text:"short"`
}

// SettlementHow is how a record was settled.
type SettlementHow string

// What becomes of a record: an open matter was closed, or a newer decision takes the place of an older one.
const (
	SettledResolved   SettlementHow = "RESOLVED"
	SettledSuperseded SettlementHow = "SUPERSEDED"
)
