package rehearsal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
)

// megabyte returns a document of a thousand thousand characters, in sections of prose and lists.
func megabyte() council.Document {
	var b strings.Builder
	b.WriteString("# A long document\n")
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b,
			"\n## Part %d\n\nWorker %d polls queue %d each second. Nobody has measured what that costs users in region %d.\n\n"+
				"- A backup of shard %d must be restored within %d minutes.\n- The alert for node %d is not clear.\n", i, i, i*7,
			i*3, i, i%60, i*11)
	}
	return council.NewDocument("long.md", b.String())
}

// BenchmarkSession reports what one answer costs in a whole session on a document of 1 MB that has been read before.
func BenchmarkSession(b *testing.B) {
	topic := council.Topic{Text: "Shall we move the queue to another region?", Documents: []council.Document{megabyte()}}
	m := rehearsal.New()
	first := hold(b, m, ready(b, "architecture"), topic)
	var views []council.View
	var took []time.Duration
	s := replayOf(b, first)
	for _, e := range first.session.Events()[1:] {
		for _, a := range s.Ready().Asks {
			views = append(views, s.View(a))
		}
		if err := s.Apply(e); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, v := range views {
			start := time.Now()
			if _, err := m.Complete(context.Background(), &prompt.Prompt{View: v}); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms/call")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(len(took)), "ms/call")
}

// BenchmarkReading reports how long the first answer on a document of 1 MB takes.
func BenchmarkReading(b *testing.B) {
	topic := council.Topic{Text: "Shall we move the queue to another region?", Documents: []council.Document{megabyte()}}
	c := ready(b, "general")
	view := council.View{
		Ask:   council.Ask{ID: "position.skeptic", Kind: council.AskPosition, Member: "skeptic"},
		Topic: &topic, Charter: &c, Seat: c.Member("skeptic"), Seats: c.Seats(),
	}
	for b.Loop() {
		if _, err := rehearsal.New().Complete(context.Background(), &prompt.Prompt{View: view}); err != nil {
			b.Fatal(err)
		}
	}
}
