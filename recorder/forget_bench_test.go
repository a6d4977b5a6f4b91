package recorder_test

import (
	"testing"

	"github.com/council-engine/council/recorder/expunge"
)

// BenchmarkForget is a fragment that everybody has said, over and over, in a session of nine members and 20 rounds.
func BenchmarkForget(b *testing.B) {
	root, path := large(b, 20)
	entries, err := root.Read(sessionID)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		again, _ := copyOf(b, path)
		b.StartTimer()
		if _, err := again.Forget(sessionID, expunge.Erasing{Phrases: []string{"Let us see."}}, fixed); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(entries)), "ms/event")
}
