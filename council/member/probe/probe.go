// Package probe finds out by one short question whether a model can answer for a member, and diagnoses why it cannot.
//
// It sends the question through the model as a session would, and watches the requests: its findings on streaming,
// schemas and addresses hold for a session. Before the question, which costs a few tokens, it asks the server for its
// list of models, which is free. It is its own package because it knows no terminal: doctor prints its findings.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
)

// Report is the result of one question to one model. Its JSON is for programs.
type Report struct {
	Address string  `json:"address,omitempty"` // of the server that was asked, without path; "" when nothing was sent
	Proxy   string  `json:"proxy,omitempty"`   // the host of the proxy between, or ""
	Trouble Trouble `json:"-"`                 // why the server could not be reached, or ""; Fault has the words

	Listed []ListedModel `json:"-"` // the models in the server's list; nil when it has none
	Skew   time.Duration `json:"-"` // how far this machine's clock is ahead of the server's; 0: unknown

	Schema    Schema        `json:"schema,omitempty"`
	Streams   bool          `json:"streams"`
	FirstByte time.Duration `json:"-"` // from the call to the first byte of its reply
	Whole     time.Duration `json:"-"` // to the last
	Usage     council.Usage `json:"-"` // as the server counts; Usage.Model answered
	Window

	Calls int `json:"calls"` // that reached for the model and may have been paid; those refused for a schema included
	Lists int `json:"-"`     // that only read a list

	Fault   *council.Fault `json:"-"` // why no reply came, or nil
	Problem string         `json:"-"` // why the reply could not be used, or ""

	began time.Time // the last call
}

// Schema reports whether the server took the JSON Schema of the reply.
type Schema string

// The results for a schema. Unsent: the protocol has no place for it, or the server is known not to take it.
const (
	SchemaTaken   Schema = "taken"
	SchemaLeftOut Schema = "left out"
	SchemaUnsent  Schema = "unsent"
)

// Prober probes the models of one roster. Models on one server share its list. It is safe for concurrent use.
type Prober struct {
	Transport http.RoundTripper // of a gate; required
	Now       func() time.Time  // times calls, and is compared with the servers' clocks; required

	lists sync.Map // functions that return what [wire.list] found, by the server's address and the caller
}

// Ask sends the question to a model, which open makes with the given client. The error is that of open.
func (p *Prober) Ask(ctx context.Context, open func(*http.Client) (member.Model, error)) (Report, error) {
	w := &wire{Prober: p}
	model, err := open(gate.Client(w))
	if err != nil {
		return Report{}, err
	}
	start := p.Now()
	q := question()
	c, err := model.Complete(ctx, q)
	end := p.Now()
	w.mu.Lock()
	r := w.found
	w.mu.Unlock()
	if r.Trouble == "" {
		asking, cancel := context.WithTimeout(ctx, listLimit)
		defer cancel()
		r.Window = w.learn(asking, nil) // after the call, for which the server has loaded the model
	}
	if r.Calls > 0 {
		start = r.began
	} else if err == nil {
		r.Calls = 1 // it went by no wire of ours: a program
	}
	r.Whole = end.Sub(start)
	var call *member.CallError
	switch {
	case errors.As(err, &call):
		r.Fault, r.Usage = &call.Fault, call.Usage
	case err != nil:
		r.Fault = &council.Fault{Kind: council.FaultCancelled, Message: member.Redact(err.Error())}
	default:
		r.Usage, r.Problem = c.Usage, problem(c)
		r.Usage.PromptBytes = q.Bytes()
	}
	return r, nil
}

// Look asks the server of a model, which open makes, for the model's context, and sends no question. It calls load
// before it has a server load the model. The error is that of open.
func (p *Prober) Look(ctx context.Context, open func(*http.Client) (member.Model, error),
	load func(server, model string)) (Window, error) {
	w := &wire{Prober: p, looks: true}
	model, err := open(gate.Client(w))
	if err != nil {
		return Window{}, err
	}
	_, _ = model.Complete(ctx, question()) // it ends at the wire, before the call
	return w.learn(ctx, load), nil
}

