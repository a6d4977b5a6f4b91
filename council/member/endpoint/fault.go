package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

// Errors of replies that cannot be used.
var (
	// errCut: a reply ended before the server said that it was whole.
	errCut = errors.New("the reply was cut off before its end")
	// errGarbled: what came back is not in the form of the protocol.
	errGarbled = errors.New("the server's reply is not in the form of its protocol")
	// errTooLong: a reply has more text than its limit. It was not read further, and a completion is made of it.
	errTooLong = errors.New("the reply is longer than its limit")
	// errIdle: a server fell silent in the midst of a reply.
	errIdle = errors.New("the server fell silent in the midst of its reply")
)

// fault turns whatever a call ended with into the error that [member.Model] promises: ctx's own error when ctx ended,
// else a [member.CallError] without secrets, with the usage that was spent.
func (m *Model) fault(ctx context.Context, err error, spent council.Usage) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var call member.CallError
	var r *rejection
	var ready *member.CallError
	switch {
	case errors.As(err, &ready):
		call = *ready
	case errors.As(err, &r):
		call = m.call(r)
	default:
		call = m.broken(err)
	}
	call.Usage = call.Usage.Add(spent)
	return &call
}

// broken puts a failure of the connection, or in the form of a reply, into words.
func (m *Model) broken(err error) member.CallError {
	host := m.base.Scheme + "://" + m.base.Host
	kind, words, retryable := council.FaultTransport, fmt.Sprintf("%s: %v", host, err), true
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(err, errIdle):
		kind, words = council.FaultTimeout, fmt.Sprintf("%s: %v (%s)", host, errIdle, idle)
	case errors.Is(err, errGarbled):
		kind, words = council.FaultFailed, fmt.Sprintf("%s: %v: is the baseUrl right?", host, errGarbled)
	case errors.Is(err, errCut), errors.Is(err, io.ErrUnexpectedEOF):
		words = fmt.Sprintf("%s: %v", host, errCut)
	case errors.Is(err, syscall.ECONNREFUSED):
		words = fmt.Sprintf("nothing answers at %s (connection refused): is the server running?", host)
		retryable = !member.Loopback(host) // here nothing will start by itself; elsewhere a server may be restarting
	case errors.As(err, &dns) && dns.IsNotFound:
		words, retryable = fmt.Sprintf("there is no host %s: is the baseUrl right?", m.base.Hostname()), false
	case errors.As(err, &cert), errors.As(err, &plain):
		words, retryable = fmt.Sprintf("%s: no secure connection: %v", host, err), false
	}
	return m.failed(kind, words, retryable)
}

// failed returns the error of a call, without secrets.
func (m *Model) failed(kind council.FaultKind, words string, retryable bool) member.CallError {
	fault := council.Fault{Kind: kind, Message: member.Redact(words, m.wallet.Secrets()...)}
	return member.CallError{Fault: fault, Retryable: retryable}
}

// maxErrorBody bounds what is read of an error, in bytes: its words are for people.
const maxErrorBody = 64 << 10

// rejection is a server's refusal to answer a call, in its own words.
type rejection struct {
	Status     int    // of HTTP; 200 when the error came in the midst of a reply
	Kind       string // the server's own types and codes
	Message    string
	RetryAfter time.Duration
	Until      time.Time // when the limit ends by the server's own words; zero: unknown
	Daily      bool      // whether the limit is one of a day
	Location   string    // where a redirect points
	Written    string    // what the model had written, where the server refused to pass it on
}

func (r *rejection) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Kind, r.Message) }

// mayBeAboutTheRequest reports whether the rejection may be cured by another request: not those about who asks, how
// often or from where.
func (r *rejection) mayBeAboutTheRequest() bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return r.Status >= 400
}

// check makes a response that is not success a [rejection], and passes others on.
func (m *Model) check(res *http.Response, err error) (*http.Response, error) {
	if err != nil || res.StatusCode < 300 {
		return res, err
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	r := readRejection(res.StatusCode, body)
	if after := retryAfter(res.Header, m.now()); after > 0 {
		r.RetryAfter = after
	}
	r.reset(res.Header.Get("X-RateLimit-Reset"))
	if res.StatusCode < 400 {
		r.Location = res.Header.Get("Location")
	}
	return nil, r
}

// readRejection reads an error object in any of the forms that servers use. A body in none of them is the message
// itself.
func readRejection(status int, body []byte) *rejection {
	r := &rejection{Status: status}
	if !gjson.ValidBytes(body) {
		r.Message = plain(body)
		return r
	}
	doc := gjson.ParseBytes(body)
	if doc.IsArray() {
		doc = doc.Get("0")
	}
	inner := doc
	if e := doc.Get("error"); e.IsObject() {
		inner = e
	} else if e.Type == gjson.String {
		r.Message = e.String()
	}
	for _, path := range []string{"type", "code", "status"} {
		if v := inner.Get(path); v.Type == gjson.String || v.Type == gjson.Number {
			r.Kind = strings.TrimSpace(r.Kind + " " + v.String())
		}
		// Gateways pass on an error of the provider behind them in a reply of their own.
		if v := inner.Get(path); v.Type == gjson.Number && status < 300 && v.Int() >= 400 && v.Int() < 600 {
			r.Status = int(v.Int())
		}
	}
	for _, path := range []string{"message", "detail", "metadata.raw"} {
		if v := inner.Get(path); v.Exists() && v.String() != "" {
			r.Message = strings.TrimSpace(r.Message + " " + v.String())
		}
	}
	r.Written = inner.Get("failed_generation").String() // Groq
	if r.Message == "" {
		r.Message = plain(body)
	}
	r.limits(inner)
	return r
}

// plain keeps what a person can read of a body: not the HTML page of a proxy.
func plain(body []byte) string {
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] != '<' {
		return string(trimmed)
	}
	return ""
}

