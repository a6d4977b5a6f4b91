package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/member"
)

// Window is the size of a model's context as its server reports it, in tokens of a prompt and its reply together.
type Window struct {
	Tokens int64 // as the server runs it; 0 where it does not say
	Most   int64 // that the model could have; 0 where the server does not say
	Server Kind
}

// Kind is whose server it is, as far as that shows: people are told what to set there.
type Kind string

// The kinds of servers that say in a way of their own how large a context is.
const (
	Ollama   Kind = "ollama"
	LlamaCpp Kind = "llamacpp"
	LMStudio Kind = "lmstudio"
	VLLM     Kind = "vllm"
)

// mostTokens is more than any context holds: what a server claims beyond it is passed over.
const mostTokens = 100_000_000

// learn asks the server of the last call for the context of its model. Servers of one's own say in the list of models
// what a model could hold, and elsewhere what they gave it. With load, an Ollama that has not loaded the model is told
// to.
func (w *wire) learn(ctx context.Context, load func(server, model string)) Window {
	w.mu.Lock()
	call, model, listed := w.last, w.model, w.found.Listed
	w.mu.Unlock()
	if call == nil || model == "" {
		return Window{}
	}
	i := slices.IndexFunc(listed, func(one Listed) bool { return one.Name == model || one.Name == model+":latest" })
	if i < 0 {
		return Window{}
	}
	found := Window{Tokens: listed[i].Context, Most: listed[i].Most, Server: listed[i].server}
	if found.Server != "" {
		return found
	}
	at := listAddress(call.URL)
	root, ok := strings.CutSuffix(at.Path, "/v1/models")
	own := member.Loopback(call.URL.String())
	if !ok || !own && listed[i].owner != "library" {
		return found
	}
	ask := asker{w, call.WithContext(ctx), url.URL{Scheme: at.Scheme, Host: at.Host, Path: root}}
	if it, is := ask.ollama(model, load); is || !own || found.Tokens > 0 {
		if is {
			return it
		}
		return found
	}
	if n := tokens(ask.get("/props?autoload=false&model=" +
		url.QueryEscape(model)).Get("default_generation_settings.n_ctx")); n > 0 {
		return Window{n, found.Most, LlamaCpp}
	}
	for _, one := range ask.get("/api/v0/models").Get("data").Array() {
		if one.Get("id").String() == model {
			return Window{tokens(one.Get("loaded_context_length")), tokens(one.Get("max_context_length")), LMStudio}
		}
	}
	return found
}

// ollama asks a server that may be an Ollama. Of a loaded model it reports the context that it gave it; of others,
// only a num_ctx of the model's own is sure: the rest depends on its settings and on the graphics card.
func (a asker) ollama(model string, load func(server, model string)) (Window, bool) {
	running := a.get("/api/ps").Get("models")
	if !running.IsArray() {
		return Window{}, false
	}
	found := Window{Server: Ollama}
	shown := a.post("/api/show", model)
	shown.Get("model_info").ForEach(func(name, value gjson.Result) bool {
		if strings.HasSuffix(name.String(), ".context_length") {
			found.Most = tokens(value)
		}
		return true
	})
	if found.Tokens = loaded(running, model); found.Tokens == 0 {
		found.Tokens = ownSetting(shown.Get("parameters").String())
	}
	if found.Tokens == 0 && load != nil && shown.Exists() {
		load(a.root.String(), model)
		a.post(loading, model)
		found.Tokens = loaded(a.get("/api/ps").Get("models"), model)
	}
	return found, true
}

func loaded(running gjson.Result, model string) int64 {
	for _, one := range running.Array() {
		if name := one.Get("name").String(); name == model || name == model+":latest" {
			return tokens(one.Get("context_length"))
		}
	}
	return 0
}

// ownSetting reads num_ctx from the parameters of a model, which are lines of a name and a value.
func ownSetting(parameters string) int64 {
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return min(max(n, 0), mostTokens)
		}
	}
	return 0
}

// tokens reads the size of a context. It returns 0 for what is not a plausible number.
func tokens(v gjson.Result) int64 {
	if n := v.Int(); v.Type == gjson.Number && n > 0 && n <= mostTokens {
		return n
	}
	return 0
}

// asker puts requests that cost nothing to the server of a call, as the caller of it.
type asker struct {
	wire *wire
	call *http.Request
	root url.URL
}

func (a asker) get(path string) gjson.Result { return a.do(http.MethodGet, path, nil) }

func (a asker) post(path, model string) gjson.Result {
	body, _ := json.Marshal(map[string]any{"model": model, "stream": false})
	return a.do(http.MethodPost, path, body)
}

// loading is where an Ollama is told to load a model: without a prompt it does no more.
const loading = "/api/generate"

// do returns the document that the server answers, or nothing.
func (a asker) do(method, path string, body []byte) gjson.Result {
	ctx := a.call.Context()
	if path != loading {
		bounded, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		ctx = bounded
	}
	req, err := http.NewRequestWithContext(ctx, method, a.root.String()+path, bytes.NewReader(body))
	if err != nil {
		return gjson.Result{}
	}
	req.Header = a.call.Header.Clone()
	req.Header.Del("Content-Length")
	res, err := a.wire.base.RoundTrip(req)
	if err != nil {
		return gjson.Result{}
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxList))
	if err != nil || res.StatusCode != http.StatusOK || !gjson.ValidBytes(answer) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(answer)
}
