package memory

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

// BenchmarkDigest measures one book when a session opens: a full one, and one of 100,000 records, more than any
// book holds. The records come from a file, as they do in life, and half of them are borne out again.
func BenchmarkDigest(b *testing.B) {
	for _, n := range []int{MaxRecords, 100_000} {
		for name, sessions := range map[string]int{"most have faded": n/5 + 1, "none has faded": Fade} {
			b.Run(fmt.Sprintf("%d records, %s", n, name), func(b *testing.B) {
				book := readBack(b, grown(n, sessions))
				b.ReportAllocs()
				before := counciltest.CPUTime()
				for b.Loop() {
					Digest(book, closedOn(sessions), DigestSize, false)
				}
				b.ReportMetric(float64(counciltest.CPUTime()-before)/float64(b.N), "cpu-ns/op") // what else runs does not count
			})
		}
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
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil {
		b.Fatal(err)
	}
	return back
}
