package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkCost measures the cost of a call as sessions grow, and logs it as a table. CPU is that of the whole process,
// the stand-in server's share included; the resident memory is that of a process without the server.
func BenchmarkCost(b *testing.B) {
	for range b.N {
		var table strings.Builder
		table.WriteString("| members × rounds | calls | CPU a call | written a call | kept a call | " +
			"prompt characters a call | billed of them | resident |\n|---|---|---|---|---|---|---|---|\n")
		for _, members := range []int{3, 9} {
			for _, rounds := range []int{5, 20, 60} {
				table.WriteString(costRow(b, members, rounds))
			}
		}
		b.Logf("\n%s", &table)
	}
}

func costRow(b *testing.B, members, rounds int) string {
	s := newStand(b, members, rounds)
	began := counciltest.CPUTime()
	s.convene(b)
	cpu, calls := counciltest.CPUTime()-began, float64(s.server.Calls.Load())
	written := float64(s.files.Written())
	kept, _ := size(b, filepath.Join(s.root, "sessions"))

	var mu sync.Mutex
	sent, repeated, last := 0, 0, map[string][]byte{}
	s = newStand(b, members, rounds) // another, so that counting takes no CPU of the first
	s.watch = func(r counciltest.Request) {
		mu.Lock()
		defer mu.Unlock()
		text := promptText(r.Body)
		sent += len(text)
		repeated += commonPrefix(last[r.Model], text)
		last[r.Model] = text
	}
	s.convene(b)
	billed := float64(sent-repeated) + 0.1*float64(repeated)
	s = newStand(b, members, rounds)
	most := resident(b, s.config, s.root)
	return fmt.Sprintf("| %d × %d | %.0f | %.1f ms | %.1f kB | %.1f kB | %.1f k | %.0f %% | %d MiB |\n", members,
		rounds, calls, cpu.Seconds()*1000/calls, written/1000/calls, float64(kept)/1000/calls, float64(sent)/1000/calls,
		100*billed/float64(sent), most>>10)
}
