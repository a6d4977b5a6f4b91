package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// reply is the output of a program. Its usage has tokens alone.
type reply struct {
	prompt.Completion
	session string // by which the program continues the conversation; empty when it does not
	summed  bool   // its usage is that of the whole conversation
}

var (
	errGarbled = errors.New("its output is not in the form that was expected of it")
	// errCut: the output ended before the reply did. Another try may succeed.
	errCut = errors.New("its output ended before its reply did")
)

// sessionName matches a program's name for a conversation, which becomes an argument.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

func (r *reply) setSession(name gjson.Result) {
	if name.Type == gjson.String && sessionName.MatchString(name.String()) {
		r.session, r.RequestID = name.String(), name.String()
	}
}

// setStop notes the program's reason for the end. The error says that the reply is not whole.
func (r *reply) setStop(reason string) error {
	r.Stop = endpoint.StopOf(reason)
	if r.Stop == prompt.StopFailed {
		return &failure{Kind: council.FaultFailed, retryable: true,
			words: fmt.Sprintf("the model stopped in the middle (%s)", hostile.Shorten(hostile.Line(reason), 40))}
	}
	return nil
}

// reader finds the reply in the objects of an output. Its error is errGarbled, or errCut for a reply without an end.
type reader func(docs []gjson.Result, r *reply) error

func (a agent) parse(output []byte) (reply, error) {
	text := terminalText(output)
	if a.read == nil {
		return reply{Completion: prompt.Completion{Text: strings.TrimSpace(text), Stop: prompt.StopEnd}}, nil
	}
	var r reply
	docs, cut := objects(text)
	err := a.read(docs, &r)
	if cut && (err == nil || err == errGarbled) || err == errGarbled && text == "" {
		err = errCut // the cut object may be a later reply
	}
	return r, err
}

// lastObject makes a reader of the last object in which take finds a text or an error. Other answers are garbled.
func lastObject(take func(doc gjson.Result, r *reply) (gjson.Result, error)) reader {
	return func(docs []gjson.Result, r *reply) error {
		for _, doc := range slices.Backward(docs) {
			*r = reply{}
			answer, err := take(doc, r)
			switch {
			case err != nil:
				return err
			case answer.Type == gjson.String:
				r.Text, r.Stop = plainText(answer.String()), cmp.Or(r.Stop, prompt.StopEnd)
				return nil
			case answer.Exists():
				return errGarbled
			}
		}
		return errGarbled
	}
}

// eventStream makes a reader of several objects. take returns a reported failure, and notes if the reply is whole.
func eventStream(take func(e gjson.Result, r *reply, whole *bool) error) reader {
	return func(docs []gjson.Result, r *reply) (err error) {
		whole := false
		for _, e := range docs {
			err = cmp.Or(take(e, r, &whole), err)
		}
		switch {
		case whole:
			return nil
		case err == nil && r.session != "":
			return errCut
		}
		return cmp.Or(err, errGarbled)
	}
}

// readClaude reads the output of claude --output-format json: its result, or a list that ends with it (verbose).
var readClaude = lastObject(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	if doc.Get("type").String() != "result" {
		return gjson.Result{}, nil
	}
	r.setSession(doc.Get("session_id"))
	r.Usage = endpoint.ReadTokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens",
		"cache_creation_input_tokens", "output_tokens", "")
	r.Usage.Model = busiestModel(doc.Get("modelUsage"), "outputTokens")
	text := doc.Get("result")
	if !doc.Get("is_error").Bool() && text.Exists() {
		return text, r.setStop(doc.Get("stop_reason").String())
	}
	words := append([]string{text.String()}, council.Map(doc.Get("errors").Array(), gjson.Result.String)...)
	ended := strings.TrimPrefix(doc.Get("subtype").String(), "success") // an error of its service is one
	return text, &failure{words: strings.TrimSpace(strings.Join(words, " ")), ended: ended}
})

// busiestModel returns the key with the highest count: agents ask small models for chores.
func busiestModel(models gjson.Result, count string) string {
	var name string
	most := int64(-1)
	models.ForEach(func(key, value gjson.Result) bool {
		if n := endpoint.Tokens(value.Get(count)); n > most {
			name, most = key.String(), n
		}
		return true
	})
	return hostile.Line(name)
}