const askedKind = council.AskSummary // the question with the most fields

// question returns the shortest question to a leader.
func question() *prompt.Prompt {
	return &prompt.Prompt{
		View: council.View{Session: "probe", Ask: council.Ask{ID: "probe", Kind: askedKind, Member: "probe"},
			Charter: &council.Charter{}},
		Try: 1, Contract: &prompt.Contract{Name: "reply." + string(askedKind), Forms: prompt.SummaryForms([]string{"e12"})},
		System: prompt.System{
			Shared: "A council of models is about to meet. This only shows that you can be reached and can answer in a given " +
				"form."},
		Messages: []prompt.Message{{Role: prompt.User, Content: "Answer with this JSON object and nothing else:\n" +
			`{"summaryMarkdown":"Ready.","requiresExecution":false}`}},
	}
}

func problem(c prompt.Completion) string {
	if _, problem := member.Unusable(c); problem != "" {
		return member.Redact(problem)
	}
	if _, err := prompt.Parse(question().View, c.Text); err != nil {
		return fmt.Sprintf("the reply is not in the form that was asked for: %s",
			member.Redact(council.ReplyProblem(err)))
	}
	return ""
}

// Window is a model's context by its server's report, in tokens of a prompt and its reply together.
type Window struct {
	Tokens int64 `json:"contextTokens,omitempty"` // as the server runs it; 0: unknown
	Most   int64 `json:"-"`                       // of the model itself; 0: unknown
	Server Kind  `json:"-"`
	AtOnce int   `json:"callsAtOnce,omitempty"` // 0: unknown
}

// Kind is the software of a server, as far as it can be recognized.
type Kind string

// The kinds of servers that report the size of a context in their own way.
const (
	Ollama   Kind = "ollama"
	LlamaCpp Kind = "llamacpp"
	LMStudio Kind = "lmstudio"
	VLLM     Kind = "vllm"
)

const LoadLimit = 2 * time.Minute // for a server to load a model

// ListedModel is one model in a server's list.
type ListedModel struct {
	Name string
	Window
	owner string // owned_by in the list
}

// contextFields are the fields of a list with the size of a context. Some list the largest of the model.
var contextFields = []struct {
	path   string
	server Kind
}{
	{"max_model_len", VLLM}, {"meta.n_ctx", LlamaCpp}, {"top_provider.context_length", ""}, {"context_length", ""},
	{"context_window", ""}, {"max_context_length", ""}, {"max_input_tokens", ""},
}

func readList(doc []byte) []ListedModel {
	all := gjson.GetBytes(doc, "data")
	if !gjson.ValidBytes(doc) || !all.IsArray() {
		return nil
	}
	models := []ListedModel{}
	for _, m := range all.Array() {
		one := ListedModel{Name: m.Get("id").String(), owner: m.Get("owned_by").String()}
		one.Most = tokens(m.Get("meta.n_ctx_train"))
		for _, field := range contextFields {
			if one.Tokens = tokens(m.Get(field.path)); one.Tokens > 0 {
				one.Server = field.server
				break
			}
		}
		if one.Name != "" {
			models = append(models, one)
		}
	}
	return models
}

const vllmBatch = 256 // calls in one batch: the default of vLLM's --max-num-seqs

// learn asks the server of the last call for the context of its model. Local servers list the maximum of a model, and
// report elsewhere how they run it. With load, an Ollama is made to load the model.
func (w *wire) learn(ctx context.Context, load func(server, model string)) Window {
	w.mu.Lock()
	call, model, listed := w.last, w.model, w.found.Listed
	w.mu.Unlock()
	i := slices.IndexFunc(listed, func(one ListedModel) bool { return isNamed(one.Name, model) })
	if call == nil || i < 0 {
		return Window{}
	}
	found := listed[i].Window
	at := listAddress(call.URL)
	root, ok := strings.CutSuffix(at.Path, "/v1/models")
	own := member.Loopback(call.URL.String())
	base := url.URL{Scheme: at.Scheme, Host: at.Host, Path: root}
	ask := asker{w, ctx, call, base.String(), model}
	switch {
	case found.Server == VLLM:
		found.AtOnce = vllmBatch
		return found
	case found.Server == LlamaCpp && ok:
		found.AtOnce, _ = ask.props()
		return found
	case found.Server != "" || !ok || !own && listed[i].owner != "library":
		return found
	}
	if it, is := ask.ollama(load); is {
		return it
	}
	if !own || found.Tokens > 0 {
		return found
	}
	if slots, context := ask.props(); context > 0 {
		return Window{context, found.Most, LlamaCpp, slots}
	}
	for _, one := range ask.get("/api/v0/models").Get("data").Array() {
		if one.Get("id").String() == model {
			return Window{tokens(one.Get("loaded_context_length")), tokens(one.Get("max_context_length")), LMStudio, 0}
		}
	}
	return found
}

