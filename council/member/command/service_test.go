//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// ServeHTTP plays the service of any agent, in the protocol that the path belongs to.
func (s scene) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	if s.status != 0 && r.Method == http.MethodPost {
		w.Header().Set("X-Should-Retry", "false") // claude would try for minutes
		w.WriteHeader(s.status)
		io.WriteString(w, s.body)
		return
	}
	if s.text == "" {
		s.text = ballot
	}
	var events []string
	path := r.URL.Path
	streaming := gjson.GetBytes(body, "stream").Bool() || strings.HasSuffix(path, ":streamGenerateContent")
	switch {
	case !streaming && s.failed != "": // the second try of claude
		w.WriteHeader(http.StatusServiceUnavailable)
	case strings.HasSuffix(path, "/messages") && !streaming && !s.cut:
		fmt.Fprintf(w,
			`{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[{"type":"text","text":%s}],`+
				`"stop_reason":%q,"usage":{"input_tokens":20,"output_tokens":12}}`, inQuotes(s.text), s.stop)
	case strings.HasSuffix(path, "/messages"):
		events = s.messages()
	case strings.HasSuffix(path, "/responses"):
		events = s.responses()
	case strings.HasSuffix(path, "/chat/completions"):
		events = s.chat()
	case streaming:
		events = s.gemini()
	default:
		io.WriteString(w, `{"data":[{"id":"m-1","object":"model"}],"input_tokens":10,"totalTokens":10}`)
	}
	if events == nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if s.cut || s.failed != "" {
		events = append(events[:len(events)/2], s.failed)
	}
	io.WriteString(w, strings.Join(events, "\n\n")+"\n\n")
	if s.cut {
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// inQuotes returns a text as JSON.
func inQuotes(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return string(quoted)
}

// halves returns the text in two pieces, as JSON.
func (s scene) halves() (first, second string) {
	return inQuotes(s.text[:len(s.text)/2]), inQuotes(s.text[len(s.text)/2:])
}

func (s scene) messages() []string {
	first, second := s.halves()
	event := func(kind, rest string) string {
		return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}", kind, kind, rest)
	}
	return []string{
		event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":3,`+
			`"cache_read_input_tokens":7,"output_tokens":1}}`),
		event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`),
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+first+`}`),
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+second+`}`),
		event("content_block_stop", `,"index":0`),
		event("message_delta", `,"delta":{"stop_reason":"`+s.stop+`","stop_sequence":null},"usage":{"output_tokens":12}`),
		event("message_stop", ""),
	}
}

func (s scene) responses() []string {
	first, second := s.halves()
	item := `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text",` +
		`"annotations":[],"text":` + inQuotes(s.text) + `}]}`
	end := `"completed"`
	if s.stop != "" {
		end = `"incomplete","incomplete_details":{"reason":"` + s.stop + `"}`
	}
	response := func(status, rest string) string {
		return `"response":{"id":"r-1","object":"response","model":"m-1","status":` + status + rest + `}`
	}
	piece := `data: {"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":`
	return []string{
		`data: {"type":"response.created",` + response(`"in_progress"`, `,"output":[]`) + `}`,
		`data: {"type":"response.output_item.added","output_index":0,"item":{"id":"msg_1","type":"message",` +
			`"status":"in_progress","role":"assistant","content":[]}}`,
		piece + first + `}`, piece + second + `}`,
		`data: {"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
		fmt.Sprintf(`data: {"type":"response.%s",%s}`, map[bool]string{true: "completed", false: "incomplete"}[s.stop == ""],
			response(end, `,"output":[`+item+`],"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":7},`+
				`"output_tokens":12,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":42}`)),
	}
}

func (s scene) chat() []string {
	first, second := s.halves()
	chunk := func(choices, rest string) string {
		return `data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m-1","choices":[` + choices + `]` +
			rest + `}`
	}
	piece := func(delta, finish string) string {
		return chunk(`{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}`, "")
	}
	finish := "null"
	if s.stop != "" {
		finish = inQuotes(s.stop)
	}
	return []string{
		piece(`{"role":"assistant","content":""}`, "null"), piece(`{"content":`+first+`}`, "null"),
		piece(`{"content":`+second+`}`, "null"), piece(`{}`, finish),
		chunk("", `,"usage":{"prompt_tokens":30,"completion_tokens":12,"total_tokens":42,`+
			`"prompt_tokens_details":{"cached_tokens":7}}`),
		`data: [DONE]`,
	}
}

func (s scene) gemini() []string {
	first, second := s.halves()
	finish := ""
	if s.stop != "" {
		finish = `,"finishReason":"` + s.stop + `"`
	}
	part := func(text, rest string) string {
		return `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":` + text + `}]}` + rest +
			`}],"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":7,"candidatesTokenCount":12,` +
			`"totalTokenCount":42},"modelVersion":"m-1"}`
	}
	return []string{part(first, ""), part(second, finish)}
}
