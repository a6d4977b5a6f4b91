package member_test

import (
	"net/http"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// object saves a word in the tables of the protocols.
type object = map[string]any

// chat is the chat completions protocol as a server speaks it.
var chat = dialect{
	name:  "openai",
	model: council.Model{Provider: "openai"},
	path:  "/v1/chat/completions",
	id:    "chat-1",
	begin: func(script) []object { return []object{chatChunk(object{"role": "assistant", "content": ""}, nil)} },
	piece: func(text string) object { return chatChunk(object{"content": text}, nil) },
	end: func(s script) []object {
		last := chatChunk(object{}, chatFinish[s.stop])
		if s.noUsage {
			return []object{last}
		}
		return []object{last, {"id": "chat-1", "model": "m-1-dated", "choices": []object{}, "usage": chatUsage(s.usage)}}
	},
	done: "data: [DONE]\n\n",
	whole: func(s script) any {
		return object{"id": "chat-1", "model": "m-1-dated", "usage": chatUsage(s.usage), "choices": []object{
			{"index": 0, "message": object{"content": s.text}, "finish_reason": chatFinish[s.stop]}}}
	},
	fault: func(s script) any { return object{"error": object{"message": s.words, "type": s.kind, "code": nil}} },
	key:   func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
}

// gemini's compatible endpoint counts reasoning beside the completion, and puts errors in a list.
var gemini = func() dialect {
	d := speaking("gemini")
	d.fault = func(s script) any { return []any{chat.fault(s)} }
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

var chatFinish = map[prompt.Stop]string{"": "stop", prompt.StopLength: "length", prompt.StopRefusal: "content_filter"}

func chatChunk(delta object, finish any) object {
	return object{"id": "chat-1", "model": "m-1-dated",
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}}
}

func chatUsage(u council.Usage) object {
	return object{
		"prompt_tokens":             u.InputTokens + u.CachedTokens,
		"completion_tokens":         u.OutputTokens + u.ReasoningTokens,
		"prompt_tokens_details":     object{"cached_tokens": u.CachedTokens},
		"completion_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
		"total_tokens":              u.Tokens(),
	}
}

// responses is OpenAI's newer protocol as a server speaks it.
var responses = dialect{
	name:  "responses",
	model: council.Model{Provider: "openai", API: "responses"},
	path:  "/v1/responses",
	id:    "resp-1",
	begin: func(script) []object {
		return []object{{"type": "response.created", "response": object{"id": "resp-1", "status": "in_progress"}},
			{"type": "response.output_item.added", "item": object{"type": "message"}}}
	},
	piece: func(text string) object { return object{"type": "response.output_text.delta", "delta": text} },
	end: func(s script) []object {
		whole := wholeResponse(s)
		return []object{{"type": "response.output_text.done", "text": s.text},
			{"type": "response." + whole["status"].(string), "response": whole}}
	},
	whole: func(s script) any { return wholeResponse(s) },
	fault: chat.fault,
	key:   chat.key,
}

func wholeResponse(s script) object {
	r := object{"object": "response", "id": "resp-1", "model": "m-1-dated", "status": "completed", "error": nil,
		"incomplete_details": nil,
		"output": []object{
			{"type": "reasoning", "summary": []object{}},
			{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": s.text}}},
		}}
	if why := map[prompt.Stop]string{prompt.StopLength: "max_output_tokens",
		prompt.StopRefusal: "content_filter"}[s.stop]; why != "" {
		r["status"], r["incomplete_details"] = "incomplete", object{"reason": why}
	}
	if u := s.usage; !s.noUsage {
		r["usage"] = object{
			"input_tokens":          u.InputTokens + u.CachedTokens + u.CacheWriteTokens,
			"input_tokens_details":  object{"cached_tokens": u.CachedTokens, "cache_write_tokens": u.CacheWriteTokens},
			"output_tokens":         u.OutputTokens + u.ReasoningTokens,
			"output_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
		}
	}
	return r
}
