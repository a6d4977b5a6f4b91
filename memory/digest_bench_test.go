package memory

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkDigest measures one full book when a session opens, after so many sessions. The records come from a file, as
// they do in life, and half of them are borne out again.
func BenchmarkDigest(b *testing.B) {
	about := About(council.Topic{Text: "Should we adopt NATS for the event bus, record of summary 12?"})
	for _, sessions := range []int{Fade, 49, 1000} {
		b.Run(fmt.Sprintf("%d sessions", sessions), func(b *testing.B) {
			book := readBack(b, grown(MaxRecords, sessions))
			b.ReportAllocs()
			before := counciltest.CPUTime()
			for b.Loop() {
				Digest(book, closedOn(sessions), about, council.ReminderSize, false)
			}
			b.ReportMetric(float64(counciltest.CPUTime()-before)/float64(b.N), "cpu-ns/op") // other processes do not count
		})
	}
}

// grown returns a book of n records that came in over so many sessions.
func grown(n, sessions int) Book {
	book := bookAfter(sessions)
	for i := range n {
		from := 1 + i*sessions/n
		r := saidIn(NewID(fmt.Sprint(i)), 1+i*7919%5, from)
		if i%2 == 0 {
			r.Evidence = append(r.Evidence, saidIn("", 0, min(sessions, from+3)).Evidence...)
		}
		book.Records = append(book.Records, r)
	}
	return book
}

func readBack(b *testing.B, book Book) (back Book) {
	b.Helper()
	text, err := json.Marshal(book)
	check.OK(b, err)
	check.OK(b, json.Unmarshal(text, &back))
	return back
}