// call turns a rejection into the error of a call.
func (m *Model) call(r *rejection) member.CallError {
	kind := r.fault()
	retryable, words := kind.Passing(), cmp.Or(r.Message, r.Kind)
	after, held := r.RetryAfter, ""
	if kind == council.FaultRate {
		after, retryable, held = r.held(m.now())
	}
	if r.Status >= 300 {
		words = strings.TrimSuffix(fmt.Sprintf("%d %s%s: %s", r.Status, http.StatusText(r.Status), held, words), ": ")
	}
	switch {
	case r.Location != "":
		words = fmt.Sprintf("%s redirects to %s, which is not followed: set baseUrl to the right address", m.base, r.Location)
	case kind == council.FaultModelMissing && r.Message == "":
		words = fmt.Sprintf("%s (from %s: is the baseUrl right?)", words, m.base)
	case kind == council.FaultModelMissing:
		words = fmt.Sprintf("%s (model %q at %s)", words, m.model.Model, m.base)
	case kind == council.FaultAuth && m.caller == credential.None:
		words += " (no key was sent: name its variable in apiKeyEnv)"
	}
	call := m.failed(kind, words, retryable)
	call.RetryAfter = after
	return call
}

// sure are faults that a status alone tells; those of likely hold where the words tell no other.
var (
	sure = map[int]council.FaultKind{http.StatusPaymentRequired: council.FaultBilling,
		http.StatusUnauthorized: council.FaultAuth, http.StatusRequestEntityTooLarge: council.FaultContextTooLong}
	likely = map[int]council.FaultKind{http.StatusForbidden: council.FaultAuth,
		http.StatusNotFound: council.FaultModelMissing, http.StatusTooManyRequests: council.FaultRate,
		http.StatusRequestTimeout: council.FaultTimeout, http.StatusGatewayTimeout: council.FaultTimeout,
		http.StatusConflict: council.FaultFailed, http.StatusTooEarly: council.FaultFailed}
)

// phrase tells a fault by any of some words.
type phrase struct {
	kind  council.FaultKind
	words []string
}

// phrases identify faults that providers send with the status of another fault. They are looked for in the
// server's codes and message, in this order.
var phrases = []phrase{
	{council.FaultBilling, []string{"insufficient_quota", "billing_error", "billing_hard_limit", "billing_not_active",
		"credit balance", "insufficient credits", "insufficient balance", "requires more credits"}},
	{council.FaultFailed, []string{"overloaded"}},
	{council.FaultContextTooLong, []string{"context_length", "context length", "context window", "context size",
		"prompt is too long", "input is too long", "request_too_large", "too many tokens"}},
	{council.FaultAuth, []string{"api key not valid", "invalid api key", "incorrect api key"}},
	{council.FaultRefusal, []string{"content_filter", "content_policy", "content management policy"}},
	{council.FaultModelMissing, []string{"model_not_found", "not_found_error", "not a valid model", "model not found",
		"model does not exist", "unknown model", "no such model"}},
}

// codes tell faults by the server's own code alone, for errors that come in the midst of a reply.
var codes = []phrase{
	{council.FaultRate, []string{"rate_limit"}},
	{council.FaultAuth, []string{"authentication", "permission", "invalid_api_key"}},
	{council.FaultTimeout, []string{"timeout"}},
}

// FaultOf identifies a fault by a provider's words alone, as a gateway or an agent passes them on. It is empty when
// they show none.
func FaultOf(words string) council.FaultKind { return find(phrases, words) }

func find(phrases []phrase, words string) council.FaultKind {
	words = strings.ToLower(words)
	for _, p := range phrases {
		for _, w := range p.words {
			if strings.Contains(words, w) {
				return p.kind
			}
		}
	}
	return ""
}

// fault returns which fault a rejection is. An error in the midst of a reply is the server's; a request that it rejects
// stays rejected.
func (r *rejection) fault() council.FaultKind {
	last := council.FaultRejected
	if r.Status >= 500 || r.Status < 300 {
		last = council.FaultFailed
	}
	return cmp.Or(sure[r.Status], FaultOf(r.Kind+" "+r.Message), likely[r.Status], find(codes, r.Kind), last)
}

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
