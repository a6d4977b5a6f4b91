package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// response collects what one call by the responses protocol brings.
type response struct {
	text    strings.Builder
	refusal strings.Builder
	status  string // completed or incomplete, once the server has said so
	reason  string // why it is incomplete
	bills   bool   // the server says what it bills
	prompt.Completion
}

// readResponse reads a reply, streamed or not: some servers do not stream whatever they are asked.
func (m *Model) readResponse(res *http.Response, stream *endpoint.Stream) (prompt.Completion, error) {
	r := response{bills: m.endpoint.Bills()}
	r.RequestID = res.Header.Get("X-Request-Id")
	if body, whole, err := stream.Whole(res); whole || err != nil {
		if err == nil {
			err = r.takeWhole(body)
		}
		if err != nil {
			return prompt.Completion{}, err
		}
		return r.completion()
	}
	events := ssestream.NewDecoder(res)
	for r.status == "" && events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if len(data) == 0 {
			continue
		}
		if err := r.take(data, stream); err != nil {
			return prompt.Completion{Usage: r.Usage}, err
		}
		if stream.Full(r.text.Len() + r.refusal.Len()) {
			r.Text = r.text.String()
			return r.Completion, endpoint.ErrTooLong
		}
	}
	if r.status != "" {
		endpoint.Drain(res.Body)
	}
	c, err := r.completion()
	if broken := events.Err(); err != nil && broken != nil {
		return c, fmt.Errorf("%w: %w", err, broken)
	}
	return c, err
}

// take adds one event of a stream. Events of kinds unknown here are passed over.
func (r *response) take(data []byte, stream *endpoint.Stream) error {
	if bytes.Equal(data, []byte("[DONE]")) {
		return nil // no part of the protocol, but gateways send it
	}
	if !gjson.ValidBytes(data) {
		return endpoint.ErrGarbled
	}
	doc := gjson.ParseBytes(data)
	switch kind := doc.Get("type").String(); kind {
	case "error":
		return endpoint.Words(http.StatusOK, data)
	case "response.output_item.added":
		stream.Begun()
	case "response.output_text.delta", "response.refusal.delta":
		stream.Begun()
		stream.Speaking()
		if kind == "response.refusal.delta" {
			r.refusal.WriteString(doc.Get("delta").String())
		} else {
			r.text.WriteString(doc.Get("delta").String())
		}
	case "response.failed":
		r.head(doc.Get("response"))
		return endpoint.Words(http.StatusOK, []byte(doc.Get("response").Raw))
	case "response.completed", "response.incomplete":
		r.head(doc.Get("response"))
		r.end(doc.Get("response"))
	default:
		if doc.Get("error").IsObject() { // of a gateway, in no form of this protocol
			return endpoint.Words(http.StatusOK, data)
		}
	}
	return nil
}

// takeWhole reads a reply that was not streamed.
func (r *response) takeWhole(body []byte) error {
	if !gjson.ValidBytes(body) {
		return endpoint.ErrGarbled
	}
	doc := gjson.ParseBytes(body)
	if e := doc.Get("error"); e.IsObject() || e.Type == gjson.String {
		return endpoint.Words(http.StatusOK, body)
	}
	if !doc.Get("output").IsArray() {
		return endpoint.ErrGarbled
	}
	r.head(doc)
	r.end(doc)
	return nil
}

func (r *response) head(doc gjson.Result) {
	r.Usage.Model = doc.Get("model").String()
	if id := doc.Get("id").String(); r.RequestID == "" {
		r.RequestID = id
	}
	if u := doc.Get("usage"); u.IsObject() {
		written := endpoint.Tokens(u.Get("output_tokens"))
		reasoning := min(endpoint.Tokens(u.Get("output_tokens_details.reasoning_tokens")), written)
		r.Usage = usage(r.Usage.Model, endpoint.Tokens(u.Get("input_tokens")), u.Get("input_tokens_details"), written, reasoning)
		if r.bills {
			bill(&r.Usage, u)
		}
	}
}

// end reads the whole response that the last event holds. Its text counts where none was streamed.
func (r *response) end(doc gjson.Result) {
	r.status, r.reason = doc.Get("status").String(), doc.Get("incomplete_details.reason").String()
	if r.status == "" {
		r.status = "completed"
	}
	streamed := r.text.Len()+r.refusal.Len() > 0
	doc.Get("output.#.content|@flatten").ForEach(func(_, part gjson.Result) bool {
		if !streamed && part.Get("type").String() != "reasoning_text" { // vLLM and LM Studio show what was thought
			r.text.WriteString(part.Get("text").String())
			r.refusal.WriteString(part.Get("refusal").String())
		}
		return true
	})
}

// completion is the whole reply. One that the server did not end was cut.
func (r *response) completion() (prompt.Completion, error) {
	c := r.Completion
	c.Text = r.text.String()
	switch {
	case r.status == "completed":
		c.Stop = prompt.StopEnd
	case r.status == "incomplete" && r.reason == "content_filter":
		c.Stop = prompt.StopRefusal
	case r.status == "incomplete":
		c.Stop = prompt.StopLength
	default:
		return c, endpoint.ErrCut
	}
	if words := r.refusal.String(); words != "" {
		c.Stop, c.Text = prompt.StopRefusal, words
	}
	return c, nil
}
