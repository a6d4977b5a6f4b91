package curator_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
)

// BenchmarkRemind measures reading a member's memory and making its digest, with 10^5 records in all: a
// full book, and all others in the archive.
func BenchmarkRemind(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), "memory"), store.Through((&filetest.Plan{NoSync: true}).Watch))
	check.OK(b, err)
	at := time.Date(2026, 11, 21, 8, 15, 0, 0, time.UTC)
	for n := 0; n < 100_000; n += 5_000 {
		c := memory.Change{By: "kim", Verb: "import", Member: "ada"}
		for i := range 5_000 {
			c.Put = append(c.Put, memory.Record{
				ID: memory.NewID(fmt.Sprint(n + i)), Kind: memory.KindDecision, Status: memory.StatusActive,
				Summary: fmt.Sprintf("Matter %d is decided in the way that was proposed first, with two conditions.", n+i),
				Detail:  "The conditions are a date on which it is looked at again, and the name of whoever looks.",
				Tags:    []string{"matter"}, Confidence: 0.8, Importance: 1 + i%5, CreatedAt: at, UpdatedAt: at,
				Supersedes: []string{}, Evidence: []memory.Evidence{{Note: "imported by kim"}},
			})
		}
		check.Get(s.Change(c, at))(b)
	}
	for b.Loop() {
		book, err := s.Book(council.MemberID("ada"))
		check.OK(b, err)
		if len(memory.Digest(book, at, memory.Subject{}, council.ReminderSize, false).Records) == 0 {
			b.Fatal("nothing is told")
		}
	}
}
