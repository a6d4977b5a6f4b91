package memory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
)

// Closing session 10,000 is to cost at most half as much again as session 30.
func BenchmarkClose(b *testing.B) {
	for _, n := range []int{30, 10_000} {
		b.Run(fmt.Sprintf("session %d", n), func(b *testing.B) {
			var book memory.Book
			for i := max(0, n-60); i < n; i++ { // older sessions have left the book
				book, _ = memory.FoldSession(book, nth(i).hold(b))
			}
			book.Sessions = n
			session := nth(n).hold(b)
			b.ReportAllocs()
			for b.Loop() {
				memory.FoldSession(book, session)
			}
			after, _ := memory.FoldSession(book, session)
			text, err := json.Marshal(after)
			check.OK(b, err)
			b.ReportMetric(float64(len(text)), "book-bytes")
			b.ReportMetric(float64(len(after.Records)), "records")
		})
	}
}

func TestMain(m *testing.M) {
	counciltest.Properties(15)
	m.Run()
}
