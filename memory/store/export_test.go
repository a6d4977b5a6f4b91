package store

import (
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

// Option changes a store that was opened.
type Option func(*Store)

// Through sets [Options.Through].
func Through(layer func(atomicfile.Files) atomicfile.Files) Option {
	return func(s *Store) { s.through = layer }
}

// Sessions sets [Options.Load].
func Sessions(load Load) Option { return func(s *Store) { s.load = load } }

// Clock sets [Options.Now].
func Clock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// Folding puts other rules in the place of package memory: small books, so that much leaves them.
func Folding(
	close func(memory.Book, memory.Session) (memory.Book, []memory.Record),
	apply func(memory.Book, memory.Change, time.Time) (memory.Book, []memory.Record, error),
	members func([]wire.Entry) []council.MemberID,
) Option {
	return func(s *Store) { s.rules = rules{close: close, apply: apply, members: members} }
}
