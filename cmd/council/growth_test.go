package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkGrowth holds small sessions in one record, 60 or as many as COUNCIL_GROWTH says, and reports what a session costs
// at the end and at the beginning, what looking through all of them costs a session, and what is kept of them beside their
// own folders, for each byte of these.
func BenchmarkGrowth(b *testing.B) {
	sessions := counciltest.Often(60, 1_000)
	if text := os.Getenv("COUNCIL_GROWTH"); text != "" {
		var err error
		if sessions, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for range b.N {
		s := newStand(b, 3, 2)
		run := func(want int, args ...string) (cpu, wall time.Duration) {
			b.Helper()
			var out, errs bytes.Buffer
			before, began := counciltest.CPUTime(), time.Now()
			code := testOnlyApp(&out, &errs).run(context.Background(), append(args, "--root", s.root))
			if code != want {
				b.Fatalf("council %s: exit code %d\n%.2000s%.2000s", args[0], code, &out, &errs)
			}
			return counciltest.CPUTime() - before, time.Since(began)
		}
		const some = 10
		var first, last time.Duration
		for n := range sessions {
			s.server.Renew()
			cpu, _ := run(exitOK, "convene", fmt.Sprintf("Shall we go on with part %d of the plan?", n), "--quiet", "--config", s.config)
			if n >= some && n < 2*some { // the very first ones make the folders and the books
				first += cpu
			}
			if n >= sessions-some {
				last += cpu
			}
		}
		b.ReportMetric(first.Seconds()*1000/some, "cpu-ms/early-convene")
		b.ReportMetric(last.Seconds()*1000/some, "cpu-ms/late-convene")
		for name, args := range map[string][]string{"fsck": {"fsck"}, "verify": {"verify", "--all"}, "check": {"memory", "check"}, "rebuild": {"memory", "rebuild"}} {
			cpu, wall := run(exitOK, args...)
			b.ReportMetric(cpu.Seconds()*1000/float64(sessions), "cpu-ms/"+name)
			b.ReportMetric(wall.Seconds()*1000/float64(sessions), "wall-ms/"+name)
		}
		own, files := size(b, filepath.Join(s.root, "sessions"))
		b.ReportMetric(float64(own)/1024/float64(sessions), "KiB/session")
		b.ReportMetric(float64(files)/float64(sessions), "files/session")
		for _, part := range []string{"memory", "episodes", "turns", "council.db"} {
			more, _ := size(b, filepath.Join(s.root, part))
			b.ReportMetric(float64(more)/float64(own), part+"/sessions")
		}
	}
}

// size is that of a file, or of all files in a folder, and how many there are.
func size(b *testing.B, path string) (bytes, files int64) {
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		bytes, files = bytes+info.Size(), files+1
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes, files
}
