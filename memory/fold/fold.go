package fold

import (
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Close returns the book with the session folded in, and what left the book by its bounds, in the order in which it
// left. A session that was folded in before changes nothing, and so does one that may write nothing into this book.
func Close(b memory.Book, s memory.Session) (after memory.Book, left []memory.Record) {
	return b, nil
}

// Members lists, in seat order, the members whose books a session concerns, beside the council's.
func Members(entries []wire.Entry) []council.MemberID {
	return nil
}

// Apply returns the book with a person's change made at the given time, and what left the book by its bounds. The
// error is [ErrBadRecord]; the book is then as it was.
func Apply(b memory.Book, c memory.Change, at time.Time) (after memory.Book, left []memory.Record, err error) {
	return b, nil, nil
}
