package artifact

import "github.com/council-engine/council/council"

// Citations says how much members cited, in turn order, and what of it did not hold when it was written.
type Citations struct {
	Members   []CitedBy   `json:"members"`
	Unfounded []Unfounded `json:"unfounded"` // at most 20 of one event
}

// CitedBy counts what one member cited, and how much of it did not hold.
type CitedBy struct {
	Member    council.MemberID `json:"member"`
	Cited     int              `json:"cited"`
	Unfounded int              `json:"unfounded"`
}

// Unfounded is a citation that did not hold when it was written.
type Unfounded struct {
	Event    string           `json:"event"` // in which it stands
	Member   council.MemberID `json:"member"`
	Citation string           `json:"citation"`
	Fault    string           `json:"fault"` // no such event then, no such document, no such line
}
