package memory

import (
	"time"

	"github.com/council-engine/council/council"
)

// Format is the version of a book's form. A book with a greater one was written by a newer version of council.
const Format = 1

// Fade is how many sessions a record outlives its newest evidence before members are no longer reminded of it.
const Fade = 25

// MaxRecords is how many records a book holds; MaxRecent is how many sessions it lists, and as many rehearsals besides.
// What leaves a book moves to the archive of its year and is still found there.
const (
	MaxRecords = 240
	MaxRecent  = 32
)

// Book is the memory of the council or of one member: COUNCIL.json or <member>/MEMORY.json. It is canonical; its
// Markdown is rendered from it.
type Book struct {
	Format   int              `json:"format"`
	Member   council.MemberID `json:"member,omitempty"` // whose book it is; empty for the council's
	Name     string           `json:"name"`             // the council's or the member's, as of the last session
	Root     string           `json:"root,omitempty"`   // see [RootOf]
	Step     int              `json:"step"`             // of the journal: the last one that concerned this book and is in it
	Sessions int              `json:"sessions"`         // how many sessions were folded in, ever

	Rehearsals int      `json:"rehearsals,omitempty"` // how many of them were rehearsals
	Recent     []Closed `json:"recent"`               // the newest of them in the order in which they closed, newest last
	Records    []Record `json:"records"`              // in the order in which they came into the book
}

// Closed is a session that was folded into a book.
type Closed struct {
	Session council.SessionID `json:"session"`
	At      time.Time         `json:"at"`   // when it closed
	UpTo    council.Seq       `json:"upTo"` // the last event that was folded in: rulings come after the close

	Rehearsed bool `json:"rehearsed,omitempty"` // a member was the rehearsal
}
