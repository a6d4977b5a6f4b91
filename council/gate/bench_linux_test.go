package gate_test

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/ledger"
)

// answering is a server without a network.
type answering struct{}

func (answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200}, nil
}

// BenchmarkCall puts one call through the gate, its settlement included, and reports the CPU that it takes.
func BenchmarkCall(b *testing.B) {
	files := check.Get(atomicfile.OpenDir(b.TempDir()))(b)
	defer files.Close()
	l := ledger.Open(files, time.Now)
	defer l.Close()
	p := check.Get(policy.Parse())(b)
	g := gate.New(p, func(bool) (gate.Ledger, error) { return l, nil })
	t := g.Transport()
	t.RegisterProtocol("test", answering{})
	before := cpu()
	for b.Loop() {
		use := &gate.Purpose{Session: "s", Ask: "p1.turn.ada", Member: "ada", Model: "test/m", Tokens: 1000}
		ctx := gate.WithCall(use.In(context.Background()))
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "test://server/v1", nil)
		check.Get(t.RoundTrip(r))(b)
		use.Settle(g, 900, 0, false)
	}
	b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
