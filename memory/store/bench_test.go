package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder/wire"
)

// spoken returns a closed session that leaves a dozen records with the council and a few with each of three members.
func spoken(n int) memory.Session {
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 5 * time.Hour)
	id := council.SessionID(at.Format("20060102-150405") + fmt.Sprintf("-matter-%06d", n))
	c := counciltest.Charter(3, 1, "http://127.0.0.1:1")
	for i := range c.Phases {
		c.Phases[i].MemoryPolicy = council.MemoryPolicy{WriteMemberMemory: true, WriteCouncilMemory: true}
	}
	s := memory.Session{ID: id, From: 1}
	add := func(e council.Event) {
		e.Seq = council.Seq(len(s.Entries) + 1)
		s.Entries = append(s.Entries, wire.Entry{Event: e, ID: e.Seq.ID(), Session: id,
			Time: at.Add(time.Duration(e.Seq) * time.Second)})
	}
	add(council.Event{Payload: council.SessionStarted{Session: id,
		Topic: council.Topic{Text: fmt.Sprintf("Shall we do number %d?", n)}, Charter: c}})
	for _, m := range c.Members {
		var knows []string
		for i := range 6 {
			knows = append(knows, fmt.Sprintf("What only %s knows of number %d, in the %d. place", m.ID, n, i))
		}
		add(
			council.Event{Actor: m.ID,
				Payload: council.PositionSealed{Position: council.Position{Position: fmt.Sprintf("Number %d is right.", n),
					Confidence: 0.7, Overlooked: knows}}})
	}
	var a council.Assessment
	for i := range 6 {
		a.Risks = append(a.Risks, council.Risk{Risk: fmt.Sprintf("Risk %d of number %d", i, n)})
		a.Assumptions = append(a.Assumptions, fmt.Sprintf("Assumption %d of number %d", i, n))
	}
	add(council.Event{Phase: "explore", Payload: council.PhaseStarted{}})
	add(council.Event{Phase: "explore", Actor: "m1", Payload: council.PhaseAssessed{Assessment: a}})
	add(council.Event{Payload: council.SessionClosed{}})
	return s
}

// BenchmarkClose closes session 30 and session 10,000, with the journal and the archives that come before it.
func BenchmarkClose(b *testing.B) {
	for _, n := range []int{30, 10_000} {
		b.Run(fmt.Sprintf("session %d", n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "memory")
			load := store.Sessions(func(id council.SessionID) ([]wire.Entry, error) {
				var of int
				_, err := fmt.Sscanf(string(id[len(id)-6:]), "%d", &of)
				return spoken(of).Entries, err
			})
			var ids []council.SessionID
			for i := range n - 1 {
				ids = append(ids, spoken(i).ID)
			}
			s, err := store.Open(dir, load, store.Through((&filetest.Plan{NoSync: true}).Watch))
			check.OK(b, err)
			check.Get(s.Rebuild(ids...))(b)
			plan := &filetest.Plan{}
			if s, err = store.Open(dir, load, store.Through(plan.Watch)); err != nil {
				b.Fatal(err)
			}
			next, left := n, 0
			for b.Loop() {
				report, err := s.Close(spoken(next))
				if err != nil || len(report.Wrote) != 4 {
					b.Fatalf("%+v, %v", report, err)
				}
				for _, w := range report.Wrote {
					left += len(w.Moved)
				}
				next++
			}
			closes := float64(next - n)
			b.ReportMetric(float64(plan.Written())/closes, "bytes-written/op")
			b.ReportMetric(float64(plan.Count())/closes, "operations/op")
			b.ReportMetric(float64(left)/closes, "records-moved/op")
		})
	}
}
