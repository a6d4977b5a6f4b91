package council

// Reminder is what one memory says of the past, frozen when the session opened: members are told this and nothing
// newer, however long the session takes.
type Reminder struct {
	Member  MemberID     `json:"member,omitempty"` // whose memory it is; empty for the council's, which all are told
	Records []Remembered `json:"records"`          // most important first
	Left    int          `json:"left,omitempty"`   // records that would have been told, had there been room
}

// Remembered is one record of memory as members are told it. What a record is, package memory says.
type Remembered struct {
	ID      string `json:"id"` // such as "r-4k2m9qx7w3ab": how a summary names what it settles
	Kind    string `json:"kind"`
	Summary string `json:"summary"`
	Detail  string `json:"detail,omitempty"`
	Date    string `json:"date"` // of its newest evidence, YYYY-MM-DD in UTC
}

// Recollection is something that memory was searched for beyond what members are reminded of: words from long ago,
// which nobody has checked since.
type Recollection struct {
	ID      string    `json:"id"`                // of the turn, episode or record
	Kind    string    `json:"kind"`              // turn, episode or record
	Session SessionID `json:"session,omitempty"` // where it was said
	Speaker string    `json:"speaker,omitempty"` // the member's name; empty where nobody in particular spoke
	Date    string    `json:"date"`              // YYYY-MM-DD in UTC
	Text    string    `json:"text"`
}

// MaxRecollections is how many recollections one session may be given.
const MaxRecollections = 3

// Settlement says that a session settled something its members were reminded of.
type Settlement struct {
	Record  string        `json:"record"` // the id of a record in a reminder
	How     SettlementHow `json:"how"`
	Because string        `json:"because,omitempty"`
}

// SettlementHow is what became of a record.
type SettlementHow string

// What becomes of a record: an open matter was closed, or a newer decision takes the place of an older one.
const (
	SettledResolved   SettlementHow = "RESOLVED"
	SettledSuperseded SettlementHow = "SUPERSEDED"
)
