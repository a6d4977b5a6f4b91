package recorder_test

import (
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/expunge"
)

// BenchmarkForget is a fragment that everybody has said, over and over, in a session of nine members and 20 rounds.
func BenchmarkForget(b *testing.B) {
	root, path := large(b, 20)
	entries := check.Get(root.Read(sessionID))(b)
	for b.Loop() {
		b.StopTimer()
		again, _ := copyOf(b, path)
		b.StartTimer()
		check.Get(again.Forget(sessionID, expunge.Erasing{Phrases: []string{"Let us see."}}, fixed))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(entries)), "ms/event")
}
