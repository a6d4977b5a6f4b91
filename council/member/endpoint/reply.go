package endpoint

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// reply collects what one call brings, in the events of a stream or whole: some servers do not stream whatever they are
// asked. The usage has tokens alone.
type reply struct {
	prompt.Completion
	text    strings.Builder
	refusal strings.Builder
	finish  string // why the model stopped, in the server's words
	begun   bool   // the server has read the prompt
	done    bool   // the server said that nothing follows
	bills   bool   // the server reports the cost
}

// stops are the words of servers for a reply that stopped before its end; any other word is an end.
var stops = map[string]prompt.Stop{
	"length": prompt.StopLength, "max_tokens": prompt.StopLength, "model_context_window_exceeded": prompt.StopLength,
	"content_filter": prompt.StopRefusal, "refusal": prompt.StopRefusal,
}

// StopOf reads the reason to stop in the words that providers have for it.
func StopOf(reason string) prompt.Stop { return cmp.Or(stops[reason], prompt.StopEnd) }

// completion returns the whole reply. It is [errCut] where no reason and no end mark closes it.
func (r *reply) completion() (prompt.Completion, error) {
	c := r.Completion
	c.Text = r.text.String()
	if r.finish == "error" || r.finish == "" && !r.done {
		return c, errCut
	}
	c.Stop = StopOf(r.finish)
	if words := r.refusal.String(); words != "" {
		c.Stop, c.Text = prompt.StopRefusal, words
	}
	return c, nil
}

// name notes which model answered, and by which id the server knows the call, unless a header said so.
func (r *reply) name(doc gjson.Result) {
	r.Usage.Model = cmp.Or(doc.Get("model").String(), r.Usage.Model)
	r.RequestID = cmp.Or(r.RequestID, doc.Get("id").String())
}

// chat takes a chunk of a reply, or a whole one. Only the first choice counts: no more were asked for.
func (r *reply) chat(doc gjson.Result, whole bool) error {
	field := "delta"
	if r.begun = true; whole {
		field, r.done = "message", doc.Get("choices.0").Exists()
	}
	if err := said(doc); err != nil {
		return err
	}
	r.name(doc)
	r.count(doc.Get("usage"), "prompt_tokens", "completion_tokens")
	choice := doc.Get("choices.0")
	if choice.Get("index").Int() == 0 {
		r.text.WriteString(textOf(choice.Get(field + ".content")))
		r.refusal.WriteString(choice.Get(field + ".refusal").String())
		r.finish = cmp.Or(choice.Get("finish_reason").String(), r.finish)
	}
	return nil
}

// responses takes an event, or a whole reply. Events of kinds unknown here are passed over.
func (r *reply) responses(doc gjson.Result, whole bool) error {
	delta := doc.Get("delta").String()
	switch kind := doc.Get("type").String(); {
	case whole:
		if err := said(doc); err != nil {
			return err
		}
		if !doc.Get("output").IsArray() {
			return errGarbled
		}
		r.response(doc)
	case kind == "error":
		return readRejection(http.StatusOK, []byte(doc.Raw))
	case kind == "response.output_item.added":
		r.begun = true
	case kind == "response.output_text.delta":
		r.begun = true
		r.text.WriteString(delta)
	case kind == "response.refusal.delta":
		r.begun = true
		r.refusal.WriteString(delta)
	case kind == "response.failed":
		r.response(doc.Get("response"))
		return readRejection(http.StatusOK, []byte(doc.Get("response").Raw))
	case kind == "response.completed", kind == "response.incomplete":
		r.response(doc.Get("response"))
	case doc.Get("error").IsObject(): // of a gateway, in no form of this protocol
		return said(doc)
	}
	return nil
}

// response takes the whole response that the last event holds. Its text counts where none was streamed; vLLM and LM
// Studio show what was thought beside it.
func (r *reply) response(doc gjson.Result) {
	r.name(doc)
	r.count(doc.Get("usage"), "input_tokens", "output_tokens")
	if parts := doc.Get("output.#.content|@flatten"); r.text.Len()+r.refusal.Len() == 0 {
		r.text.WriteString(textOf(parts))
		for _, words := range parts.Get("#.refusal").Array() {
			r.refusal.WriteString(words.String())
		}
	}
	r.done = true
	switch status, reason := doc.Get("status").String(), doc.Get("incomplete_details.reason").String(); {
	case status == "incomplete" && reason == "content_filter":
		r.finish = reason
	case status == "incomplete":
		r.finish = "length"
	case status != "" && status != "completed":
		r.finish = "error"
	}
}

// messages takes an event, or a whole reply. Events of kinds unknown here are passed over, as the protocol asks.
func (r *reply) messages(doc gjson.Result, whole bool) error {
	r.begun = true // the first event comes when the prompt has been read
	switch kind := doc.Get("type").String(); {
	case kind == "error":
		return readRejection(http.StatusOK, []byte(doc.Raw))
	case whole && kind != "message":
		return errGarbled
	case whole:
		r.message(doc)
		r.text.WriteString(textOf(doc.Get("content")))
		r.finish, r.done = doc.Get("stop_reason").String(), true
	case kind == "message_start":
		r.message(doc.Get("message"))
	case kind == "content_block_delta" && doc.Get("delta.type").String() == "text_delta":
		r.text.WriteString(doc.Get("delta.text").String())
	case kind == "message_delta":
		r.finish = cmp.Or(doc.Get("delta.stop_reason").String(), r.finish)
		r.message(doc)
	case kind == "message_stop":
		r.done = true
	}
	return nil
}

