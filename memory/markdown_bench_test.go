package memory

import (
	"strconv"
	"testing"
)

// BenchmarkBook measures rendering a full book, as at each close.
func BenchmarkBook(b *testing.B) {
	book := sample("", "Platform Council")
	some := book.Records
	for i := len(some); i < MaxRecords; i++ {
		r := some[i%len(some)]
		r.ID = NewID(strconv.Itoa(i))
		book.Records = append(book.Records, r)
	}
	b.ReportMetric(float64(len(BookPage(book))), "bytes")
	b.ReportAllocs()
	for b.Loop() {
		BookPage(book)
	}
}
