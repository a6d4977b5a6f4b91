package member_test

import (
	"net/http"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// messages is Anthropic's protocol as a server speaks it.
var messages = dialect{
	name:  "anthropic",
	model: council.Model{Provider: "anthropic"},
	path:  "/v1/messages",
	id:    "msg-1",
	bound: 8192,
	begin: func(s script) []object {
		opening := object{"id": "msg-1", "model": "m-1-dated", "usage": messageUsage(s.usage)}
		if s.noUsage {
			delete(opening, "usage")
		}
		return []object{{"type": "message_start", "message": opening},
			{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}}
	},
	piece: func(text string) object {
		return object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}}
	},
	alive: "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	end: func(s script) []object {
		last := object{"type": "message_delta", "delta": object{"stop_reason": messageStop[s.stop]}}
		if !s.noUsage {
			last["usage"] = object{"output_tokens": s.usage.OutputTokens + s.usage.ReasoningTokens,
				"output_tokens_details": object{"thinking_tokens": s.usage.ReasoningTokens}}
		}
		return []object{last, {"type": "message_stop"}}
	},
	whole: func(s script) any {
		return object{"type": "message", "id": "msg-1", "model": "m-1-dated", "stop_reason": messageStop[s.stop],
			"content": []object{{"type": "text", "text": s.text}}, "usage": messageUsage(s.usage)}
	},
	fault: func(s script) any {
		return object{"type": "error", "error": object{"type": s.kind, "message": s.words}, "request_id": "req-1"}
	},
	key: func(h http.Header) string { return h.Get("X-Api-Key") },
}

var messageStop = map[prompt.Stop]string{"": "end_turn", prompt.StopLength: "max_tokens", prompt.StopRefusal: "refusal"}

func messageUsage(u council.Usage) object {
	return object{
		"input_tokens":                u.InputTokens,
		"cache_read_input_tokens":     u.CachedTokens,
		"cache_creation_input_tokens": u.CacheWriteTokens,
		"output_tokens":               u.OutputTokens + u.ReasoningTokens,
		"output_tokens_details":       object{"thinking_tokens": u.ReasoningTokens},
	}
}