// message notes the head of a message, and its tokens. Later counts replace earlier ones; this protocol counts the
// kinds of input apart.
func (r *reply) message(doc gjson.Result) {
	r.name(doc)
	for name, to := range map[string]*int64{
		"input_tokens":                &r.Usage.InputTokens,
		"cache_read_input_tokens":     &r.Usage.CachedTokens,
		"cache_creation_input_tokens": &r.Usage.CacheWriteTokens,
		"output_tokens":               &r.Usage.OutputTokens,
	} {
		if v := doc.Get("usage." + name); v.Type != gjson.Null {
			*to = Tokens(v)
			if name == "output_tokens" { // which counts reasoning too
				r.Usage.ReasoningTokens = min(Tokens(doc.Get("usage.output_tokens_details.thinking_tokens")), *to)
				*to -= r.Usage.ReasoningTokens
			}
		}
	}
}

// textOf returns the text of a content: a string, or of a list of parts those of the type text. Models that reason list
// their thoughts among them (Mistral).
func textOf(content gjson.Result) string {
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

// count notes the tokens by either protocol of OpenAI. They count tokens that were read from the cache or written to it
// among those of the prompt, and reasoning among those of the reply. xAI and Gemini do not count reasoning there; only
// their total shows it.
func (r *reply) count(u gjson.Result, in, out string) {
	if !u.IsObject() {
		return
	}
	all, written := Tokens(u.Get(in)), Tokens(u.Get(out))
	reasoning := min(Tokens(u.Get(out+"_details.reasoning_tokens")), written)
	if beside := Tokens(u.Get("total_tokens")) - all - written; beside > 0 {
		written, reasoning = written+beside, beside
	}
	cached := min(Tokens(u.Get(in+"_details.cached_tokens")), all)
	kept := min(Tokens(u.Get(in+"_details.cache_write_tokens")), all-cached)
	r.Usage = council.Usage{Model: r.Usage.Model, InputTokens: all - cached - kept, CachedTokens: cached,
		CacheWriteTokens: kept, OutputTokens: written - reasoning, ReasoningTokens: reasoning}
	if cost := u.Get("cost"); r.bills && cost.Type == gjson.Number && cost.Float() >= 0 {
		// A part is paid to the gateway, and with a key of one's own another to the provider behind it.
		r.Usage.Billed, r.Usage.BilledCalls = council.Dollars(cost.Float()), 1
		if behind := u.Get("cost_details.upstream_inference_cost").Float(); u.Get("is_byok").Bool() && behind > 0 {
			r.Usage.Billed = r.Usage.Billed.Plus(council.Dollars(behind))
		}
	}
}

// mostTokens is more than any reply can cost. Counts are a server's claims: beyond it they would overflow a budget.
const mostTokens = 1 << 40

// Tokens reads a count of tokens, in whatever form a server writes numbers.
func Tokens(v gjson.Result) int64 { return min(max(v.Int(), 0), mostTokens) }

// bills reports whether the server reports the cost of each reply in US dollars: OpenRouter does. Others may mean
// something else by the same name.
func (m *Model) bills() bool {
	return m.model.Kind().Bills || strings.HasSuffix("."+m.base.Hostname(), ".openrouter.ai")
}

// said returns the error that a server tells in the midst of a reply, or nil.
func said(doc gjson.Result) error {
	if e := doc.Get("error"); e.IsObject() || e.Type == gjson.String {
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	return nil
}

// idle is how long a server may be silent in the midst of a reply.
const idle = time.Minute

// stream is the body of a response that is read while it is written. A server that has begun to speak and then falls
// silent is given up; how long it may think before is bounded by the call's own time limit.
type stream struct {
	io.ReadCloser
	timer  *time.Timer // nil before the first word
	silent atomic.Bool
}

// speaking starts the time limit between words, after the first.
func (s *stream) speaking() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idle, func() {
			s.silent.Store(true)
			s.ReadCloser.Close()
		})
	}
}

// Read implements [io.Reader]. Its error is [errIdle] once the server was given up.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	switch {
	case s.silent.Load():
		return n, errIdle
	case n > 0 && s.timer != nil:
		s.timer.Reset(idle)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.ReadCloser.Close()
}

// whole returns the body of a reply that is one JSON document although a stream was asked for: some servers cannot
// stream. A page for people is [errGarbled], and a document of more bytes than most is [errTooLong].
func whole(ctx context.Context, res *http.Response, most int) (body []byte, whole bool, err error) {
	form := res.Header.Get("Content-Type")
	if strings.Contains(form, "text/html") {
		return nil, false, errGarbled
	}
	if !strings.Contains(form, "application/json") {
		return nil, false, nil
	}
	member.Begun(ctx)
	body, err = io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	if len(body) > most {
		err = errTooLong
	}
	return body, true, err
}

// lingering is how long a server may keep a stream open after its last word.
const lingering = 2 * time.Second

// drain reads the rest of a stream whose last word has been read, so that the connection serves the next call. It
// gives up on a server that goes on or never ends.
func drain(body io.ReadCloser) {
	defer time.AfterFunc(lingering, func() { body.Close() }).Stop()
	io.CopyN(io.Discard, body, 4<<10)
}
