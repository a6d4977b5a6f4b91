package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

func TestWordsAreFoundInEveryFormOfError(t *testing.T) {
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
		t.Run(test.name, func(t *testing.T) {
			if r := readRejection(500, []byte(test.body)); r.Kind != test.kind || r.Message != test.message {
				t.Errorf("%q, %q", r.Kind, r.Message)
			}
		})
	}
}

func TestAGatewayPassesOnTheStatusBehindIt(t *testing.T) {
	r := readRejection(200, []byte(`{"error":{"code":429,"message":"slow down"}}`))
	check.Is(t, "it", council.FaultRate, r.fault())
}

func TestAnErrorWithoutEndIsReadInPart(t *testing.T) {
	endless := &http.Response{StatusCode: 500, Header: http.Header{}, Body: io.NopCloser(io.LimitReader(zeros{}, 1<<30))}
	m, err := New(council.Model{Provider: "p", Model: "m", BaseURL: "http://localhost"},
		Options{Getenv: func(string) string { return "" }})
	check.OK(t, err)
	_, err = m.refused(endless)
	var r *rejection
	if !errors.As(err, &r) || len(r.Message) > maxErrorBody {
		t.Errorf("%T", err)
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
		call := m.call(readRejection(status, []byte(body)))
		m := call.Fault.Message
		if !utf8.ValidString(m) || utf8.RuneCountInString(m) > member.MaxFault || strings.ContainsAny(m, "\n\x1b") {
			t.Fatalf("%q", m)
		}
	})
}
