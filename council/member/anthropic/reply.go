package anthropic

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// reply collects what one call brings.
type reply struct {
	text strings.Builder
	stop string
	done bool
	prompt.Completion
}

// read reads a reply, streamed or not: some gateways do not stream whatever they are asked.
func read(res *http.Response, stream *endpoint.Stream) (prompt.Completion, error) {
	var r reply
	r.RequestID = res.Header.Get("Request-Id")
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
	for !r.done && events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		if len(data) == 0 {
			continue
		}
		if err := r.take(data); err != nil {
			return prompt.Completion{Usage: r.Usage}, err
		}
		stream.Begun() // the first event comes when the prompt has been read
		if r.text.Len() > 0 {
			stream.Speaking()
		}
		if stream.Full(r.text.Len()) {
			r.Text = r.text.String()
			return r.Completion, endpoint.ErrTooLong
		}
	}
	if r.done {
		endpoint.Drain(res.Body)
	}
	c, err := r.completion()
	if broken := events.Err(); err != nil && broken != nil {
		return c, fmt.Errorf("%w: %w", err, broken)
	}
	return c, err
}

// take adds one event of a stream. Events of kinds unknown here are passed over, as the protocol asks.
func (r *reply) take(data []byte) error {
	if !gjson.ValidBytes(data) {
		return endpoint.ErrGarbled
	}
	doc := gjson.ParseBytes(data)
	switch doc.Get("type").String() {
	case "error":
		return endpoint.Words(http.StatusOK, data)
	case "message_start":
		r.head(doc.Get("message"))
	case "content_block_delta":
		if doc.Get("delta.type").String() == "text_delta" {
			r.text.WriteString(doc.Get("delta.text").String())
		}
	case "message_delta":
		if stop := doc.Get("delta.stop_reason").String(); stop != "" {
			r.stop = stop
		}
		r.count(doc.Get("usage"))
	case "message_stop":
		r.done = true
	}
	return nil
}

// takeWhole reads a reply that was not streamed.
func (r *reply) takeWhole(body []byte) error {
	if !gjson.ValidBytes(body) {
		return endpoint.ErrGarbled
	}
	doc := gjson.ParseBytes(body)
	switch doc.Get("type").String() {
	case "error":
		return endpoint.Words(http.StatusOK, body)
	case "message":
	default:
		return endpoint.ErrGarbled
	}
	r.head(doc)
	doc.Get("content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").String() == "text" {
			r.text.WriteString(b.Get("text").String())
		}
		return true
	})
	r.stop, r.done = doc.Get("stop_reason").String(), true
	return nil
}

func (r *reply) head(doc gjson.Result) {
	r.Usage.Model = doc.Get("model").String()
	if id := doc.Get("id").String(); r.RequestID == "" {
		r.RequestID = id
	}
	r.count(doc.Get("usage"))
}

// count notes the tokens. Later counts replace earlier ones; this protocol counts the kinds of input apart.
func (r *reply) count(u gjson.Result) {
	for name, to := range map[string]*int64{
		"input_tokens":                &r.Usage.InputTokens,
		"cache_read_input_tokens":     &r.Usage.CachedTokens,
		"cache_creation_input_tokens": &r.Usage.CacheWriteTokens,
		"output_tokens":               &r.Usage.OutputTokens,
	} {
		if v := u.Get(name); v.Exists() && v.Type != gjson.Null {
			*to = endpoint.Tokens(v)
			if name == "output_tokens" { // which counts reasoning too
				r.Usage.ReasoningTokens = min(endpoint.Tokens(u.Get("output_tokens_details.thinking_tokens")), *to)
				*to -= r.Usage.ReasoningTokens
			}
		}
	}
}

// completion is the whole reply. One that no reason to stop and no end mark closes was cut.
func (r *reply) completion() (prompt.Completion, error) {
	c := r.Completion
	c.Text = r.text.String()
	switch r.stop {
	case "":
		if !r.done {
			return c, endpoint.ErrCut
		}
		c.Stop = prompt.StopEnd
	case "max_tokens", "model_context_window_exceeded":
		c.Stop = prompt.StopLength
	case "refusal":
		c.Stop = prompt.StopRefusal
	default:
		c.Stop = prompt.StopEnd
	}
	return c, nil
}
