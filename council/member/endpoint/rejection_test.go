package endpoint

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

func TestRejection_WordsAreFoundInEveryFormOfError(t *testing.T) {
	tests := []struct{ name, body, kind, message string }{
		{"OpenAI", `{"error":{"message":"no","type":"invalid_request_error","code":"model_not_found"}}`,
			"invalid_request_error model_not_found", "no"},
		{"Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"no"}}`, "overloaded_error", "no"},
		{"a string", `{"error":"no"}`, "", "no"},
		{"vLLM", `{"object":"error","message":"no","type":"NotFoundError","code":404}`, "NotFoundError 404", "no"},
		{"FastAPI", `{"detail":"no"}`, "", "no"},
		{"Gemini", `[{"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED"}}]`, "429 RESOURCE_EXHAUSTED", "no"},
		{"OpenRouter", `{"error":{"code":502,"message":"no","metadata":{"raw":"upstream says no"}}}`, "502",
			"no upstream says no"},
		{"plain text", "no\n", "", "no"},
		{"a page", "<html>no</html>", "", ""},
		{"nothing", "", "", ""},
	}
	for _, test := range tests {
		r := readRejection(500, []byte(test.body))
		check.Is(t, test.name, test.kind+": "+test.message, r.Kind+": "+r.Message)
	}
}

func TestRejection_AGatewayPassesOnTheStatusBehindIt(t *testing.T) {
	r := readRejection(200, []byte(`{"error":{"code":429,"message":"slow down"}}`))
	check.Is(t, "it", council.FaultRate, r.fault())
}

func TestRejection_AnErrorWithoutEndIsReadInPart(t *testing.T) {
	endless := &http.Response{StatusCode: 500, Header: http.Header{}, Body: io.NopCloser(io.LimitReader(zeros{}, 1<<30))}
	m := check.Get(New(council.Model{Provider: "p", Model: "m", BaseURL: "http://localhost"},
		Options{Getenv: func(string) string { return "" }}))(t)
	_, err := m.readRefusal(endless)
	if r := check.As[*rejection](t, err); len(r.Message) > maxErrorBody {
		t.Errorf("%d bytes were read", len(r.Message))
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func FuzzRejection(f *testing.F) {
	f.Add(429, `{"error":{"message":"no","code":429}}`)
	f.Add(200, `[{"error":"sk-abcdefghijkl"}]`)
	m := check.Get(New(council.Model{Provider: "p", Model: "m", BaseURL: "http://localhost"},
		Options{Getenv: func(string) string { return "" }}))(f)
	f.Fuzz(func(t *testing.T, status int, body string) {
		call := m.rejectionError(readRejection(status, []byte(body)))
		m := call.Fault.Message
		if !utf8.ValidString(m) || utf8.RuneCountInString(m) > member.MaxFault || strings.ContainsAny(m, "\n\x1b") {
			t.Fatalf("%q", m)
		}
	})
}

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
		h := http.Header{}
		for name, value := range test.headers {
			h.Set(name, value)
		}
		check.Is(t, test.name, test.want, retryAfter(h, now))
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
