package artifact

import "github.com/council-engine/council/council"

// Receipt says what deliberating changed and what it took, as far as the log shows it. It knows stances by their words,
// and neither why somebody moved nor whether the outcome is right.
type Receipt struct {
	Positions  []StanceHeld `json:"positions"`           // in turn order; members that sealed none are not in it
	Stances    int          `json:"stances"`             // different ones that were sealed
	Plurality  *StanceCount `json:"plurality,omitempty"` // of the sealed positions; absent: a tie, or none named
	Outcome    *StanceCount `json:"outcome,omitempty"`   // what most of those prefer who voted YES on the resolution; absent: the same
	Changed    Known        `json:"changed"`             // whether the outcome is another stance than the plurality
	Moved      int          `json:"moved"`               // members known to have been moved
	Unknown    int          `json:"unknown"`             // members of whom that is not known
	Split      *Split       `json:"split,omitempty"`     // of the vote on the resolution
	Dissents   int          `json:"dissents"`
	Faults     int          `json:"faults"`
	Models     int          `json:"models"`   // configured, each once; 0: no model spoke
	Families   int          `json:"families"` // of these
	Reported   int          `json:"reported"` // models as their providers name them, each once
	After      SpentAfter   `json:"afterPositions"`
	EarlyStops []EarlyStop  `json:"earlyStops"`
	Lookups    []Lookups    `json:"lookups,omitempty"` // see [SessionFile]
	Cut        []CutKind    `json:"cut,omitempty"`     // secrets
	Hidden     []CutKind    `json:"hidden,omitempty"`  // characters
}

// Split counts a vote.
type Split struct {
	Yes     int `json:"yes"`
	No      int `json:"no"`
	Abstain int `json:"abstain"`
	Invalid int `json:"invalid"`
	Absent  int `json:"absent"`
}

// Known is YES, NO or UNKNOWN.
type Known string

// What is known of a question.
const (
	Yes     Known = "YES"
	No      Known = "NO"
	Unknown Known = "UNKNOWN"
)

// StanceHeld is what one member preferred before the discussion and when it was last asked.
type StanceHeld struct {
	Member     council.MemberID `json:"member"`
	Event      string           `json:"event"` // of the position
	Stance     string           `json:"stance,omitempty"`
	Confidence float64          `json:"confidence"`
	Last       string           `json:"last,omitempty"`    // as its last ballot on a motion named it
	Moved      Known            `json:"moved"`             // UNKNOWN where one of the two is not named
	MovedIn    string           `json:"movedIn,omitempty"` // the ballot since which it has not held the first
	Citing     []string         `json:"citing,omitempty"`  // what that ballot's reasons cite of what exists
}

// StanceCount is a stance and how many hold it.
type StanceCount struct {
	Stance string `json:"stance"`
	Votes  int    `json:"votes"`
	Of     int    `json:"of"`
}

// SpentAfter is what was spent after the sealed positions, alone and as a share of the whole from 0 to 1.
type SpentAfter struct {
	Calls      int      `json:"calls"`
	Tokens     int64    `json:"tokens"`
	TokenShare *float64 `json:"tokenShare"` // null where no tokens are counted
	USD        *float64 `json:"usd"`        // null where a cost is not known
	USDShare   *float64 `json:"usdShare"`
}

// EarlyStop is a debate that ended before its rounds were used up and without everybody passing.
type EarlyStop struct {
	Phase  council.PhaseID   `json:"phase"`
	Event  string            `json:"event"`
	Reason council.DebateEnd `json:"reason"` // UNCONTESTED or NOTHING_NEW
}
