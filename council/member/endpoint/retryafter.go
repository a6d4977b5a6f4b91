package endpoint

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what a server may ask for; nobody waits longer, and no number overflows.
const longestWait = 24 * time.Hour

// RetryAfter is how long a response asks to wait before the next try: retry-after-ms, else Retry-After in seconds or
// as an HTTP date. It is 0 when the response does not say, or says something that is past or no time at all.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return span(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return span(seconds * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	// The server's own clock is the one that its date was set by.
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return span(float64(at.Sub(now)))
}

func span(d float64) time.Duration {
	if math.IsNaN(d) || d <= 0 {
		return 0
	}
	return time.Duration(min(d, float64(longestWait)))
}
