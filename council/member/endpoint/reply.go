package endpoint

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// reply collects the reply to one call, streamed or whole. The usage has tokens alone.
type reply struct {
	prompt.Completion
	texts   [places]pieces
	refusal strings.Builder
	reason  string // why the model stopped, in the server's words
	begun   bool   // the server has read the prompt
	closed  bool   // the server said that nothing follows, which is no reason by itself
	single  bool   // the last document of a body without events had a message
	known   bool   // something came in the form of the protocol
	bills   bool   // the server reports the cost
}

// add appends a piece of the text, or of the thoughts, of which it keeps 256 KiB.
func (r *reply) add(where place, piece string) {
	if where != inThoughts || len(r.texts[where].String())+len(piece) <= 256<<10 {
		r.texts[where].add(piece)
	}
}

// text returns the text so far. The arguments of a tool call are the answer where the reply stopped for the call.
func (r *reply) text() string {
	order := []place{inStream, inMessage, inToolCall}
	if word := plainReason(r.reason); strings.HasPrefix(word, "tool") || word == "functioncall" {
		order = []place{inToolCall, inStream, inMessage}
	}
	for _, where := range order {
		if text := r.texts[where].String(); text != "" {
			return text
		}
	}
	return ""
}

func (r *reply) bytes() int {
	return r.refusal.Len() +
		max(len(r.texts[inStream].String()), len(r.texts[inMessage].String()), len(r.texts[inToolCall].String()))
}

// noteStop notes the server's reason for the end. No later reason makes a part whole.
func (r *reply) noteStop(reason string) {
	if reason != "" && (r.reason == "" || StopOf(r.reason) == prompt.StopEnd || StopOf(r.reason) == prompt.StopUnknown) {
		r.reason = reason
	}
}

// completion returns the reply. broken is why reading ended early, or nil; object: the question asks for an object. A
// reply is whole if the server's reason for its end says so, or without a reason if it is one JSON object. Any other
// has [prompt.StopUnknown]. The error is [errCut], [errNothing], [errGarbled], [errStopped] or broken.
func (r *reply) completion(object bool, broken error) (prompt.Completion, error) {
	c := r.Completion
	c.Stop = prompt.StopUnknown
	if r.reason != "" {
		c.Stop = StopOf(r.reason)
	}
	if words := r.refusal.String(); words != "" && (r.closed || r.reason != "") {
		c.Stop, c.Text = prompt.StopRefusal, words
	}
	switch {
	case c.Stop == prompt.StopFailed:
		return c, fmt.Errorf("%w (%s)", errStopped, r.reason)
	case c.Stop == prompt.StopEnd && c.Text == "":
		c.Text = answerInThoughts(r.texts[inThoughts].String(), object)
	case c.Stop != prompt.StopUnknown:
	case broken == io.EOF:
		return c, errNothing
	case broken != nil:
		return c, fmt.Errorf("%w: %w", errCut, broken)
	case !r.known:
		return c, errGarbled
	case isObject(c.Text):
		c.Stop = prompt.StopEnd
	case !r.closed && !r.single:
		return c, errCut
	}
	return c, nil
}

// readNames notes the model that answered, and the request id, unless a header had one.
func (r *reply) readNames(doc gjson.Result) {
	r.Usage.Model = cmp.Or(doc.Get("model").String(), r.Usage.Model)
	r.RequestID = cmp.Or(r.RequestID, doc.Get("id").String())
}

// readChat reads a chunk of a reply, or a whole one. Only the first choice counts.
func (r *reply) readChat(event string, doc gjson.Result) error {
	r.begun = true
	r.readNames(doc)
	r.readUsage(doc.Get("usage"), "prompt_tokens", "completion_tokens")
	if err := errorIn(event, doc); err != nil {
		return err
	}
	r.known = r.known || doc.Get("choices").IsArray()
	for _, choice := range doc.Get("choices").Array() {
		if choice.Get("index").Int() != 0 {
			continue
		}
		r.readWords(inStream, choice.Get("delta"))
		r.readWords(inMessage, choice.Get("message"))
		r.add(inStream, choice.Get("text").String())
		r.single = event == document && choice.Get("message").Exists()
		r.noteStop(choice.Get("finish_reason").String())
	}
	return nil
}

