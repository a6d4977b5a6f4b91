package command

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
)

// reply is what a program printed. Its usage is of tokens alone.
type reply struct {
	prompt.Completion
	session string // by which the program continues the conversation; empty when it does not
	summed  bool   // its usage is that of the whole conversation
}

// errGarbled: the output is not in the form that the program promises.
var errGarbled = errors.New("what it printed is not in the form that was expected of it")

// sessionName is what a program may call a conversation: it becomes an argument.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)

func sessionOf(name gjson.Result) string {
	if name.Type == gjson.String && sessionName.MatchString(name.String()) {
		return name.String()
	}
	return ""
}

// readText takes all that was printed as the reply.
func readText(output []byte) (reply, error) {
	return reply{Completion: prompt.Completion{Text: strings.TrimSpace(plain(string(output))), Stop: prompt.StopEnd}}, nil
}

// plain is text without the escape sequences that some programs print to pipes as well, and in UTF-8.
func plain(text string) string {
	if strings.ContainsRune(text, '\x1b') {
		return hostile.Terminal(text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// readClaude reads the one object that claude prints with --output-format json.
func readClaude(output []byte) (reply, error) {
	doc, ok := object(output)
	if !ok || doc.Get("type").String() != "result" {
		return reply{}, errGarbled
	}
	u := doc.Get("usage")
	r := reply{session: sessionOf(doc.Get("session_id"))}
	r.RequestID = r.session
	r.Usage = council.Usage{
		InputTokens:      endpoint.Tokens(u.Get("input_tokens")),
		CachedTokens:     endpoint.Tokens(u.Get("cache_read_input_tokens")),
		CacheWriteTokens: endpoint.Tokens(u.Get("cache_creation_input_tokens")),
		OutputTokens:     endpoint.Tokens(u.Get("output_tokens")),
		Model:            busiest(doc.Get("modelUsage"), "outputTokens"),
	}
	text := doc.Get("result")
	if doc.Get("is_error").Bool() || text.Type != gjson.String {
		words := []string{text.String()}
		for _, e := range doc.Get("errors").Array() {
			words = append(words, e.String())
		}
		return r, &failure{words: strings.TrimSpace(strings.Join(words, " ")), ended: doc.Get("subtype").String()}
	}
	r.Text, r.Stop = plain(text.String()), stopOf(doc.Get("stop_reason").String())
	return r, nil
}

// stopOf reads a reason to stop in the words that providers have for it.
func stopOf(reason string) prompt.Stop {
	switch reason {
	case "max_tokens", "length":
		return prompt.StopLength
	case "refusal":
		return prompt.StopRefusal
	}
	return prompt.StopEnd
}

// busiest is the key under which the most is counted: agents ask small models for chores.
func busiest(models gjson.Result, count string) string {
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

// readCodex reads the events that codex prints with --json. The last message is the answer; those before it are asides.
func readCodex(output []byte) (reply, error) {
	var r reply
	var words string
	answered, done := false, false
	for line := range bytes.Lines(output) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
			continue
		}
		switch e := gjson.ParseBytes(line); e.Get("type").String() {
		case "thread.started":
			r.session = sessionOf(e.Get("thread_id"))
			r.RequestID = r.session
		case "item.completed":
			if e.Get("item.type").String() == "agent_message" {
				r.Text, answered = plain(e.Get("item.text").String()), true
			}
		case "turn.completed":
			u := e.Get("usage")
			in, out := endpoint.Tokens(u.Get("input_tokens")), endpoint.Tokens(u.Get("output_tokens"))
			cached := min(endpoint.Tokens(u.Get("cached_input_tokens")), in)
			written := min(endpoint.Tokens(u.Get("cache_write_input_tokens")), in-cached)
			reasoned := min(endpoint.Tokens(u.Get("reasoning_output_tokens")), out)
			r.Usage = council.Usage{InputTokens: in - cached - written, CachedTokens: cached, CacheWriteTokens: written,
				OutputTokens: out - reasoned, ReasoningTokens: reasoned}
			r.summed, done = true, true
		case "turn.failed":
			words, done = e.Get("error.message").String(), false
		case "error": // also of a connection that it then takes up again
			words = e.Get("message").String()
		}
	}
	switch {
	case answered && done:
		r.Stop = prompt.StopEnd
		return r, nil
	case words != "":
		return r, &failure{words: words}
	}
	return r, errGarbled
}

// readGemini reads the one object that gemini prints with --output-format json.
func readGemini(output []byte) (reply, error) {
	doc, ok := object(output)
	if !ok {
		return reply{}, errGarbled
	}
	r := reply{session: sessionOf(doc.Get("session_id"))}
	r.RequestID = r.session
	models := doc.Get("stats.models")
	models.ForEach(func(_, model gjson.Result) bool {
		u := model.Get("tokens")
		all := endpoint.Tokens(u.Get("prompt"))
		cached := min(endpoint.Tokens(u.Get("cached")), all)
		r.Usage = r.Usage.Add(council.Usage{
			InputTokens: all - cached, CachedTokens: cached,
			OutputTokens: endpoint.Tokens(u.Get("candidates")), ReasoningTokens: endpoint.Tokens(u.Get("thoughts")),
		})
		return true
	})
	r.Usage.Model = busiest(models, "tokens.candidates")
	if e := doc.Get("error"); e.IsObject() {
		return r, &failure{words: strings.TrimSpace(e.Get("type").String() + " " + e.Get("message").String())}
	}
	text := doc.Get("response")
	if text.Type != gjson.String {
		return r, errGarbled
	}
	r.Text, r.Stop = plain(text.String()), prompt.StopEnd
	return r, nil
}

// readQwen reads what qwen prints with --output-format stream-json, of which the last line is the result. Its usage is that of
// the whole conversation. Errors of its server come as answers.
func readQwen(output []byte) (reply, error) {
	doc, ok := object(output)
	if ok && doc.Get("error.message").Exists() {
		return reply{}, &failure{words: doc.Get("error.message").String()}
	}
	if !ok || doc.Get("type").String() != "result" {
		return reply{}, errGarbled
	}
	u := doc.Get("usage")
	in := endpoint.Tokens(u.Get("input_tokens"))
	cached := min(endpoint.Tokens(u.Get("cache_read_input_tokens")), in)
	r := reply{session: sessionOf(doc.Get("session_id")), summed: true}
	r.RequestID = r.session
	r.Usage = council.Usage{InputTokens: in - cached, CachedTokens: cached, OutputTokens: endpoint.Tokens(u.Get("output_tokens")),
		Model: busiest(doc.Get("stats.models"), "tokens.candidates")}
	text := doc.Get("result")
	if words, failed := strings.CutPrefix(text.String(), "[API Error: "); failed || doc.Get("is_error").Bool() {
		return r, &failure{words: strings.TrimSuffix(words, "]")}
	}
	if text.Type != gjson.String {
		return r, errGarbled
	}
	r.Text, r.Stop = plain(text.String()), prompt.StopEnd
	return r, nil
}

// readOpencode reads the events that opencode prints, a line each. The answer is the text of the last step.
func readOpencode(output []byte) (reply, error) {
	var r reply
	var words string
	ended := false
	for line := range bytes.Lines(output) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
			continue
		}
		e := gjson.ParseBytes(line)
		if id := sessionOf(e.Get("sessionID")); id != "" {
			r.session, r.RequestID = id, id
		}
		switch e.Get("type").String() {
		case "step_start":
			r.Text, ended = "", false
		case "text":
			r.Text += plain(e.Get("part.text").String())
		case "step_finish":
			u := e.Get("part.tokens")
			r.Usage = r.Usage.Add(council.Usage{
				InputTokens: endpoint.Tokens(u.Get("input")), CachedTokens: endpoint.Tokens(u.Get("cache.read")),
				CacheWriteTokens: endpoint.Tokens(u.Get("cache.write")), OutputTokens: endpoint.Tokens(u.Get("output")),
				ReasoningTokens: endpoint.Tokens(u.Get("reasoning")),
			})
			r.Stop, ended = stopOf(e.Get("part.reason").String()), true
		case "error":
			words = strings.TrimSpace(e.Get("error.name").String() + " " + e.Get("error.data.statusCode").String() + " " + e.Get("error.data.message").String())
		}
	}
	switch {
	case words != "":
		return r, &failure{words: words}
	case !ended:
		return r, errGarbled
	}
	return r, nil
}

