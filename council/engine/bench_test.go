package engine_test

import (
	"testing"

	"github.com/council-engine/council/council"
)

// BenchmarkRun measures what the engine and the rules cost for one ask, with members and a log that cost nothing.
func BenchmarkRun(b *testing.B) {
	for name, size := range map[string]struct{ members, rounds int }{"3x5": {3, 5}, "9x60": {9, 60}} {
		b.Run(name, func(b *testing.B) {
			asks := 0
			for b.Loop() {
				tb := sit(b, size.members, func(c *council.Charter) { c.Phases[0].StopConditions.MaxRounds = size.rounds })
				for _, m := range tb.members {
					m.say = on(council.AskTurn, func(v council.View) council.Reply {
						return body(v, council.Turn{Action: council.ActionContribute, Message: "I think so."})
					})
				}
				tb.closed()
				asks = 0
				for _, m := range tb.members {
					asks += len(m.asked)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*asks), "µs/ask")
		})
	}
}
