package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// fuzzed returns a model of each protocol.
func fuzzed(f *testing.F) (models []*Model) {
	for _, c := range []council.Model{{Provider: "p", API: "chat-completions"}, {Provider: "p", API: "responses"},
		{Provider: "anthropic"}} {
		c.Model, c.BaseURL = "m", "http://localhost"
		m := check.Get(New(c, Options{Getenv: func(string) string { return "" }}))(f)
		models = append(models, m)
	}
	return models
}

func (m *Model) readText(body string) (prompt.Completion, error) {
	res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	return m.read(context.Background(), &prompt.Prompt{}, res)
}

// streams returns a stream of each protocol that says a text in pieces of a size, up to the event with the reason.
func streams(text string, size int) (bodies [3]string) {
	for rest := text; rest != ""; {
		n := min(size, len(rest))
		piece, _ := json.Marshal(rest[:n])
		rest = rest[n:]
		for i, form := range []string{`data: {"choices":[{"index":0,"delta":{"content":%s}}]}`,
			`data: {"type":"response.output_text.delta","delta":%s}`,
			"event: content_block_delta\n" + `data: {"type":"content_block_delta","delta":{"type":"text_delta","text":%s}}`} {
			bodies[i] += fmt.Sprintf(form, piece) + "\n\n"
		}
	}
	return bodies
}

// FuzzStream cuts a stream anywhere before the reason for its end and lets it go on in some other way: only one JSON
// object is then taken for a whole reply.
func FuzzStream(f *testing.F) {
	models := fuzzed(f)
	f.Add("# Design\n\n1. Measure.", uint8(4), uint16(60), "")
	f.Add("# Design", uint8(3), uint16(400), "data: [DONE]\n\n")
	f.Add(`{"ballot":"YES"}`, uint8(9), uint16(90), "\n\ndata: [DONE]\n\n")
	f.Add("# A", uint8(1), uint16(80), "\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")
	f.Add("# A", uint8(1), uint16(80), "\n\nevent: error\ndata: {\"message\":\"stop\"}\n\n")
	f.Fuzz(func(t *testing.T, text string, size uint8, cut uint16, rest string) {
		text = strings.ToValidUTF8(text, "")
		for _, end := range []string{"reason", "status", "type", "refusal", `\u`, "output"} {
			if strings.Contains(strings.ToLower(rest), end) { // it may give a reason itself
				return
			}
		}
		for i, stream := range streams(text, int(size)+1) {
			body := stream[:min(int(cut), len(stream))] + rest
			c, err := models[i].readText(body)
			if err == nil && c.Stop == prompt.StopEnd && !isObject(c.Text) {
				t.Errorf("a part is taken for a whole: %q\nof the stream\n%s", c.Text, body)
			}
		}
	})
}

// FuzzReply reads any body: a reply without an error gives a known reason for its end, or is one JSON object.
func FuzzReply(f *testing.F) {
	models := fuzzed(f)
	for _, seed := range []string{
		`{"choices":[{"message":{"content":"yes"},"finish_reason":"stop"}]}`, "\ufeff[{\"error\":\"no\"}]", "<html>",
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"event: error\ndata: x\n\n", "error: {}\n\n", `{"output":[{"content":[{"text":"a"}]}],"status":"completed"}`,
		`{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`,
		"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\nevent: message_stop\ndata: {}\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, m := range models {
			c, err := m.readText(body)
			if err != nil {
				m.fault(context.Background(), err, c.Usage)
				continue
			}
			known := isObject(c.Text)
			for word := range strings.FieldsSeq(reasons[prompt.StopEnd]) {
				known = known || strings.Contains(plainReason(body), plainReason(word))
			}
			if c.Stop == prompt.StopEnd && !known && !strings.Contains(body, `\`) {
				t.Errorf("%q has no reason for its end, and is taken for %q", body, c.Text)
			}
		}
	})
}
