package endpoint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// documentFunc receives each JSON document of a body with its event's name, or "". It returns false to end reading.
type documentFunc func(event string, doc gjson.Result) (more bool, err error)

// The names of events that [readDocuments] gives.
const (
	errorEvent = "error"    // also to a field "error"; its words are a string if they are not JSON
	endMark    = "[DONE]"   // has no document
	document   = "document" // of a body without events
)

// readDocuments reads the JSON documents of a body: one, a list, several, or server-sent events, by the first byte,
// because labels are often wrong. No event, and no other body, may have more bytes than most. begun is called when a
// body without events begins, whose documents come late. The error is [io.EOF] for an empty body, [errPage],
// [errGarbled], [errTooLong], [io.ErrUnexpectedEOF], that of the body, or that of hear.
func readDocuments(body io.Reader, most int, begun func(), hear documentFunc) error {
	r := bufio.NewReader(body)
	switch first, err := peekRune(r); {
	case err != nil:
		return err
	case first == '<':
		return errPage
	case first == '{' || first == '[':
		begun()
		return readJSON(r, most, hear)
	}
	return readEvents(r, most, hear)
}

// peekRune skips white space and byte order marks, and returns the next character without reading it.
func peekRune(r *bufio.Reader) (rune, error) {
	for {
		first, _, err := r.ReadRune()
		if err != nil || !strings.ContainsRune(" \t\r\n\ufeff", first) {
			_ = r.UnreadRune() // which fails only where nothing was read
			return first, err
		}
	}
}

func readJSON(r io.Reader, most int, hear documentFunc) error {
	limited := &io.LimitedReader{R: r, N: int64(most) + 1}
	for in := json.NewDecoder(limited); ; {
		var doc json.RawMessage
		err := in.Decode(&doc)
		var syntax *json.SyntaxError
		switch {
		case limited.N <= 0:
			return errTooLong
		case err == io.EOF:
			return nil
		case errors.As(err, &syntax):
			return errGarbled
		case err != nil:
			return err
		}
		for _, one := range gjson.ParseBytes(doc).Array() { // an object is a list of one
			if more, err := hear(document, one); err != nil || !more {
				return err
			}
		}
	}
}

// events reads server-sent events, a line at a time.
type events struct {
	hear    documentFunc
	name    string
	data    []byte
	any     bool // there was an event
	strange bool // there was a line that is none of theirs
}

func readEvents(r io.Reader, most int, hear documentFunc) error {
	e := &events{hear: hear}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, most)
	for lines.Scan() {
		more, err := e.line(lines.Bytes())
		switch {
		case err == errGarbled && lines.Err() != nil: // the line was cut off
			return lines.Err()
		case err != nil || !more:
			return err
		case len(e.data) > most:
			return errTooLong
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return errTooLong
	case err != nil:
		return err
	case len(e.data) > 0 && !e.isComplete():
		return io.ErrUnexpectedEOF
	case e.strange && !e.any && len(e.data) == 0:
		return errGarbled
	}
	_, err := e.end()
	return err
}

func (e *events) line(line []byte) (more bool, err error) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	bare := bytes.HasPrefix(line, []byte("{")) // of a server that forgets the form when it fails
	if e.isComplete() && (bare || string(field) == "data" || string(field) == "event" || string(field) == errorEvent) {
		if more, err := e.end(); err != nil || !more { // the empty line between two events is missing
			return more, err
		}
	}
	switch string(field) {
	case "data":
		e.data = append(append(e.data, value...), '\n')
	case "event":
		e.name = string(value)
	case errorEvent: // llama.cpp
		e.name, e.data = errorEvent, append(e.data[:0], value...)
		return e.end()
	case "id", "retry":
	case "":
		if len(line) == 0 {
			return e.end()
		} // else it is a comment, by which gateways keep the connection
	default:
		if bare {
			e.name, e.data = "", append(e.data[:0], line...)
			return e.end()
		}
		e.strange = true
	}
	return true, nil
}

func (e *events) isComplete() bool {
	return len(e.data) > 0 && (gjson.ValidBytes(e.data) || string(bytes.TrimSpace(e.data)) == endMark)
}

func (e *events) end() (more bool, err error) {
	name, data := e.name, bytes.TrimSpace(e.data)
	e.name, e.data = "", e.data[:0]
	switch {
	case len(data) == 0: // which gateways send to keep the connection
		return true, nil
	case string(data) == endMark: // part of one protocol; gateways send it in the others too
		e.any = true
		return e.hear(endMark, gjson.Result{})
	case gjson.ValidBytes(data):
		e.any = true
		return e.hear(name, gjson.ParseBytes(data))
	case name == errorEvent:
		return e.hear(name, gjson.Result{Type: gjson.String, Str: string(data)})
	}
	return false, errGarbled
}

const idleTimeout = time.Minute // how long a server may be silent within a reply

// stream is a response body that is given up when the server falls silent after its first words.
type stream struct {
	io.ReadCloser
	timer  *time.Timer // nil before the first word
	silent atomic.Bool
}

func (s *stream) startIdleTimer() {
	if s.timer == nil {
		s.timer = time.AfterFunc(idleTimeout, func() {
			s.silent.Store(true)
			s.ReadCloser.Close()
		})
	}
}

// Read implements [io.Reader]. Its error is [errIdle] once the server was given up.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	switch {
	case s.silent.Load():
		return n, errIdle
	case n > 0 && s.timer != nil:
		s.timer.Reset(idleTimeout)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *stream) Close() error {
	if s.timer != nil {
		s.timer.Stop()
	}
	return s.ReadCloser.Close()
}

