package ledger_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/recorder/ledger"
)

func BenchmarkAppend(b *testing.B) {
	l := ledger.Open(folder(b, b.TempDir()), time.Now)
	add(b, l, 1)
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for b.Loop() {
		add(b, l, 1)
	}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(cpu)/float64(b.N)/1e3, "µs-CPU/op")
}