// readOwn reads the form that docs/members.md asks of programs that print JSON.
func readOwn(output []byte) (reply, error) {
	doc, ok := object(output)
	if !ok {
		return reply{}, errGarbled
	}
	u := doc.Get("usage")
	r := reply{session: sessionOf(doc.Get("sessionId"))}
	r.RequestID = hostile.Line(doc.Get("requestId").String())
	r.Usage = council.Usage{
		Model:            hostile.Line(doc.Get("model").String()),
		InputTokens:      endpoint.Tokens(u.Get("inputTokens")),
		CachedTokens:     endpoint.Tokens(u.Get("cachedTokens")),
		CacheWriteTokens: endpoint.Tokens(u.Get("cacheWriteTokens")),
		OutputTokens:     endpoint.Tokens(u.Get("outputTokens")),
	}
	if e := doc.Get("error"); e.IsObject() {
		f := &failure{words: e.Get("message").String(), Kind: council.FaultKind(e.Get("kind").String())}
		if !slices.Contains(council.FaultKinds(), f.Kind) || f.Kind == council.FaultCancelled || f.Kind == council.FaultAbandoned {
			f.Kind = ""
		}
		f.after = time.Duration(min(max(e.Get("retryAfterSeconds").Float(), 0), 3e9) * float64(time.Second))
		f.retryable = f.Kind == council.FaultRate || f.Kind == council.FaultTimeout || f.Kind == council.FaultTransport || f.Kind == council.FaultFailed
		return r, f
	}
	text, stop := doc.Get("text"), doc.Get("stop").String()
	if text.Type != gjson.String || !slices.Contains([]string{"", "end", "length", "refusal"}, stop) {
		return r, errGarbled
	}
	r.Text, r.Stop = plain(text.String()), stopOf(stop)
	return r, nil
}

// places bounds how often a beginning of the object is tried: what is printed may be long and hostile.
const places = 20

// object is the JSON object that ends an output. Programs print warnings before it.
func object(output []byte) (gjson.Result, bool) {
	text := bytes.TrimSpace(output)
	tried := 0
	for start := 0; start < len(text) && tried < places; {
		if text[start] == '{' {
			tried++
			if gjson.ValidBytes(text[start:]) {
				return gjson.ParseBytes(text[start:]), true
			}
		}
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			break
		}
		start += next + 1
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	if len(last) > 0 && last[0] == '{' && gjson.ValidBytes(last) {
		return gjson.ParseBytes(last), true
	}
	return gjson.Result{}, false
}
