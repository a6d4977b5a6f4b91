package endpoint

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
)

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