// readCodex reads the output of codex --json. The last message is the answer.
var readCodex = eventStream(func(e gjson.Result, r *reply, whole *bool) error {
	switch e.Get("type").String() {
	case "thread.started":
		r.setSession(e.Get("thread_id"))
	case "item.completed":
		if e.Get("item.type").String() == "agent_message" {
			r.Text, r.Stop = plainText(e.Get("item.text").String()), prompt.StopEnd
		}
	case "turn.completed":
		r.Usage = endpoint.SeparateTokens(endpoint.ReadTokens(e.Get("usage"), "input_tokens", "cached_input_tokens",
			"cache_write_input_tokens", "output_tokens", "reasoning_output_tokens"))
		r.summed, *whole = true, r.Stop != ""
	case "turn.failed":
		*whole = false
		return &failure{words: e.Get("error.message").String()}
	case "error": // also of a connection that it then takes up again
		return &failure{words: e.Get("message").String()}
	}
	return nil
})

var readGemini = lastObject(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	r.setSession(doc.Get("session_id"))
	models := doc.Get("stats.models")
	models.ForEach(func(_, model gjson.Result) bool {
		u := endpoint.SeparateTokens(endpoint.ReadTokens(model.Get("tokens"), "prompt", "cached", "", "candidates", ""))
		u.ReasoningTokens = endpoint.Tokens(model.Get("tokens.thoughts")) // counted separately
		r.Usage = r.Usage.Add(u)
		return true
	})
	r.Usage.Model = busiestModel(models, "tokens.candidates")
	if e := doc.Get("error"); e.IsObject() {
		return e, &failure{words: strings.Join(strings.Fields(e.Get("type").String()+" "+e.Get("code").String()+" "+
			e.Get("message").String()), " ")}
	}
	if warnings := doc.Get("warnings").Array(); len(warnings) > 0 { // such as of a loop, in which it was ended
		return doc, &failure{Kind: council.FaultFailed, retryable: true, words: warnings[0].String()}
	}
	return doc.Get("response"), nil
})

// readQwen reads the output of qwen --output-format stream-json, whose last line is the result. Its usage is that of
// the whole conversation. Older versions print server errors as answers.
var readQwen = lastObject(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	if e := doc.Get("error.message"); e.Exists() {
		return e, &failure{words: e.String()}
	}
	if doc.Get("type").String() != "result" {
		return gjson.Result{}, nil
	}
	r.setSession(doc.Get("session_id"))
	r.Usage = endpoint.SeparateTokens(endpoint.ReadTokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens", "",
		"output_tokens", ""))
	r.Usage.Model, r.summed = busiestModel(doc.Get("stats.models"), "tokens.candidates"), true
	text := doc.Get("result")
	if words, failed := strings.CutPrefix(text.String(), "[API Error: "); failed || doc.Get("is_error").Bool() {
		return text, &failure{words: strings.TrimSuffix(words, "]")}
	}
	return text, nil
})

// readOpencode reads the output of opencode: the text of the last step. One that ends with tool calls is not the last.
var readOpencode = eventStream(func(e gjson.Result, r *reply, whole *bool) error {
	r.setSession(e.Get("sessionID"))
	switch e.Get("type").String() {
	case "step_start":
		r.Text, r.Stop, *whole = "", "", false
	case "text":
		r.Text += plainText(e.Get("part.text").String())
	case "step_finish":
		r.Usage = r.Usage.Add(endpoint.ReadTokens(e.Get("part.tokens"), "input", "cache.read", "cache.write", "output",
			"reasoning"))
		reason := e.Get("part.reason").String()
		err := r.setStop(reason)
		*whole = err == nil && reason != "tool-calls"
		return err
	case "error":
		*whole = false
		return &failure{words: strings.Join(strings.Fields(e.Get("error.name").String()+" "+
			e.Get("error.data.statusCode").String()+" "+e.Get("error.data.message").String()), " ")}
	}
	return nil
})

