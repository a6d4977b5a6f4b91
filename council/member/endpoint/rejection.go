package endpoint

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// maxErrorBody bounds the part of an error that is read, in bytes.
const maxErrorBody = 64 << 10

// rejection is a server's refusal to answer a call, in its own words.
type rejection struct {
	Status     int    // of HTTP; 200 when the error came in the midst of a reply
	Kind       string // the server's own types and codes
	Message    string
	RetryAfter time.Duration
	Reset      time.Duration // until the rate limit ends; 0: unknown
	Limit      limit
	Location   string // where a redirect points
	Proxy      string // the host of the proxy that refused the call; empty: the server did
	Written    string // the reply, where the server refused to pass it on

	body gjson.Result // the part of the body that holds the error
}

func (r *rejection) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Kind, r.Message) }

// refused reads an error response. It returns the tokens that were counted, and a [rejection].
func (m *Model) refused(res *http.Response) (prompt.Completion, error) {
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	r := readRejection(res.StatusCode, body)
	r.headers(res.Header, m.now())
	if res.StatusCode < 400 {
		r.Location = res.Header.Get("Location")
	}
	counted := &reply{bills: m.bills()}
	if gjson.ValidBytes(body) {
		m.protocol.take(counted, "", gjson.ParseBytes(body)) // its error is the rejection
	}
	return prompt.Completion{Usage: counted.Usage}, r
}

// readRejection reads an error in any of the forms that servers use. Other bodies are quoted unless they may be a
// model's words.
func readRejection(status int, body []byte) *rejection {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if _, data, is := bytes.Cut(body, []byte("data:")); is && !gjson.ValidBytes(body) { // a stream of one event
		if line, _, _ := bytes.Cut(data, []byte("\n")); gjson.ValidBytes(line) {
			body = line
		}
	}
	r := &rejection{Status: status}
	if !gjson.ValidBytes(body) {
		r.Message = ReadableWords(string(body))
		return r
	}
	doc := gjson.ParseBytes(body)
	if doc.IsArray() {
		doc = doc.Get("0")
	}
	inner := doc
	for _, path := range errorPaths {
		if e := doc.Get(path); !isEmpty(e, depth) {
			r.Message = errorWords(e, depth)
			if e.IsObject() {
				inner = e
			}
			break
		}
	}
	for _, path := range []string{"type", "code", "status", "__type", "status_code"} {
		if v := inner.Get(path); v.Type == gjson.String || v.Type == gjson.Number {
			r.Kind = strings.TrimSpace(r.Kind + " " + v.String())
		}
		// Gateways report an error of their provider in a successful reply.
		if v := inner.Get(path).Int(); status < 300 && v >= 400 && v < 600 {
			r.Status = int(v)
		}
	}
	if words := errorWords(doc, depth); inner.Raw == doc.Raw && !strings.Contains(r.Message, words) {
		r.Message = words
	}
	if raw := ReadableWords(inner.Get("metadata.raw").String()); raw != "" { // OpenRouter
		r.Message += " " + raw
	}
	r.Written = inner.Get("failed_generation").String() // Groq
	if hidden := replyMarks.Match(body); hidden && r.Message != "" {
		r.Message += " (" + describeHidden("JSON", body) + ")"
	} else if hidden || r.Message == "" && r.Kind == "" {
		r.Message = ReadableWords(string(body))
	}
	r.body = inner
	return r
}

// errorPaths are where servers put an error.
var errorPaths = []string{"error", "choices.0.error", "response.error", "base_resp", "errors"}

// depth is how many objects deep an error is read.
const depth = 4

// errorWords returns the words of an error: a string, an object with a message by any name, or a list (FastAPI).
func errorWords(e gjson.Result, depth int) string {
	var words []string
	add := func(v gjson.Result) {
		if w := errorWords(v, depth-1); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	switch {
	case e.Type == gjson.String:
		return ReadableWords(e.String())
	case depth == 0 || e.Type != gjson.JSON:
		return ""
	case e.IsArray():
		for _, v := range e.Array() {
			add(v)
		}
		return strings.Join(words, "; ")
	}
	for _, path := range []string{"message", "msg", "detail", "error", "error_description", "errors", "status_msg"} {
		add(e.Get(path))
	}
	text := strings.Join(words, " ")
	if loc := e.Get("loc"); loc.IsArray() && text != "" { // the field that the words are about
		var names []string
		for _, name := range loc.Array() {
			names = append(names, name.String())
		}
		text = strings.Join(names, ".") + ": " + text
	}
	return text
}

// isEmpty reports whether a value is empty: servers send an empty error beside a reply.
func isEmpty(v gjson.Result, depth int) bool {
	switch {
	case v.Type == gjson.String:
		return strings.TrimSpace(v.String()) == ""
	case v.Type != gjson.JSON:
		return !v.Exists() || v.Num == 0 && v.Type != gjson.True
	case depth == 0:
		return false
	}
	nothing := true
	v.ForEach(func(_, inner gjson.Result) bool {
		nothing = isEmpty(inner, depth-1)
		return nothing
	})
	return nothing
}

// errorIn returns the error that a document within a reply reports, or nil.
func errorIn(event string, doc gjson.Result) error {
	isError := func(path string) bool { return strings.HasSuffix(strings.ToLower(doc.Get(path).String()), "error") }
	switch {
	case event == errorEvent && doc.Type == gjson.String:
		return readRejection(http.StatusOK, []byte(doc.Str))
	case event == errorEvent, isError("type"), isError("object"), doc.Get("base_resp.status_code").Int() != 0,
		!isEmpty(doc.Get("error"), depth), !isEmpty(doc.Get("choices.0.error"), depth):
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	for _, own := range []string{"choices", "type", "object", "output", "content", "delta", "usage"} {
		if doc.Get(own).Exists() {
			return nil
		}
	}
	if errorWords(doc, depth) != "" {
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	return nil
}

// replyMarks matches text that may contain a reply, which others must not see before theirs is in.
var replyMarks = regexp.MustCompile(
	`["'](choices|results?|responses?|outputs?|content|completion|candidates|delta|messages|` +
		`position|stance|ballot|ranking|rationale|candidateId)\\?["']\s*:|["']message\\?["']\s*:\s*\{|^data:|\ndata:`)

// ReadableWords returns the words of a body for people: no HTML page, and only the size of text that may contain a
// reply.
func ReadableWords(text string) string {
	text = strings.TrimSpace(text)
	form, words := "text", ""
	if doc := gjson.Parse(text); doc.Type == gjson.JSON && gjson.Valid(text) {
		form, words = "JSON", errorWords(doc, depth-1)
	}
	switch {
	case words != "":
		return words
	case strings.HasPrefix(text, "<"):
		return ""
	case replyMarks.MatchString(text):
		return describeHidden(form, []byte(text))
	}
	return text
}

// describeHidden describes a text that is not quoted.
func describeHidden(form string, body []byte) string {
	return fmt.Sprintf("%s of %d bytes that may hold a reply is not shown", form, len(body))
}
