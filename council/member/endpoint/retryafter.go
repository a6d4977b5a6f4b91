package endpoint

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// longestWait bounds what a server may ask for, so that no sum of waits overflows. It is told as it is asked for.
const longestWait = 100 * 365 * 24 * time.Hour

// RetryAfter is how long a response asks to wait before the next try: retry-after-ms, else Retry-After in seconds or
// as an HTTP date. It is 0 without such a header, and when the time is past or not a time.
func retryAfter(h http.Header, now time.Time) time.Duration {
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

// daily is in the words of limits that end with the day, and again before a wait that a message names.
var (
	daily = regexp.MustCompile(`(?i)per[ -_]?day|\b[rt]pd\b|daily`)
	again = regexp.MustCompile(`(?i)try again in ((?:[0-9.]+(?:ms|h|m|s))+)`)
)

// limits reads from the body of an error how long a limit holds.
func (r *rejection) limits(inner gjson.Result) {
	r.Daily = daily.MatchString(r.Message)
	if found := again.FindStringSubmatch(r.Message); found != nil { // Groq, OpenAI: 7m12.48s
		r.wait(found[1])
	}
	// Google puts the wait into the body, such as "34.5s", and sends no header. It does so for a limit of the day too,
	// where it is of no use.
	r.wait(inner.Get("details.#.retryDelay|0").String())
	if daily.MatchString(inner.Get("details.#.violations.#.quotaId").Raw) {
		r.Daily, r.RetryAfter = true, 0
	}
	// OpenRouter repeats the headers of the limit in the body.
	r.reset(inner.Get("metadata.headers.X-RateLimit-Reset").String())
}

func (r *rejection) wait(text string) {
	if after, err := time.ParseDuration(text); err == nil {
		r.RetryAfter = span(float64(after))
	}
}

// reset notes when a limit ends, in seconds or milliseconds since 1970. What is neither is passed over: some servers
// send a number of seconds to wait by the same name.
func (r *rejection) reset(text string) {
	switch at, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 64); {
	case at > 1e12:
		r.Until = time.UnixMilli(at).UTC()
	case at > 1e9:
		r.Until = time.Unix(at, 0).UTC()
	}
}

// longWait is the shortest wait of which a fault tells the end: a run does not wait so long.
const longWait = 5 * time.Minute

// held returns how long to wait for the end of a rate limit, whether a further try is worth it, and words for people.
func (r *rejection) held(now time.Time) (after time.Duration, retryable bool, words string) {
	after = r.RetryAfter
	if after == 0 && !r.Until.IsZero() {
		after = span(float64(r.Until.Sub(now)))
	}
	switch {
	case after > longWait:
		return after, true, now.Add(after).UTC().Format(" (resume after 2006-01-02 15:04 UTC)")
	case after == 0 && r.Daily && strings.Contains(r.Kind, "RESOURCE_EXHAUSTED"):
		return 0, false, " (a limit of the day: resume after midnight, Pacific time)"
	case after == 0 && r.Daily:
		return 0, false, " (a limit of the day: resume when the provider's next day has begun)"
	}
	return after, true, ""
}