func isNamed(name, model string) bool {
	return model != "" && (name == model || name == model+":latest")
}

// asker sends free requests about a model to the server of a call, with the caller's key.
type asker struct {
	wire  *wire
	ctx   context.Context
	call  *http.Request
	root  string // of the server's addresses
	model string
}

func (a asker) get(path string) gjson.Result { return a.ask(listLimit, http.MethodGet, path, nil) }

func (a asker) post(path string, within time.Duration) gjson.Result {
	body, _ := json.Marshal(map[string]any{"model": a.model, "stream": false})
	return a.ask(within, http.MethodPost, path, body)
}

// ask returns the document that the server answers in time, or nothing.
func (a asker) ask(within time.Duration, method, path string, body []byte) gjson.Result {
	ctx, cancel := context.WithTimeout(a.ctx, within)
	defer cancel()
	res, doc, err := a.wire.fetch(ctx, a.call, method, a.root+path, body)
	if err != nil || res.StatusCode != http.StatusOK || !gjson.ValidBytes(doc) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(doc)
}

// props asks a llama.cpp server for its number of slots and the context of each.
func (a asker) props() (slots int, context int64) {
	props := a.get("/props?autoload=false&model=" + url.QueryEscape(a.model))
	if n := props.Get("total_slots"); n.Type == gjson.Number && n.Int() > 0 && n.Int() <= vllmBatch {
		slots = int(n.Int())
	}
	return slots, tokens(props.Get("default_generation_settings.n_ctx"))
}

// ollama asks a server that may be an Ollama. Of a loaded model it reports the context; of another only its own
// num_ctx, because the rest depends on settings and the graphics card.
func (a asker) ollama(load func(server, model string)) (found Window, is bool) {
	running := a.get("/api/ps").Get("models")
	if !running.IsArray() {
		return Window{}, false
	}
	loaded := func() int64 {
		for _, one := range running.Array() {
			if isNamed(one.Get("name").String(), a.model) {
				return tokens(one.Get("context_length"))
			}
		}
		return 0
	}
	shown := a.post("/api/show", listLimit)
	found.Server, found.Tokens = Ollama, loaded()
	if own := ownContext.FindStringSubmatch(shown.Get("parameters").String()); own != nil && found.Tokens == 0 {
		found.Tokens = tokens(gjson.Parse(own[1]))
	}
	shown.Get("model_info").ForEach(func(name, value gjson.Result) bool {
		if strings.HasSuffix(name.String(), ".context_length") {
			found.Most = tokens(value)
		}
		return true
	})
	if found.Tokens == 0 && load != nil && shown.Exists() {
		load(a.root, a.model)
		a.post("/api/generate", LoadLimit) // without a prompt it does no more than to load the model
		running = a.get("/api/ps").Get("models")
		found.Tokens = loaded()
	}
	return found, true
}

// ownContext matches the context among a model's parameters, which are lines of a name and a value.
var ownContext = regexp.MustCompile(`(?m)^\s*num_ctx\s+(\S+)\s*$`)

// tokens reads the size of a context, or returns 0 for an implausible number.
func tokens(v gjson.Result) int64 {
	if n := v.Int(); v.Type == gjson.Number && n > 0 && n <= 100_000_000 {
		return n
	}
	return 0
}
