package chronicle

import (
	"time"

	"github.com/council-engine/council/council"
)

// Format is the version of the form of episodes and turns.
const Format = 1

// MaxEpisode is the maximum size of an episode's file in bytes, however long the session was.
const MaxEpisode = 4096

// Episode is a closed session in a few words. Its texts are on one line each, cut where they are too long, and hold
// nothing invisible.
type Episode struct {
	Format    int                `json:"format"`
	ID        council.SessionID  `json:"id"`
	CreatedAt time.Time          `json:"created_at"`         // when it was convened; all times are in UTC
	ClosedAt  time.Time          `json:"closed_at,omitzero"` // zero for a session that is not closed
	Council   string             `json:"council,omitempty"`
	Topic     string             `json:"topic,omitempty"`
	Rehearsed bool               `json:"rehearsed,omitempty"` // a member was the rehearsal
	Summary   Summary            `json:"summary"`
	Context   string             `json:"context,omitempty"`
	Tags      []string           `json:"tags"`    // sorted
	Members   []council.MemberID `json:"members"` // in seat order; of a very large council the first
	Seats     int                `json:"seats"`   // how many members there were
	Events    int                `json:"events"`  // how much of the log it was made from: rulings come after the close
	Turns     int                `json:"turns"`   // how many there are

	// All turns by their events, "e1" or "e3-e9": "."+event added to the id of the session is the id of the turn. In
	// a very long session a span may have some events in which nobody spoke.
	TurnRefs []string `json:"turn_refs"`
}

// Summary is the result of a session in three texts.
type Summary struct {
	ActionTaken       string `json:"action_taken"`
	KeyOutcome        string `json:"key_outcome"`
	FutureImplication string `json:"future_implication"`
}

// What each part of an episode may take of [MaxEpisode], in bytes as written. The rest is names and numbers.
const (
	roomCouncil = 100
	roomTopic   = 300
	roomAction  = 300
	roomOutcome = 420
	roomFuture  = 340
	roomContext = 340
	roomTags    = 240
	roomMembers = 300
	roomRefs    = 1150
)