func (r *reply) readWords(where place, message gjson.Result) {
	r.add(where, textOf(message.Get("content")))
	if where == inStream || r.refusal.Len() == 0 {
		r.refusal.WriteString(message.Get("refusal").String())
	}
	for _, field := range []string{"tool_calls.0", "function_call"} {
		if call := message.Get(field); call.Get("index").Int() == 0 {
			r.add(inToolCall, cmp.Or(call.Get("function.arguments").String(), call.Get("arguments").String()))
		}
	}
	r.add(inThoughts, cmp.Or(message.Get("reasoning_content").String(), message.Get("reasoning").String()))
}

// readResponses reads an event, or a whole reply. Unknown events are skipped.
func (r *reply) readResponses(event string, doc gjson.Result) error {
	kind := cmp.Or(doc.Get("type").String(), event)
	response := doc.Get("response")
	if !response.Exists() {
		response = doc
	}
	r.readNames(response)
	r.readUsage(response.Get("usage"), "input_tokens", "output_tokens")
	if kind == "response.failed" {
		event = errorEvent
	}
	if err := errorIn(event, doc); err != nil {
		return err
	}
	delta := doc.Get("delta").String()
	switch kind {
	case "response.output_item.added":
	case "response.output_text.delta":
		r.add(inStream, delta)
	case "response.refusal.delta":
		r.refusal.WriteString(delta)
	case "response.function_call_arguments.delta":
		r.add(inToolCall, delta)
	case "response.reasoning_text.delta":
		r.add(inThoughts, delta)
	case "response.output_item.done":
		r.readItem(doc.Get("item"))
	case "response.completed", "response.incomplete":
		r.readResponse(response, strings.TrimPrefix(kind, "response."))
	default:
		if r.known = r.known || strings.HasPrefix(kind, "response."); doc.Get("output").IsArray() {
			r.readResponse(doc, "")
		}
		return nil
	}
	r.begun, r.known = true, true
	return nil
}

// readResponse reads a whole response. end is the event's word, for a response without a final status.
func (r *reply) readResponse(doc gjson.Result, end string) {
	r.begun, r.known, r.closed = true, true, true
	items := doc.Get("output").Array()
	if len(items) > 0 { // they repeat the single items
		r.texts[inMessage], r.texts[inToolCall], r.texts[inThoughts] = pieces{}, pieces{}, pieces{}
	}
	for _, item := range items {
		r.readItem(item)
	}
	status := doc.Get("status").String()
	if end != "" && status == "in_progress" {
		status = end
	}
	r.noteStop(cmp.Or(doc.Get("incomplete_details.reason").String(), status, end))
}

// readItem reads an item of a response: a message, a call, or thoughts (vLLM, LM Studio).
func (r *reply) readItem(item gjson.Result) {
	switch kind := item.Get("type").String(); {
	case strings.Contains(kind, "reasoning"):
		for _, part := range item.Get("content").Array() {
			r.add(inThoughts, part.Get("text").String())
		}
	case strings.Contains(kind, "call"):
		r.texts[inToolCall] = pieces{} // it repeats its pieces
		r.add(inToolCall, item.Get("arguments").String())
	default:
		r.add(inMessage, textOf(item.Get("content")))
		if r.refusal.Len() == 0 {
			r.refusal.WriteString(item.Get("content.#.refusal|0").String())
		}
	}
}

