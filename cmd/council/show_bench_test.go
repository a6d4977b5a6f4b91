package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder"
)

type onWrite func([]byte) (int, error)

func (w onWrite) Write(p []byte) (int, error) { return w(p) }

// BenchmarkShow lays out a session of two thousand events at a terminal, beside a bare read of its log: the first
// screen of it is to be there after at most 100 ms.
func BenchmarkShow(b *testing.B) {
	s := newStand(b, 9, 102)
	s.convene(b)
	root := check.Get(recorder.FindRoot(s.root))(b)
	defer root.Close()
	id := check.Get(root.Find(recorder.Latest))(b)
	b.Run("read", func(b *testing.B) {
		events := 0
		for b.Loop() {
			entries, err := root.Read(id)
			if events = len(entries); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(events), "events")
	})
	for _, args := range [][]string{{"show"}, {"show", "--raw"}, {"show", "--votes"}, {"show", "e900"}} {
		b.Run(args[len(args)-1], func(b *testing.B) {
			var out, errs bytes.Buffer
			var first time.Duration // until something is seen
			for b.Loop() {
				out.Reset()
				a, began := testOnlyApp(&out, &errs), time.Now()
				a.Out = onWrite(func(p []byte) (int, error) {
					if out.Len() == 0 {
						first += time.Since(began)
					}
					return out.Write(p)
				})
				a.Terminal, a.Width = true, func() int { return 80 }
				if code := runLine(a, context.Background(), append(args, "--root", s.root)); code != cli.ExitOK {
					b.Fatalf("exit code %d\n%s", code, &errs)
				}
			}
			b.ReportMetric(float64(out.Len()), "bytes")
			b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "ms-to-first-screen")
		})
	}
}
