package endpoint

import (
	"net/http"
	"testing"
	"time"

	"github.com/council-engine/council/internal/check"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		headers map[string]string
		want    time.Duration
	}{
		{"nothing", nil, 0},
		{"seconds", map[string]string{"Retry-After": "20"}, 20 * time.Second},
		{"a part of a second", map[string]string{"Retry-After": "0.25"}, 250 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "300", "Retry-After": "1"}, 300 * time.Millisecond},
		{"a date", map[string]string{"Retry-After": "Mon, 02 Nov 2026 10:01:00 GMT"}, time.Minute},
		{"a date by the server's clock", map[string]string{"Retry-After": "Mon, 02 Nov 2026 12:01:00 GMT",
			"Date": "Mon, 02 Nov 2026 12:00:00 GMT"}, time.Minute},
		{"a date that is past", map[string]string{"Retry-After": "Mon, 02 Nov 2026 09:00:00 GMT"}, 0},
		{"a negative number", map[string]string{"Retry-After": "-3"}, 0},
		{"no number", map[string]string{"Retry-After": "NaN"}, 0},
		{"no end", map[string]string{"Retry-After": "Inf"}, longestWait},
		{"too long to count", map[string]string{"Retry-After": "1e300"}, longestWait},
		{"decades", map[string]string{"Retry-After": "1000000000"}, 1_000_000_000 * time.Second},
		{"words", map[string]string{"Retry-After": "soon"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := http.Header{}
			for name, value := range test.headers {
				h.Set(name, value)
			}
			check.Is(t, "it", test.want, retryAfter(h, now))
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("20", "300", "")
	f.Fuzz(func(t *testing.T, after, ms, date string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}}
		if d := retryAfter(h, time.Now()); d < 0 || d > longestWait {
			t.Fatalf("%s", d)
		}
	})
}
