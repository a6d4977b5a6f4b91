package endpoint

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

const maxErrorBody = 64 << 10 // bytes of an error that are read

// rejection is a server's refusal to answer a call, in its own words.
type rejection struct {
	Status     int    // of HTTP; 200 when the error came in the midst of a reply
	Kind       string // the server's own types and codes
	Message    string
	RetryAfter time.Duration
	Reset      time.Duration // until the rate limit ends; 0: unknown
	Limit      limit
	Location   string // where a redirect points
	Proxy      string // the host of the proxy that refused the call; empty: the server did
	Written    string // the reply, where the server refused to pass it on

	body gjson.Result // the part of the body that holds the error
}

func (r *rejection) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Kind, r.Message) }

// readRefusal reads an error response. It returns the tokens that were counted, and a [rejection].
func (m *Model) readRefusal(res *http.Response) (prompt.Completion, error) {
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	r := readRejection(res.StatusCode, body)
	r.headers(res.Header, m.now())
	if res.StatusCode < 400 {
		r.Location = res.Header.Get("Location")
	}
	counted := &reply{bills: m.bills()}
	if gjson.ValidBytes(body) {
		m.protocol.take(counted, "", gjson.ParseBytes(body)) // its error is the rejection
	}
	return prompt.Completion{Usage: counted.Usage}, r
}

// readRejection reads an error in any form that servers use. Other bodies are quoted, but for a model's words.
func readRejection(status int, body []byte) *rejection {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if _, data, is := bytes.Cut(body, []byte("data:")); is && !gjson.ValidBytes(body) { // a stream of one event
		if line, _, _ := bytes.Cut(data, []byte("\n")); gjson.ValidBytes(line) {
			body = line
		}
	}
	r := &rejection{Status: status}
	if !gjson.ValidBytes(body) {
		r.Message = ReadableWords(string(body))
		return r
	}
	doc := gjson.ParseBytes(body)
	if doc.IsArray() {
		doc = doc.Get("0")
	}
	inner := doc
	for _, path := range []string{"error", "choices.0.error", "response.error", "base_resp", "errors"} {
		if e := doc.Get(path); !isEmpty(e, depth) {
			r.Message = errorWords(e, depth)
			if e.IsObject() {
				inner = e
			}
			break
		}
	}
	for _, path := range []string{"type", "code", "status", "__type", "status_code"} {
		if v := inner.Get(path); v.Type == gjson.String || v.Type == gjson.Number {
			r.Kind = strings.TrimSpace(r.Kind + " " + v.String())
		}
		// Gateways report an error of their provider in a successful reply.
		if v := inner.Get(path).Int(); status < 300 && v >= 400 && v < 600 {
			r.Status = int(v)
		}
	}
	if words := errorWords(doc, depth); inner.Raw == doc.Raw && !strings.Contains(r.Message, words) {
		r.Message = words
	}
	if raw := ReadableWords(inner.Get("metadata.raw").String()); raw != "" { // OpenRouter
		r.Message += " " + raw
	}
	r.Written = inner.Get("failed_generation").String() // Groq
	if hidden := replyMarks.Match(body); hidden && r.Message != "" {
		r.Message += " (" + describeHidden("JSON", body) + ")"
	} else if hidden || r.Message == "" && r.Kind == "" {
		r.Message = ReadableWords(string(body))
	}
	r.body = inner
	return r
}

const depth = 4 // how many objects deep an error is read