// readMessages reads an event, or a whole reply. Unknown events are skipped, as the protocol demands.
func (r *reply) readMessages(event string, doc gjson.Result) error {
	r.begun = true // the first event comes when the prompt has been read
	kind := cmp.Or(doc.Get("type").String(), event)
	head := doc
	if message := doc.Get("message"); message.IsObject() {
		head = message
	}
	r.readHead(head)
	if err := errorIn(event, doc); err != nil {
		return err
	}
	switch kind {
	case "message", "message_start":
		for _, block := range head.Get("content").Array() {
			r.readBlock(inMessage, block)
		}
		r.closed = r.closed || kind == "message"
		r.noteStop(head.Get("stop_reason").String())
	case "content_block_start":
		r.readBlock(inStream, doc.Get("content_block"))
	case "content_block_delta":
		r.readBlock(inStream, doc.Get("delta"))
	case "message_delta":
		r.noteStop(doc.Get("delta.stop_reason").String())
	case "message_stop":
		r.closed = true
	default:
		return nil
	}
	r.known = true
	return nil
}

func (r *reply) readBlock(where place, block gjson.Result) {
	r.add(where, partText(block))
	r.add(inThoughts, block.Get("thinking").String())
	r.add(inToolCall, block.Get("partial_json").String())
	if input := block.Get("input"); len(input.Raw) > len("{}") {
		r.add(inToolCall, input.Raw)
	}
}

// readHead reads the head of a message and its tokens: later counts replace earlier ones, and kinds of input add up.
func (r *reply) readHead(doc gjson.Result) {
	r.readNames(doc)
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

// readUsage reads the tokens of OpenAI's protocols, which include cached tokens in those of the prompt, and reasoning
// in those of the reply. xAI and Gemini show reasoning only in the total.
func (r *reply) readUsage(u gjson.Result, in, out string) {
	if !u.IsObject() {
		return
	}
	all := ReadTokens(u, in, in+"_details.cached_tokens", in+"_details.cache_write_tokens", out,
		out+"_details.reasoning_tokens")
	if beside := Tokens(u.Get("total_tokens")) - all.InputTokens - all.OutputTokens; beside > 0 {
		all.OutputTokens, all.ReasoningTokens = all.OutputTokens+beside, beside
	}
	all.Model = r.Usage.Model
	r.Usage = SeparateTokens(all)
	if cost := u.Get("cost"); r.bills && cost.Type == gjson.Number && cost.Float() >= 0 {
		// With a key of one's own, the provider behind the gateway is paid separately.
		r.Usage.Billed, r.Usage.BilledCalls = council.Dollars(cost.Float()), 1
		if behind := u.Get("cost_details.upstream_inference_cost").Float(); u.Get("is_byok").Bool() && behind > 0 {
			r.Usage.Billed = r.Usage.Billed.Plus(council.Dollars(behind))
		}
	}
}

// Tokens reads a count of tokens. More than any reply can have would overflow a budget.
func Tokens(v gjson.Result) int64 { return min(max(v.Int(), 0), 1<<40) }

// ReadTokens reads the counts of tokens of a prompt and a reply by their paths; an empty path has none.
func ReadTokens(u gjson.Result, in, cached, written, out, reasoned string) council.Usage {
	n := func(path string) int64 { return Tokens(u.Get(path)) }
	return council.Usage{InputTokens: n(in), CachedTokens: n(cached), CacheWriteTokens: n(written), OutputTokens: n(out),
		ReasoningTokens: n(reasoned)}
}

// SeparateTokens separates cached tokens from those of the prompt, and reasoning from those of the reply.
func SeparateTokens(u council.Usage) council.Usage {
	u.CachedTokens = min(u.CachedTokens, u.InputTokens)
	u.CacheWriteTokens = min(u.CacheWriteTokens, u.InputTokens-u.CachedTokens)
	u.ReasoningTokens = min(u.ReasoningTokens, u.OutputTokens)
	u.InputTokens -= u.CachedTokens + u.CacheWriteTokens
	u.OutputTokens -= u.ReasoningTokens
	return u
}

// bills reports whether the server reports costs in US dollars, as OpenRouter does.
func (m *Model) bills() bool {
	return m.model.Kind().Bills || strings.HasSuffix("."+m.base.Hostname(), ".openrouter.ai")
}
