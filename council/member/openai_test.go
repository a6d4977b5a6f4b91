package member_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/endpoint"
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
	open: func(m council.Model, o endpoint.Options) (member.Model, error) {
		return endpoint.New(m, o)
	},
	asked: chatAsked,
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

func chatAsked(body []byte) asked {
	var r struct {
		Messages            []struct{ Role, Content string }
		Temperature         *float64
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		StreamOptions       struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		ResponseFormat struct {
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		panic(err)
	}
	a := asked{Temperature: r.Temperature, MaxTokens: r.MaxTokens + r.MaxCompletionTokens,
		StreamUsage: r.StreamOptions.IncludeUsage, Schema: string(r.ResponseFormat.JSONSchema.Schema)}
	for _, m := range r.Messages {
		if m.Role == "system" {
			a.System += m.Content
			continue
		}
		a.Messages = append(a.Messages, prompt.Message{Role: prompt.Role(m.Role), Content: m.Content})
	}
	return a
}
