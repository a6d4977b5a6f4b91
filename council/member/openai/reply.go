package openai

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// reply collects what one call brings. Only the first choice counts: no more were asked for.
type reply struct {
	text    strings.Builder
	refusal strings.Builder
	finish  string
	done    bool // the server said that nothing follows
	bills   bool // the server says what it bills
	prompt.Completion
}

// read reads a reply, streamed or not: some servers do not stream whatever they are asked.
func (m *Model) read(res *http.Response, stream *endpoint.Stream) (prompt.Completion, error) {
	r := reply{bills: m.endpoint.Bills()}
	r.RequestID = res.Header.Get("X-Request-Id")
	if body, whole, err := stream.Whole(res); whole || err != nil {
		if err == nil {
			r.done = gjson.GetBytes(body, "choices.0").Exists()
			err = r.take(body, "message")
		}
		if err != nil {
			return prompt.Completion{}, err
		}
		return r.completion()
	}
	// The SDK's own stream stops at an empty event, which gateways send to keep the connection; its decoder does not.
	events := ssestream.NewDecoder(res)
	for !r.done && events.Next() {
		data := bytes.TrimSpace(events.Event().Data)
		switch {
		case len(data) == 0:
		case bytes.Equal(data, []byte("[DONE]")):
			r.done = true
		default:
			if err := r.take(data, "delta"); err != nil {
				return prompt.Completion{Usage: r.Usage}, err
			}
		}
		if len(data) > 0 {
			stream.Begun()
		}
		if r.text.Len() > 0 {
			stream.Speaking()
		}
		if stream.Full(r.text.Len() + r.refusal.Len()) {
			r.Text = r.text.String()
			return r.Completion, endpoint.ErrTooLong
		}
	}
	if r.done {
		endpoint.Drain(res.Body)
	}
	c, err := r.completion()
	// How a stream breaks off matters only if that cut the reply.
	if broken := events.Err(); err != nil && broken != nil {
		return c, fmt.Errorf("%w: %w", err, broken)
	}
	return c, err
}

// take adds one chunk, or a whole reply that was not streamed; field says where it keeps its text.
func (r *reply) take(data []byte, field string) error {
	if !gjson.ValidBytes(data) {
		return endpoint.ErrGarbled
	}
	doc := gjson.ParseBytes(data)
	if e := doc.Get("error"); e.IsObject() || e.Type == gjson.String {
		return endpoint.Words(http.StatusOK, data)
	}
	if name := doc.Get("model").String(); name != "" {
		r.Usage.Model = name
	}
	if id := doc.Get("id").String(); r.RequestID == "" {
		r.RequestID = id
	}
	if u := doc.Get("usage"); u.IsObject() {
		r.count(u)
	}
	choice := doc.Get("choices.0")
	if choice.Get("index").Int() != 0 {
		return nil
	}
	r.text.WriteString(said(choice.Get(field + ".content")))
	r.refusal.WriteString(choice.Get(field + ".refusal").String())
	if finish := choice.Get("finish_reason").String(); finish != "" {
		r.finish = finish
	}
	return nil
}

// said is the text of a content: a string, or of a list of parts those of the type text. Models that reason list what they
// thought beside it (Mistral).
func said(content gjson.Result) string {
	if !content.IsArray() {
		return content.String()
	}
	var b strings.Builder
	for _, part := range content.Array() {
		if kind := part.Get("type").String(); kind == "text" || kind == "output_text" {
			b.WriteString(part.Get("text").String())
		}
	}
	return b.String()
}

// count notes the tokens. xAI and Gemini count reasoning beside the completion's tokens, which only their total shows.
func (r *reply) count(u gjson.Result) {
	all, written := endpoint.Tokens(u.Get("prompt_tokens")), endpoint.Tokens(u.Get("completion_tokens"))
	reasoning := min(endpoint.Tokens(u.Get("completion_tokens_details.reasoning_tokens")), written)
	if beside := endpoint.Tokens(u.Get("total_tokens")) - all - written; beside > 0 {
		written, reasoning = written+beside, beside
	}
	r.Usage = usage(r.Usage.Model, all, u.Get("prompt_tokens_details"), written, reasoning)
	if r.bills {
		bill(&r.Usage, u)
	}
}

// bill notes what the server says that the call cost.
func bill(into *council.Usage, u gjson.Result) {
	if cost, said := endpoint.Billed(u); said {
		into.Billed, into.BilledCalls = cost, 1
	}
}

// usage takes the kinds of tokens apart. Both protocols count tokens that were read from the cache or written to it among
// those of the prompt, and reasoning among those of the reply.
func usage(model string, all int64, details gjson.Result, written, reasoning int64) council.Usage {
	cached := min(endpoint.Tokens(details.Get("cached_tokens")), all)
	kept := min(endpoint.Tokens(details.Get("cache_write_tokens")), all-cached)
	return council.Usage{
		Model:            model,
		InputTokens:      all - cached - kept,
		CachedTokens:     cached,
		CacheWriteTokens: kept,
		OutputTokens:     written - reasoning,
		ReasoningTokens:  reasoning,
	}
}

// completion is the whole reply. One that no reason to stop and no end mark closes was cut.
func (r *reply) completion() (prompt.Completion, error) {
	c := r.Completion
	c.Text = r.text.String()
	switch r.finish {
	case "":
		if !r.done {
			return c, endpoint.ErrCut
		}
		c.Stop = prompt.StopEnd
	case "length":
		c.Stop = prompt.StopLength
	case "content_filter":
		c.Stop = prompt.StopRefusal
	case "error":
		return c, endpoint.ErrCut
	default:
		c.Stop = prompt.StopEnd
	}
	if words := r.refusal.String(); words != "" {
		c.Stop, c.Text = prompt.StopRefusal, words
	}
	return c, nil
}
