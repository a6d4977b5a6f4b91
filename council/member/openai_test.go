package member_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// object saves a word in the tables of the protocols.
type object = map[string]any

// chat is the chat completions protocol as a server speaks it.
var chat = dialect{
	name:   "openai",
	model:  council.Model{Provider: "openai"},
	path:   "/v1/chat/completions",
	id:     "chat-1",
	stream: chatStream,
	whole: func(s script) any {
		return object{"id": "chat-1", "model": "m-1-dated", "choices": []object{{
			"index": 0, "message": object{"content": s.text}, "finish_reason": chatFinish(s)}},
			"usage": chatUsage(s.usage)}
	},
	fault: chatFault,
	key:   func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
}

// gemini's compatible endpoint counts reasoning beside the completion, and puts errors in a list.
var gemini = func() dialect {
	d := speaking("gemini")
	d.fault = func(s script) any { return []any{chatFault(s)} }
	return d
}()

var azure = func() dialect {
	d := speaking("azure")
	d.path = "/openai/v1/chat/completions"
	d.key = func(h http.Header) string { return h.Get("Api-Key") }
	return d
}()

// speaking returns a provider that speaks chat completions.
func speaking(provider string) dialect {
	d := chat
	d.name, d.model = provider, council.Model{Provider: provider}
	return d
}

func chatFault(s script) any {
	return object{"error": object{"message": s.words, "type": s.kind, "code": nil}}
}

func chatFinish(s script) string {
	return map[prompt.Stop]string{"": "stop", prompt.StopEnd: "stop", prompt.StopLength: "length",
		prompt.StopRefusal: "content_filter"}[s.stop]
}

func chatUsage(u council.Usage) object {
	return object{
		"prompt_tokens":         u.InputTokens + u.CachedTokens,
		"completion_tokens":     u.OutputTokens + u.ReasoningTokens,
		"prompt_tokens_details": object{"cached_tokens": u.CachedTokens},
		"total_tokens":          u.Tokens(),

		"completion_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
	}
}

func chatStream(w io.Writer, s script) {
	send := func(v any) {
		doc, _ := json.Marshal(v)
		fmt.Fprintf(w, "data: %s\n\n", doc)
	}
	chunk := func(delta object, finish any) object {
		return object{"id": "chat-1", "model": "m-1-dated",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	if s.keep {
		io.WriteString(w, ": still working\n\n\n\n")
	}
	send(chunk(object{"role": "assistant", "content": ""}, nil))
	for _, word := range strings.SplitAfter(s.text, " ") {
		send(chunk(object{"content": word}, nil))
		if s.keep {
			io.WriteString(w, ": still working\n\n")
		}
	}
	if s.hang {
		return
	}
	send(chunk(object{}, chatFinish(s)))
	if !s.noUsage {
		send(object{"id": "chat-1", "model": "m-1-dated", "choices": []object{}, "usage": chatUsage(s.usage)})
	}
	io.WriteString(w, "data: [DONE]\n\n")
}

// responses is OpenAI's newer protocol as a server speaks it.
var responses = dialect{
	name:   "responses",
	model:  council.Model{Provider: "openai", API: "responses"},
	path:   "/v1/responses",
	id:     "resp-1",
	stream: responseStream,
	whole:  func(s script) any { return responseWhole(s, s.text) },
	fault:  chatFault,
	key:    chat.key,
}

func responseWhole(s script, text string) object {
	r := object{"object": "response", "id": "resp-1", "model": "m-1-dated", "status": "completed", "error": nil,
		"incomplete_details": nil,
		"output": []object{
			{"type": "reasoning", "summary": []object{}},
			{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": text}}},
		}}
	switch s.stop {
	case prompt.StopLength:
		r["status"], r["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case prompt.StopRefusal:
		r["status"], r["incomplete_details"] = "incomplete", object{"reason": "content_filter"}
	}
	if !s.noUsage {
		r["usage"] = responseUsage(s.usage)
	}
	return r
}

func responseUsage(u council.Usage) object {
	return object{
		"input_tokens":          u.InputTokens + u.CachedTokens + u.CacheWriteTokens,
		"input_tokens_details":  object{"cached_tokens": u.CachedTokens, "cache_write_tokens": u.CacheWriteTokens},
		"output_tokens":         u.OutputTokens + u.ReasoningTokens,
		"output_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
	}
}

func responseStream(w io.Writer, s script) {
	send := func(v object) {
		doc, _ := json.Marshal(v)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", v["type"], doc)
	}
	send(object{"type": "response.created", "response": object{"id": "resp-1", "status": "in_progress"}})
	send(object{"type": "response.output_item.added", "item": object{"type": "message"}})
	for _, word := range strings.SplitAfter(s.text, " ") {
		send(object{"type": "response.output_text.delta", "delta": word})
		if s.keep {
			io.WriteString(w, ": still working\n\n\n\n")
		}
	}
	if s.hang {
		return
	}
	end := "response.completed"
	if s.stop == prompt.StopLength || s.stop == prompt.StopRefusal {
		end = "response.incomplete"
	}
	send(object{"type": "response.output_text.done", "text": s.text})
	send(object{"type": end, "response": responseWhole(s, s.text)})
}
