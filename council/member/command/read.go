package command

import (
	"bytes"
	"errors"
	"iter"
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

// reply is the output of a program. Its usage has tokens alone.
type reply struct {
	prompt.Completion
	session string // by which the program continues the conversation; empty when it does not
	summed  bool   // its usage is that of the whole conversation
}

// errGarbled: the output is not in the form that the program promises.
var errGarbled = errors.New("what it printed is not in the form that was expected of it")

// sessionName matches a program's name for a conversation, which becomes an argument.
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
	r := reply{session: sessionOf(doc.Get("session_id"))}
	r.RequestID = r.session
	r.Usage = tokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
		"output_tokens", untold)
	r.Usage.Model = busiest(doc.Get("modelUsage"), "outputTokens")
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

// busiest returns the key under which the most is counted: agents ask small models for chores.
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
	for e := range events(output) {
		switch e.Get("type").String() {
		case "thread.started":
			r.session = sessionOf(e.Get("thread_id"))
			r.RequestID = r.session
		case "item.completed":
			if e.Get("item.type").String() == "agent_message" {
				r.Text, answered = plain(e.Get("item.text").String()), true
			}
		case "turn.completed":
			r.Usage = apart(tokens(e.Get("usage"), "input_tokens", "cached_input_tokens", "cache_write_input_tokens",
				"output_tokens", "reasoning_output_tokens"))
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
		u := apart(tokens(model.Get("tokens"), "prompt", "cached", untold, "candidates", untold))
		u.ReasoningTokens = endpoint.Tokens(model.Get("tokens.thoughts")) // counted beside the others
		r.Usage = r.Usage.Add(u)
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

// readQwen reads what qwen prints with --output-format stream-json, of which the last line is the result. Its usage is
// that of the whole conversation. Errors of its server come as answers.
func readQwen(output []byte) (reply, error) {
	doc, ok := object(output)
	if ok && doc.Get("error.message").Exists() {
		return reply{}, &failure{words: doc.Get("error.message").String()}
	}
	if !ok || doc.Get("type").String() != "result" {
		return reply{}, errGarbled
	}
	r := reply{session: sessionOf(doc.Get("session_id")), summed: true}
	r.RequestID = r.session
	r.Usage = apart(tokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens", untold, "output_tokens", untold))
	r.Usage.Model = busiest(doc.Get("stats.models"), "tokens.candidates")
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
	for e := range events(output) {
		if id := sessionOf(e.Get("sessionID")); id != "" {
			r.session, r.RequestID = id, id
		}
		switch e.Get("type").String() {
		case "step_start":
			r.Text, ended = "", false
		case "text":
			r.Text += plain(e.Get("part.text").String())
		case "step_finish":
			r.Usage = r.Usage.Add(tokens(e.Get("part.tokens"), "input", "cache.read", "cache.write", "output", "reasoning"))
			r.Stop, ended = stopOf(e.Get("part.reason").String()), true
		case "error":
			words = strings.TrimSpace(e.Get("error.name").String() + " " + e.Get("error.data.statusCode").String() + " " +
				e.Get("error.data.message").String())
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
	r := reply{session: sessionOf(doc.Get("sessionId"))}
	r.RequestID = hostile.Line(doc.Get("requestId").String())
	r.Usage = tokens(doc.Get("usage"), "inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", untold)
	r.Usage.Model = hostile.Line(doc.Get("model").String())
	if e := doc.Get("error"); e.IsObject() {
		f := &failure{words: e.Get("message").String(), Kind: council.FaultKind(e.Get("kind").String())}
		if !slices.Contains(council.FaultKinds(), f.Kind) || f.Kind == council.FaultCancelled ||
			f.Kind == council.FaultAbandoned {
			f.Kind = ""
		}
		f.after = time.Duration(min(max(e.Get("retryAfterSeconds").Float(), 0), 3e9) * float64(time.Second))
		f.retryable = f.Kind == council.FaultRate || f.Kind == council.FaultTimeout || f.Kind == council.FaultTransport ||
			f.Kind == council.FaultFailed
		return r, f
	}
	text, stop := doc.Get("text"), doc.Get("stop").String()
	if text.Type != gjson.String || !slices.Contains([]string{"", "end", "length", "refusal"}, stop) {
		return r, errGarbled
	}
	r.Text, r.Stop = plain(text.String()), stopOf(stop)
	return r, nil
}

// untold is the path of a count that an agent does not tell.
const untold = "-"

// tokens reads counts of tokens by their paths.
func tokens(u gjson.Result, in, cached, written, out, reasoned string) council.Usage {
	n := func(path string) int64 { return endpoint.Tokens(u.Get(path)) }
	return council.Usage{InputTokens: n(in), CachedTokens: n(cached), CacheWriteTokens: n(written), OutputTokens: n(out),
		ReasoningTokens: n(reasoned)}
}

// apart takes the kinds of tokens apart where those of the cache are counted among the prompt's, and reasoning among
// the reply's.
func apart(u council.Usage) council.Usage {
	u.CachedTokens = min(u.CachedTokens, u.InputTokens)
	u.CacheWriteTokens = min(u.CacheWriteTokens, u.InputTokens-u.CachedTokens)
	u.ReasoningTokens = min(u.ReasoningTokens, u.OutputTokens)
	u.InputTokens -= u.CachedTokens + u.CacheWriteTokens
	u.OutputTokens -= u.ReasoningTokens
	return u
}

// events returns the JSON objects among the lines of an output.
func events(output []byte) iter.Seq[gjson.Result] {
	return func(yield func(gjson.Result) bool) {
		for line := range bytes.Lines(output) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && gjson.ValidBytes(line) &&
				!yield(gjson.ParseBytes(line)) {
				return
			}
		}
	}
}

// places bounds how often a beginning of the object is tried: what is printed may be long and hostile.
const places = 20

// object returns the JSON object that ends an output. Programs print warnings before it.
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