// place is a field of a reply that may contain its text.
type place int

// The places, the best first.
const (
	inStream   place = iota // in the pieces of a stream
	inMessage               // at once: in one document, or at the end of a stream
	inToolCall              // as the arguments of a call of a tool
	inThoughts              // among the model's thoughts
	places
)

// pieces joins the pieces of a text. Some gateways repeat all earlier text in each piece, so that most pieces grow.
type pieces struct {
	sum    strings.Builder // of all pieces, until the stream is surely cumulative
	latest string          // the last piece, unless the pieces differ
	count  int
	grown  int  // how many pieces were longer than the one before, less those that were equal
	differ bool // one did not begin with the one before
	sure   bool
}

// cumulativeAfter is how many pieces make a stream cumulative, and the least size of a piece that repeats all others.
const cumulativeAfter = 32

func (p *pieces) add(piece string) {
	if piece == "" || p.differ && len(piece) >= cumulativeAfter && piece == p.sum.String() {
		return
	}
	switch p.count++; {
	case p.differ || p.count == 1:
	case !strings.HasPrefix(piece, p.latest):
		if p.differ = true; p.sure {
			p.sum.Reset()
			p.sum.WriteString(p.latest)
		}
	case piece == p.latest:
		p.grown--
	default:
		p.grown++
	}
	p.latest = piece
	p.sure = p.sure || !p.differ && p.count >= cumulativeAfter && p.grown > 0
	if p.differ || !p.sure {
		p.sum.WriteString(piece)
	}
}

func (p *pieces) String() string {
	if !p.differ && (p.sure || p.grown > 0) {
		return p.latest
	}
	return p.sum.String()
}

// textOf returns the text of a content: a string, a list of parts, one part, or an object that is itself the answer.
func textOf(content gjson.Result) string {
	switch {
	case content.IsArray():
		return strings.Join(council.Map(content.Array(), partText), "")
	case content.IsObject() && content.Get("type").Type == gjson.Null && content.Get("text").Type == gjson.Null:
		return content.Raw
	}
	return partText(content)
}

var thoughtTypes = regexp.MustCompile(`(?i)think|thought|reason`)

// partText returns the text of a part of a content. Thoughts among the parts (Mistral) have none.
func partText(part gjson.Result) string {
	if !part.IsObject() {
		return part.String()
	}
	if part.Get("thought").Bool() || thoughtTypes.MatchString(part.Get("type").String()) {
		return ""
	}
	text := part.Get("text")
	if text.IsObject() {
		text = text.Get("value")
	}
	return text.String()
}

// isObject reports whether a text is one JSON object, alone or in a code fence.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	if fenced, is := strings.CutPrefix(text, "```"); is {
		_, text, _ = strings.Cut(fenced, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	}
	return strings.HasPrefix(text, "{") && gjson.Valid(text)
}

// answerInThoughts returns an answer that a server took for thoughts: the JSON object at their end, or, where a
// document is asked for, all of them if they begin with a heading; else "".
func answerInThoughts(thoughts string, object bool) string {
	thoughts = strings.TrimSpace(thoughts)
	if !object && strings.HasPrefix(thoughts, "# ") {
		return thoughts
	}
	for n := 0; object && n < 100; n++ { // more would take too long
		if thoughts = thoughts[max(0, strings.IndexByte(thoughts, '{')):]; isObject(thoughts) {
			return thoughts
		}
		_, thoughts, _ = strings.Cut(thoughts, "{")
	}
	return ""
}

// reasons lists the reasons for the end of a reply that servers and agents name. Case, hyphens, underscores and spaces
// do not matter. A reply is whole only for a reason that is listed as an end.
var reasons = map[prompt.Stop]string{
	// OpenAI, Anthropic, Gemini, Cohere, Hugging Face, watsonx, LM Studio. The arguments of a tool call are the answer.
	prompt.StopEnd: "stop end end_turn stop_sequence eos eos_token end_of_text endoftext complete completed eos_found " +
		"stop_string_found tool_calls tool_call tool_use function_call",
	prompt.StopLength: "length max_tokens max_output_tokens model_length token_limit maximum_tokens max_length " +
		"context_length context_length_exceeded model_context_window_exceeded max_context_length context_length_reached " +
		"max_predicted_tokens_reached error_limit incomplete",
	prompt.StopRefusal: "content_filter content_filtered refusal refused safety recitation blocked blocklist block " +
		"prohibited_content spii image_safety sensitive guardrail_intervened model_armor error_toxic language",
	prompt.StopFailed: "error error_finish failed failure network_error abort aborted cancel canceled cancelled " +
		"user_cancel insufficient_system_resource pause_turn timeout time_limit malformed_function_call " +
		"malformed_model_output unexpected_tool_call too_many_tool_calls user_stopped model_unloaded in_progress queued " +
		"not_finished",
	prompt.StopUnknown: "null none unknown unspecified finish_reason_unspecified",
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func plainReason(reason string) string { return strings.ToLower(separators.Replace(reason)) }

// StopOf returns the end of a reply by the provider's word. No word is an end; an unknown one a [prompt.StopFailed].
func StopOf(reason string) prompt.Stop {
	if reason = plainReason(reason); reason == "" {
		return prompt.StopEnd
	}
	for stop, words := range reasons {
		if slices.Contains(strings.Fields(strings.ReplaceAll(words, "_", "")), reason) {
			return stop
		}
	}
	return prompt.StopFailed
}
