package store

import (
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Folding puts other rules in the place of package memory: small books, so that much leaves them.
func Folding(
	close func(memory.Book, memory.Session) (memory.Book, []memory.Record),
	apply func(memory.Book, memory.Change, time.Time) (memory.Book, []memory.Record, error),
	members func([]wire.Entry) []council.MemberID,
) Option {
	return func(s *Store) { s.rules = rules{close: close, apply: apply, members: members} }
}
