package markdown

import (
	"strconv"
	"testing"

	"github.com/council-engine/council/memory"
)

// BenchmarkBook is what rendering a full book costs at each close.
func BenchmarkBook(b *testing.B) {
	book := sample("", "Platform Council")
	some := book.Records
	for i := len(some); i < memory.MaxRecords; i++ {
		r := some[i%len(some)]
		r.ID = memory.NewID(strconv.Itoa(i))
		book.Records = append(book.Records, r)
	}
	b.ReportMetric(float64(len(Book(book))), "bytes")
	b.ReportAllocs()
	for b.Loop() {
		Book(book)
	}
}
