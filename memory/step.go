package memory

import (
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// Step is one line of the journal: something that changed memory. The journal is the order of what happened, and every
// book can be folded from it again. Exactly one of Session and Change is set.
type Step struct {
	N       int       `json:"n"`  // from 1 without gaps
	At      time.Time `json:"at"` // of a session: when it closed, or when the last of the events was recorded
	Session *Fold     `json:"session,omitempty"`
	Change  *Change   `json:"change,omitempty"`
}

// Fold says which events of which session are folded in: all up to its close, or the rulings that came later.
type Fold struct {
	ID      council.SessionID  `json:"id"`
	From    council.Seq        `json:"from"` // 1 for a session that closed
	To      council.Seq        `json:"to"`
	Members []council.MemberID `json:"members"` // whose books it concerns, beside the council's
}

// Change is a person's word on one book: records as they shall stand from now on. A record whose id is in the book or
// its archive takes that one's place; any other is new.
type Change struct {
	By     string           `json:"by"`
	Verb   string           `json:"verb"`             // add, edit, resolve, supersede, import or forget: for people
	Member council.MemberID `json:"member,omitempty"` // whose book; empty for the council's
	Put    []Record         `json:"put"`

	// Drop lists the ids of records that are forgotten: they leave the book and its archive, and nothing is left of them.
	Drop []string `json:"drop,omitempty"`
}

// Session is a session as the fold sees it.
type Session struct {
	ID      council.SessionID
	Entries []wire.Entry // the log from its first event up to the last that is to be folded in
	From    council.Seq  // events before this one were folded in before; 1 for a session that has just closed
}