// errorWords returns the words of an error: a string, an object with a message by any name, or a list (FastAPI).
func errorWords(e gjson.Result, depth int) string {
	var words []string
	add := func(v gjson.Result) {
		if w := errorWords(v, depth-1); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	switch {
	case e.Type == gjson.String:
		return ReadableWords(e.String())
	case depth == 0 || e.Type != gjson.JSON:
		return ""
	case e.IsArray():
		for _, v := range e.Array() {
			add(v)
		}
		return strings.Join(words, "; ")
	}
	for _, path := range []string{"message", "msg", "detail", "error", "error_description", "errors", "status_msg"} {
		add(e.Get(path))
	}
	text := strings.Join(words, " ")
	if loc := e.Get("loc"); loc.IsArray() && text != "" { // the field that the words are about
		text = strings.Join(council.Map(loc.Array(), gjson.Result.String), ".") + ": " + text
	}
	return text
}

// isEmpty reports whether a value is empty: servers send an empty error beside a reply.
func isEmpty(v gjson.Result, depth int) bool {
	switch {
	case v.Type == gjson.String:
		return strings.TrimSpace(v.String()) == ""
	case v.Type != gjson.JSON:
		return !v.Exists() || v.Num == 0 && v.Type != gjson.True
	case depth == 0:
		return false
	}
	nothing := true
	v.ForEach(func(_, inner gjson.Result) bool {
		nothing = isEmpty(inner, depth-1)
		return nothing
	})
	return nothing
}

// errorIn returns the error that a document within a reply reports, or nil.
func errorIn(event string, doc gjson.Result) error {
	isError := func(path string) bool { return strings.HasSuffix(strings.ToLower(doc.Get(path).String()), "error") }
	switch {
	case event == errorEvent && doc.Type == gjson.String:
		return readRejection(http.StatusOK, []byte(doc.Str))
	case event == errorEvent, isError("type"), isError("object"), doc.Get("base_resp.status_code").Int() != 0,
		!isEmpty(doc.Get("error"), depth), !isEmpty(doc.Get("choices.0.error"), depth):
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	for _, own := range []string{"choices", "type", "object", "output", "content", "delta", "usage"} {
		if doc.Get(own).Exists() {
			return nil
		}
	}
	if errorWords(doc, depth) != "" {
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	return nil
}

// replyMarks matches text that may contain a reply, which others must not see before theirs is in.
var replyMarks = regexp.MustCompile(
	`["'](choices|results?|responses?|outputs?|content|completion|candidates|delta|messages|` +
		`position|stance|ballot|ranking|rationale|candidateId)\\?["']\s*:|["']message\\?["']\s*:\s*\{|^data:|\ndata:`)

// ReadableWords returns a body's words for people: no HTML, and only the size of text that may contain a reply.
func ReadableWords(text string) string {
	text = strings.TrimSpace(text)
	form, words := "text", ""
	if doc := gjson.Parse(text); doc.Type == gjson.JSON && gjson.Valid(text) {
		form, words = "JSON", errorWords(doc, depth-1)
	}
	switch {
	case words != "":
		return words
	case strings.HasPrefix(text, "<"):
		return ""
	case replyMarks.MatchString(text):
		return describeHidden(form, []byte(text))
	}
	return text
}

func describeHidden(form string, body []byte) string {
	return fmt.Sprintf("%s of %d bytes that may hold a reply is not shown", form, len(body))
}

// limit is how long a limit lasts, by its words.
type limit string

const (
	short    limit = "short" // they ask to wait a while
	ofTheDay limit = "day"
	longer   limit = "longer" // of a week, a month or a plan: a person has to see to it, unless its end is known
)

var (
	dailyLimit = regexp.MustCompile(`(?i)per[ -_]?day|\b[rt]pd\b|daily`)
	longLimit  = regexp.MustCompile(`(?i)(?:month|week)(?:ly)?\b.{0,40}(?:limit|quota|budget|allowance|cap\b)|` +
		`(?:limit|quota|budget|allowance)\b.{0,40}(?:month|week|billing)|spend(?:ing)? (?:limit|cap)|usage.?limit`)
)

// The forms of a time in the words of a message.
var (
	spanInWords = regexp.MustCompile(`(?i)\b(?:again|retry(?:ing)?|wait|resets?|available)(?: again)?(?: (?:in|after|for|within))?` +
		`(?: (?:about|at least))? ((?:[0-9.]+(?:ms|[dhms]))+\b|(?:[0-9.]+ ?(?:` + units + `)\b(?:,? and |,? )?)+)`)
	dateInWords = regexp.MustCompile(`(?i)\b(?:at|on|until|after) (\d{4}-\d\d-\d\d(?:(?: at |[ T])\d\d:\d\d(?::\d\d(?:\.\d+)?)?` +
		`(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?)`)
	spanParts    = regexp.MustCompile(`(?i)([0-9.]+) ?(` + units + `)`)
	durationOnly = regexp.MustCompile(`(?i)^(?:[0-9.]+ ?(?:` + units + `) ?)+$`)
)

const units = `milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|d`

// parseSpan returns the length of a time in a text such as 7m12.48s or "2 minutes and 5 seconds".
func parseSpan(text string) time.Duration {
	var sum float64
	for _, part := range spanParts.FindAllStringSubmatch(strings.ToLower(text), -1) {
		n, _ := strconv.ParseFloat(part[1], 64)
		unit := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}[part[2][0]]
		if strings.HasPrefix(part[2], "ms") || strings.HasPrefix(part[2], "mil") {
			unit = time.Millisecond
		}
		sum += n * float64(unit)
	}
	return boundedWait(sum)
}

const longestWait = 100 * 365 * 24 * time.Hour // that a server may ask for, so that sums of waits do not overflow

func boundedWait(d float64) time.Duration {
	if math.IsNaN(d) || d <= 0 {
		return 0
	}
	return time.Duration(min(d, float64(longestWait)))
}

// dateForms are the formats of dates. One without a zone is in UTC.
var dateForms = []string{time.RFC1123, time.RFC850, time.ANSIC, time.RFC3339, time.RFC1123Z, "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", "2006-01-02 15:04 MST",
	"2006-01-02 15:04Z07:00", "2006-01-02 15:04", time.DateOnly}

// timeUntil returns the time until a moment that a server names: a number of seconds, a duration such as 9s, a date,
// or a Unix time in seconds or milliseconds. It is 0 for a past moment or another text.
func timeUntil(text string, now time.Time) time.Duration {
	text = strings.Replace(strings.TrimSpace(text), " at ", " ", 1)
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && n > 1e12 && n < 1e14:
		return boundedWait(float64(time.UnixMilli(int64(n)).Sub(now)))
	case err == nil && n > 1e9 && n < 1e10:
		return boundedWait(float64(time.Unix(int64(n), 0).Sub(now)))
	case err == nil:
		return boundedWait(n * float64(time.Second))
	case durationOnly.MatchString(text):
		return parseSpan(text)
	}
	for _, form := range dateForms {
		if at, err := time.Parse(form, text); err == nil {
			return boundedWait(float64(at.Sub(now)))
		}
	}
	return 0
}

// headers reads the wait from the headers of a rejection.
func (r *rejection) headers(h http.Header, now time.Time) {
	r.RetryAfter = retryAfter(h, now)
	// Of exhausted limits the last end counts, otherwise the first end.
	spent := false
	for name := range h {
		lower := strings.ToLower(name)
		if !strings.Contains(lower, "ratelimit") || !strings.Contains(lower, "reset") {
			continue
		}
		end := timeUntil(h.Get(name), now)
		reached := h.Get(strings.Replace(strings.TrimSuffix(lower, "-after"), "reset", "remaining", 1)) == "0"
		if end > 0 && (r.Reset == 0 || reached && !spent || reached == spent && reached == (end > r.Reset)) {
			r.Reset, spent = end, reached
		}
	}
}

// retryAfter returns the wait that a response asks for: Retry-After-Ms, else Retry-After, or 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get(name)), 64); err == nil {
			return boundedWait(ms * float64(time.Millisecond))
		}
	}
	// A date is relative to the server's own clock.
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return timeUntil(h.Get("Retry-After"), now)
}

