package command

import (
	"bytes"
	"cmp"
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

// of notes the program's name for the conversation.
func (r *reply) of(name gjson.Result) {
	if name.Type == gjson.String && sessionName.MatchString(name.String()) {
		r.session, r.RequestID = name.String(), name.String()
	}
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

// object makes a reader of the one object that ends an output. What take returns is the answer; anything but a text is
// garbled.
func object(take func(doc gjson.Result, r *reply) (gjson.Result, error)) func([]byte) (reply, error) {
	return func(output []byte) (reply, error) {
		r := reply{Completion: prompt.Completion{Stop: prompt.StopEnd}}
		answer, err := take(last(output), &r)
		if err == nil && answer.Type != gjson.String {
			err = errGarbled
		}
		r.Text = plain(answer.String())
		return r, err
	}
}

// events makes a reader of the JSON objects among the lines of an output. take returns what went wrong by one of them,
// in words, and notes whether the answer is whole.
func events(take func(e gjson.Result, r *reply, whole *bool) (words string)) func([]byte) (reply, error) {
	return func(output []byte) (r reply, err error) {
		words, whole := "", false
		for line := range bytes.Lines(output) {
			if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !gjson.ValidBytes(line) {
				continue
			}
			words = cmp.Or(take(gjson.ParseBytes(line), &r, &whole), words)
		}
		switch {
		case whole:
			return r, nil
		case words != "":
			return r, &failure{words: words}
		}
		return r, errGarbled
	}
}

// readClaude reads what claude prints with --output-format json.
var readClaude = object(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	r.of(doc.Get("session_id"))
	r.Usage = tokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
		"output_tokens", untold)
	r.Usage.Model = busiest(doc.Get("modelUsage"), "outputTokens")
	r.Stop = endpoint.StopOf(doc.Get("stop_reason").String())
	text := doc.Get("result")
	switch {
	case doc.Get("type").String() != "result":
		return gjson.Result{}, nil
	case !doc.Get("is_error").Bool() && text.Exists():
		return text, nil
	}
	words := []string{text.String()}
	for _, e := range doc.Get("errors").Array() {
		words = append(words, e.String())
	}
	return text, &failure{words: strings.TrimSpace(strings.Join(words, " ")),
		ended: doc.Get("subtype").String()}
})

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

// readCodex reads what codex prints with --json. The last message is the answer; those before it are asides.
var readCodex = events(func(e gjson.Result, r *reply, whole *bool) (words string) {
	switch e.Get("type").String() {
	case "thread.started":
		r.of(e.Get("thread_id"))
	case "item.completed":
		if e.Get("item.type").String() == "agent_message" {
			r.Text, r.Stop = plain(e.Get("item.text").String()), prompt.StopEnd
		}
	case "turn.completed":
		r.Usage = apart(tokens(e.Get("usage"), "input_tokens", "cached_input_tokens", "cache_write_input_tokens",
			"output_tokens", "reasoning_output_tokens"))
		r.summed, *whole = true, r.Stop != ""
	case "turn.failed":
		*whole = false
		return e.Get("error.message").String()
	case "error": // also of a connection that it then takes up again
		return e.Get("message").String()
	}
	return ""
})

// readGemini reads what gemini prints with --output-format json.
var readGemini = object(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	r.of(doc.Get("session_id"))
	models := doc.Get("stats.models")
	models.ForEach(func(_, model gjson.Result) bool {
		u := apart(tokens(model.Get("tokens"), "prompt", "cached", untold, "candidates", untold))
		u.ReasoningTokens = endpoint.Tokens(model.Get("tokens.thoughts")) // counted beside the others
		r.Usage = r.Usage.Add(u)
		return true
	})
	r.Usage.Model = busiest(models, "tokens.candidates")
	if e := doc.Get("error"); e.IsObject() {
		return e, &failure{words: strings.TrimSpace(e.Get("type").String() + " " + e.Get("message").String())}
	}
	return doc.Get("response"), nil
})

// readQwen reads what qwen prints with --output-format stream-json, of which the last line is the result. Its usage is
// that of the whole conversation. Errors of its server come as answers.
var readQwen = object(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	if e := doc.Get("error.message"); e.Exists() {
		return e, &failure{words: e.String()}
	}
	r.of(doc.Get("session_id"))
	r.Usage = apart(tokens(doc.Get("usage"), "input_tokens", "cache_read_input_tokens", untold, "output_tokens", untold))
	r.Usage.Model, r.summed = busiest(doc.Get("stats.models"), "tokens.candidates"), true
	text := doc.Get("result")
	if doc.Get("type").String() != "result" {
		return gjson.Result{}, nil
	}
	if words, failed := strings.CutPrefix(text.String(), "[API Error: "); failed || doc.Get("is_error").Bool() {
		return text, &failure{words: strings.TrimSuffix(words, "]")}
	}
	return text, nil
})

// readOpencode reads what opencode prints. The answer is the text of the last step.
var readOpencode = events(func(e gjson.Result, r *reply, whole *bool) (words string) {
	r.of(e.Get("sessionID"))
	switch e.Get("type").String() {
	case "step_start":
		r.Text, *whole = "", false
	case "text":
		r.Text += plain(e.Get("part.text").String())
	case "step_finish":
		r.Usage = r.Usage.Add(tokens(e.Get("part.tokens"), "input", "cache.read", "cache.write", "output", "reasoning"))
		r.Stop, *whole = endpoint.StopOf(e.Get("part.reason").String()), true
	case "error":
		*whole = false
		return strings.TrimSpace(e.Get("error.name").String() + " " + e.Get("error.data.statusCode").String() + " " +
			e.Get("error.data.message").String())
	}
	return ""
})

// readOwn reads the form that docs/members.md asks of programs that print JSON.
var readOwn = object(func(doc gjson.Result, r *reply) (gjson.Result, error) {
	r.of(doc.Get("sessionId"))
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
		f.retryable = f.Kind.Passing()
		return e, f
	}
	stop := doc.Get("stop").String()
	if !slices.Contains([]string{"", "end", "length", "refusal"}, stop) {
		return gjson.Result{}, nil
	}
	r.Stop = endpoint.StopOf(stop)
	return doc.Get("text"), nil
})

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

// places bounds how often a beginning of the object is tried: what is printed may be long and hostile.
const places = 20

// last returns the JSON object that ends an output, or none. Programs print warnings before it, on lines of their own.
func last(output []byte) gjson.Result {
	text := bytes.TrimSpace(output)
	starts := [][]byte{text[bytes.LastIndexByte(text, '\n')+1:]}
	for rest := text; len(rest) > 0 && len(starts) <= places; {
		if rest[0] == '{' {
			starts = append(starts, rest)
		}
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	for _, start := range starts {
		if len(start) > 0 && start[0] == '{' && gjson.ValidBytes(start) {
			return gjson.ParseBytes(start)
		}
	}
	return gjson.Result{}
}
