//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/template"

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
	path := r.URL.Path
	streaming := gjson.GetBytes(body, "stream").Bool() || strings.HasSuffix(path, ":streamGenerateContent")
	protocol := ""
	switch {
	case !streaming && s.failed != "": // the second try of claude
		w.WriteHeader(http.StatusServiceUnavailable)
	case strings.HasSuffix(path, "/messages") && !streaming && !s.cut:
		fmt.Fprintf(w,
			`{"id":"msg_1","type":"message","role":"assistant","model":"m-1","content":[{"type":"text","text":%s}],`+
				`"stop_reason":%q,"usage":{"input_tokens":20,"output_tokens":12}}`, inQuotes(s.text), s.stop)
	case strings.HasSuffix(path, "/messages"):
		protocol = "messages"
	case strings.HasSuffix(path, "/responses"):
		protocol = "responses"
	case strings.HasSuffix(path, "/chat/completions"):
		protocol = "chat"
	case streaming:
		protocol = "gemini"
	default:
		io.WriteString(w, `{"data":[{"id":"m-1","object":"model"}],"input_tokens":10,"totalTokens":10}`)
	}
	if protocol == "" {
		return
	}
	events := s.events(protocol)
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

// events returns the stream of a reply, by its form in testdata/service.
func (s scene) events(protocol string) []string {
	half := len(s.text) / 2
	var b strings.Builder
	if err := template.Must(template.ParseFiles("testdata/service/"+protocol+".sse")).Execute(&b, map[string]string{
		"First": inQuotes(s.text[:half]), "Second": inQuotes(s.text[half:]), "Text": inQuotes(s.text), "Stop": s.stop,
	}); err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n\n")
}
