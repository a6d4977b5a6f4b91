package episodes_test

import (
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
)

// One turn among 300 of a session, in a month that is packed.
func BenchmarkTurnInAPack(b *testing.B) {
	path := b.TempDir()
	s := openFiles(b, path, &filetest.Plan{})
	for i := range 10 {
		keep(b, s, counciltest.LongSession(council.SessionID(fmt.Sprintf("202611%02d-000000-session", i+1)), 33))
	}
	_, err := s.Pack(december, true)
	check(b, err)
	s, n := counting(b, path)
	for b.Loop() {
		_, err := s.Turn("20261105-000000-session.e200")
		check(b, err)
	}
	b.ReportMetric(float64(n.opened)/float64(b.N), "opens/op")
	b.ReportMetric(float64(n.bytes)/float64(b.N), "read-B/op")
}
