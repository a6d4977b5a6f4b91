package episodes_test

import (
	"fmt"
	"testing"
	"time"

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

// What the files of one session cost when it closes: three members and five rounds, and nine and sixty.
func BenchmarkWrite(b *testing.B) {
	for _, rounds := range []int{1, 60} {
		b.Run(fmt.Sprintf("%d rounds", rounds), func(b *testing.B) {
			plan := &filetest.Plan{}
			s := openFiles(b, b.TempDir(), plan)
			at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
			for b.Loop() {
				keep(b, s, counciltest.LongSession(council.SessionID(at.Format("20060102-150405")+"-x"), rounds))
				at = at.Add(time.Second)
			}
			b.ReportMetric(float64(plan.Written())/float64(b.N), "written-B/op")
		})
	}
}