// readOwn reads the form that docs/members.md defines for programs that print JSON.
var readOwn = lastObject(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	r.setSession(doc.Get("sessionId"))
	r.RequestID = hostile.Line(doc.Get("requestId").String())
	r.Usage = endpoint.ReadTokens(doc.Get("usage"), "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", "")
	r.Usage.Model = hostile.Line(doc.Get("model").String())
	if e := doc.Get("error"); e.IsObject() {
		f := &failure{words: e.Get("message").String(), Kind: council.FaultKind(e.Get("kind").String())}
		if !slices.Contains(council.FaultKinds(), f.Kind) || f.Kind == council.FaultCancelled ||
			f.Kind == council.FaultAbandoned || f.Kind.Unheard() {
			f.Kind = ""
		}
		f.after = time.Duration(min(max(e.Get("retryAfterSeconds").Float(), 0), 3e9) * float64(time.Second))
		f.retryable = f.Kind.Passing()
		return e, f
	}
	text := doc.Get("text")
	if !text.Exists() {
		return text, nil
	}
	return text, r.setStop(doc.Get("stop").String())
})

// terminalText returns an output as a terminal shows it: without escape sequences and the byte order mark with which
// some programs begin, and with the last of several frames that were drawn on one line.
func terminalText(output []byte) string {
	text := plainText(toLineStart.Replace(string(output)))
	return strings.TrimLeft(applyReturns(text), "\ufeff \t\r\n")
}

// toLineStart makes carriage returns of the escape sequences that do the same.
var toLineStart = strings.NewReplacer("\x1b[G", "\r", "\x1b[0G", "\r", "\x1b[1G", "\r")

func plainText(text string) string { return hostile.Unescape(strings.ToValidUTF8(text, "\uFFFD")) }

// applyReturns applies the carriage returns and backspaces of a text.
func applyReturns(text string) string {
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	var kept []rune
	line, returned := 0, false // where the last line begins; whether the next character begins it again
	for _, c := range text {
		switch {
		case c == '\r':
			returned = true
			continue
		case c == '\b':
			kept = kept[:max(line, len(kept)-1)]
			continue
		case c == '\n':
			line = len(kept) + 1
		case returned:
			kept = kept[:line]
		}
		kept, returned = append(kept, c), false
	}
	return string(kept)
}

// objects returns the JSON objects that begin a line of a text, alone or in a list, in order. It skips everything
// else. cut reports that the text ends within an object or a list.
//
// Parts of a broken object do not begin a line, or are indented. A line is read twice at most.
func objects(text string) (found []gjson.Result, cut bool) {
	for text != "" {
		if text[0] == '{' || text[0] == '[' {
			var value json.RawMessage
			d := json.NewDecoder(strings.NewReader(text))
			err := d.Decode(&value)
			var broken *json.SyntaxError
			switch {
			case err == nil:
				for _, doc := range gjson.ParseBytes(value).Array() { // an object is a list of one
					if doc.IsObject() {
						found = append(found, doc)
					}
				}
				text = text[d.InputOffset():]
				continue
			case errors.Is(err, io.ErrUnexpectedEOF):
				return found, true
			case errors.As(err, &broken): // the next object may begin on the line that broke this one
				if at := strings.LastIndexByte(text[:broken.Offset-1], '\n') + 1; at > 0 {
					text = text[at:]
					continue
				}
			}
		}
		_, text, _ = strings.Cut(text, "\n")
	}
	return found, false
}

// reasons matches a log's last word for why the model stopped.
var reasons = regexp.MustCompile(`"finish_reasons?":\s*(?:\[[^\]]*)?"(\w+)"`)

// loggedReason returns why the model stopped by the newest file of a log, or "unknown".
func loggedReason(folder string) string {
	files, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is right
	reason := "unknown"
	if len(files) > 0 {
		text, _ := os.ReadFile(files[len(files)-1])
		for _, match := range reasons.FindAllSubmatch(text, -1) {
			reason = string(match[1])
		}
	}
	return reason
}

// sizeOf describes an output without quoting it: it may be a sealed position or a ballot.
func sizeOf(output []byte) string {
	size := plural.Things(len(output), "byte")
	if docs, cut := objects(terminalText(output)); len(docs) > 0 || cut {
		size += fmt.Sprintf(" with %s", plural.Things(len(docs), "whole JSON object"))
	}
	return size
}
