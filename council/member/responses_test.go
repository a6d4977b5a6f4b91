package member_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

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
	open:   chat.open,
	asked:  responseAsked,
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

func responseAsked(body []byte) asked {
	var r struct {
		Input           []struct{ Role, Content string }
		Stream          bool
		Store           *bool
		Temperature     *float64
		MaxOutputTokens int `json:"max_output_tokens"`
		Text            struct {
			Format struct{ Schema json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		panic(err)
	}
	if !r.Stream || r.Store == nil || *r.Store {
		panic("a reply is stored, or not streamed")
	}
	a := asked{Temperature: r.Temperature, MaxTokens: r.MaxOutputTokens, StreamUsage: true,
		Schema: string(r.Text.Format.Schema)}
	for _, m := range r.Input {
		if m.Role == "system" {
			a.System += m.Content
			continue
		}
		a.Messages = append(a.Messages, prompt.Message{Role: prompt.Role(m.Role), Content: m.Content})
	}
	return a
}
