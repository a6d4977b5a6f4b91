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

// messages is Anthropic's protocol as a server speaks it.
var messages = dialect{
	name:   "anthropic",
	model:  council.Model{Provider: "anthropic"},
	path:   "/v1/messages",
	id:     "msg-1",
	bound:  8192,
	stream: messageStream,
	whole: func(s script) any {
		return object{"type": "message", "id": "msg-1", "model": "m-1-dated",
			"content":     []object{{"type": "text", "text": s.text}},
			"stop_reason": messageStop(s), "usage": messageUsage(s.usage)}
	},
	fault: messageFault,
	key:   func(h http.Header) string { return h.Get("X-Api-Key") },
}

func messageFault(s script) any {
	return object{"type": "error", "error": object{"type": s.kind, "message": s.words}, "request_id": "req-1"}
}

func messageStop(s script) string {
	return map[prompt.Stop]string{"": "end_turn", prompt.StopEnd: "end_turn", prompt.StopLength: "max_tokens",
		prompt.StopRefusal: "refusal"}[s.stop]
}

func messageUsage(u council.Usage) object {
	return object{
		"input_tokens":                u.InputTokens,
		"cache_read_input_tokens":     u.CachedTokens,
		"cache_creation_input_tokens": u.CacheWriteTokens,
		"output_tokens":               u.OutputTokens + u.ReasoningTokens,
		"output_tokens_details":       object{"thinking_tokens": u.ReasoningTokens},
	}
}

func messageStream(w io.Writer, s script) {
	send := func(v object) {
		doc, _ := json.Marshal(v)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", v["type"], doc)
	}
	opening := object{"id": "msg-1", "model": "m-1-dated", "usage": messageUsage(s.usage)}
	if s.noUsage {
		delete(opening, "usage")
	}
	send(object{"type": "message_start", "message": opening})
	send(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
	for _, word := range strings.SplitAfter(s.text, " ") {
		send(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": word}})
		if s.keep {
			send(object{"type": "ping"})
			io.WriteString(w, ": still working\n\n\n\n")
		}
	}
	if s.hang {
		return
	}
	end := object{"type": "message_delta", "delta": object{"stop_reason": messageStop(s)}}
	if !s.noUsage {
		end["usage"] = object{
			"output_tokens":         s.usage.OutputTokens + s.usage.ReasoningTokens,
			"output_tokens_details": object{"thinking_tokens": s.usage.ReasoningTokens},
		}
	}
	send(end)
	send(object{"type": "message_stop"})
}
