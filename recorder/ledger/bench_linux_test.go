package ledger_test

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/recorder/ledger"
)

// A call is two entries: itself, and its settlement. Five members call at once, or one after the other.
func BenchmarkCall(b *testing.B) {
	for name, members := range map[string]int{"alone": 1, "five": 5} {
		b.Run(name, func(b *testing.B) {
			l := ledger.Open(folder(b, b.TempDir()), time.Now)
			add(b, l, 1)
			var before, after syscall.Rusage
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
			for b.Loop() {
				var all sync.WaitGroup
				for range members {
					all.Go(func() {
						seq, err := l.Append(call(1))
						if err == nil {
							_, err = l.Append(audit.Entry{Type: audit.TypeSettled, Of: seq, Tokens: 1})
						}
						if err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
			}
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
			cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
			b.ReportMetric(float64(cpu)/float64(b.N*members)/1e3, "µs-CPU/call")
		})
	}
}