// limits reads from the words and the body of a rejection how long a limit lasts. Headers take precedence.
func (r *rejection) limits(now time.Time) {
	byHeader := r.RetryAfter
	defer func() { r.RetryAfter = cmp.Or(byHeader, r.RetryAfter) }()
	switch {
	case dailyLimit.MatchString(r.Message):
		r.Limit = ofTheDay
	case longLimit.MatchString(r.Kind + " " + r.Message):
		r.Limit = longer
	}
	wait := func(d time.Duration) {
		if d > 0 {
			r.RetryAfter = d
		}
	}
	if found := spanInWords.FindStringSubmatch(r.Message); found != nil { // Groq, OpenAI: 7m12.48s
		wait(parseSpan(found[1]))
		r.Limit = cmp.Or(r.Limit, short)
	}
	if found := dateInWords.FindStringSubmatch(r.Message); found != nil {
		wait(timeUntil(found[1], now))
	}
	// Google puts the wait into the body ("34.5s"), also for a limit of the day, where it is of no use.
	for _, path := range []string{"retry_after", "retryAfter", "retry_after_seconds", "resets_in_seconds", "resets_at",
		"metadata.retry_after", "details.#.retryDelay|0"} {
		wait(timeUntil(r.body.Get(path).String(), now))
	}
	wait(boundedWait(r.body.Get("retry_after_ms").Float() * float64(time.Millisecond)))
	if dailyLimit.MatchString(r.body.Get("details.#.violations.#.quotaId").Raw) {
		r.Limit, r.RetryAfter = ofTheDay, 0
	}
	// OpenRouter repeats the headers of the limit in the body.
	r.Reset = cmp.Or(r.Reset, timeUntil(r.body.Get("metadata.headers.X-RateLimit-Reset").String(), now))
}

const longWait = 5 * time.Minute // the shortest wait whose end a fault names: a run does not wait so long

// rateWait returns how long to wait for the end of a rate limit, whether to retry, and words for people.
func (r *rejection) rateWait(now time.Time) (after time.Duration, retryable bool, words string) {
	after = r.RetryAfter
	if after == 0 && (r.Limit != ofTheDay || r.Reset > longWait) { // else it is the end of some shorter limit
		after = r.Reset
	}
	day := func(zone time.Duration) time.Duration { // until the day ends in a zone that is so far behind UTC
		return 24*time.Hour - now.Sub(now.UTC().Add(-zone).Truncate(24*time.Hour).Add(zone))
	}
	switch {
	case after > longWait:
		return after, true, now.Add(after).UTC().Format(" (resume after 2006-01-02 15:04 UTC)")
	case after == 0 && r.Limit == ofTheDay && strings.Contains(r.Kind, "RESOURCE_EXHAUSTED"):
		return day(8 * time.Hour), false, " (a limit of the day: resume after midnight, Pacific time)"
	case after == 0 && r.Limit == ofTheDay:
		return day(0), false, " (a limit of the day: resume when the provider's next day has begun)"
	}
	return after, true, ""
}
