// Package endpoint calls model servers over HTTP by one of three protocols: chat completions and responses (OpenAI,
// Gemini, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Azure and many others), and Anthropic's messages.
package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
)

// Options are the dependencies of a model.
type Options struct {
	Getenv func(string) string // reads the environment; required
	Wallet *credential.Wallet  // nil: one that knows the environment alone; share one
	Client *http.Client        // nil: [NewClient] of the gate; share one among all members
	Gate   *gate.Gate          // passed by every request
	Quirks *Quirks             // nil: its own; share one, so that members learn from each other
	Now    func() time.Time    // the clock by which calls are timed; nil: [time.Now]
}

// Model is one model on one server. It is safe for concurrent use.
type Model struct {
	base     *url.URL // its path ends in a slash; its query, such as ?api-version=2024-10-21, goes with every call
	model    council.Model
	kind     council.MemberKind
	protocol protocol
	client   *http.Client
	headers  map[string]string // of the charter
	wallet   *credential.Wallet
	caller   *credential.Credential
	quirks   *Quirks
	now      func() time.Time
}

// New returns the model that a charter describes, at its baseUrl, with or without /v1 at its end, or at its provider's
// own address. Errors are for people; those about credentials are a [member.ErrNoKey].
func New(c council.Model, o Options) (*Model, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{model: c, kind: member.ServerKind(c), client: cmp.Or(o.Client, NewClient(o.Gate)),
		wallet: cmp.Or(o.Wallet, &credential.Wallet{Getenv: o.Getenv, Gate: o.Gate, Now: o.Now}),
		quirks: cmp.Or(o.Quirks, &Quirks{Now: o.Now}), now: o.Now}
	family := cmp.Or(m.kind.Protocol, council.ProtocolOpenAI)
	speaks := slices.DeleteFunc(slices.Clone(protocols), func(p protocol) bool { return p.family != family })
	i := slices.IndexFunc(speaks, func(p protocol) bool { return c.API == "" || slices.Contains(p.apis, c.API) })
	if i < 0 {
		return nil, fmt.Errorf("this version cannot use the api %q of %s: leave it out, or set %s", c.API,
			c.Provider, speaks[0].apis[0])
	}
	m.protocol = speaks[i]
	var err error
	if m.base, err = parseBaseURL(c, m.kind.Address); err != nil {
		return nil, err
	}
	if m.base.Path == "/" && m.kind.Path != "" {
		m.base = m.base.JoinPath(m.kind.Path, "/")
	}
	if m.caller, err = m.wallet.For(c, m.base); err != nil {
		return nil, err
	}
	headers, secrets, err := member.Headers(c, o.Getenv)
	if err != nil {
		return nil, err
	}
	m.headers = headers
	m.wallet.Note(secrets...)
	return m, nil
}

// callPath matches the end of an address that is a call's and not a server's.
var callPath = regexp.MustCompile(`/(chat/completions|responses|messages)$`)

func parseBaseURL(m council.Model, address string) (*url.URL, error) {
	if address = cmp.Or(m.BaseURL, address); address == "" {
		return nil, fmt.Errorf("the provider %s needs a baseUrl, such as %s", m.Provider, m.Kind().Example)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the baseUrl of %s is not an http or https address: %s", m.Provider, member.Redact(address))
	}
	if _, err := strconv.ParseUint(cmp.Or(u.Port(), "1"), 10, 16); err != nil {
		return nil, fmt.Errorf("the baseUrl of %s names the port %s, and ports end at 65535", m.Provider, u.Port())
	}
	if u.User != nil || u.Fragment != "" {
		return nil, fmt.Errorf("the baseUrl of %s must not hold a password or a fragment: use apiKeyEnv or headers",
			m.Provider)
	}
	u.Path = callPath.ReplaceAllString(strings.TrimRight(u.Path, "/"), "") + "/"
	u.RawPath = ""
	return u, nil
}

// versionPath matches a path with a protocol version, such as /api/v1/ or /v1beta/openai/.
var versionPath = regexp.MustCompile(`/v\d[0-9a-z]*/`)

// address returns the URL of calls. The default version of the protocol is 1.
func (m *Model) address() string {
	u := *m.base
	if m.kind.Protocol == council.ProtocolAnthropic {
		u.Path = strings.TrimSuffix(u.Path, "v1/")
	} else if !versionPath.MatchString(u.Path) && !u.Query().Has("api-version") {
		u.Path += "v1/"
	}
	return u.JoinPath(m.protocol.path).String()
}

func (m *Model) lacks(f feature) bool {
	m.quirks.mu.Lock()
	defer m.quirks.mu.Unlock()
	return m.quirks.known[m.place()][f] != ""
}

func (m *Model) place() string {
	return strings.TrimSpace(m.base.String() + " " + m.model.Model + " " + m.model.API)
}

// NewClient returns an HTTP client for model servers, whose requests pass the gate. It has no timeout, and follows no
// redirects, which would forward the key. A [member.Stop] ends the wait for a connection.
func NewClient(g *gate.Gate) *http.Client {
	t := g.Transport()
	t.DialContext = stopDialing(t.DialContext)
	t.OnProxyConnectResponse = func(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
		if res.StatusCode == http.StatusOK {
			return nil
		}
		return &rejection{Status: res.StatusCode, Kind: http.StatusText(res.StatusCode), Proxy: proxy.Host}
	}
	return gate.Client(t)
}

// errUnsent is the error of a call that a stop ended before there was a connection. It costs nothing.
var errUnsent = errors.New("stopped before there was a connection")

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// stopDialing returns a dialer that fails with errUnsent on a [member.Stop].
func stopDialing(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		idle, release := member.Idle(ctx)
		defer release()
		conn, err := dial(idle, network, address)
		if err != nil && idle.Err() != nil && ctx.Err() == nil {
			err = errUnsent
		}
		return conn, err
	}
}

// protocol is one way to put a prompt to a server and to read its reply.
type protocol struct {
	family  council.Protocol
	apis    []string          // the names by which a charter may ask for it
	path    string            // of the call, below the base address
	headers map[string]string // further ones
	fill    func(*request)    // adds the fields of this protocol
	take    func(r *reply, event string, doc gjson.Result) error
}

// protocols lists the protocols, the default of a family first.
var protocols = []protocol{
	{family: council.ProtocolOpenAI, apis: []string{"chat-completions", "openai-completions"}, path: "chat/completions",
		fill: (*request).fillChat, take: (*reply).readChat},
	{family: council.ProtocolOpenAI, apis: []string{"responses", "openai-responses", "openai-codex-responses"},
		path: "responses", fill: (*request).fillResponses, take: (*reply).readResponses},
	{family: council.ProtocolAnthropic, apis: []string{"anthropic-messages"}, path: "v1/messages",
		headers: map[string]string{"Anthropic-Version": "2023-06-01"}, fill: (*request).fillMessages,
		take: (*reply).readMessages},
}

type object = map[string]any

type request struct {
	*Model
	*prompt.Prompt
	body object
	sent []feature // features in the body that a server may not take
}

// request returns the body of a call that puts p, without features that the server does not take.
func (m *Model) request(p *prompt.Prompt) *request {
	r := &request{Model: m, Prompt: p, body: object{"model": m.model.Model, "stream": true}}
	if m.model.Temperature != nil {
		r.put(temperatureFeature, "temperature", m.model.Temperature)
	}
	if m.kind.CacheKey && p.View.Session != "" {
		r.body["prompt_cache_key"] = council.Digest(string(p.View.Session)) // of 64 characters, the most that it may have
	}
	m.protocol.fill(r)
	return r
}

func (r *request) put(f feature, field string, value any) {
	if !r.lacks(f) {
		r.body[field] = value
		r.sent = append(r.sent, f)
	}
}

// putSchema adds the schema of the reply, in the protocol's form. Where the schema becomes a part of the prompt,
// another schema would void the provider's cache: there it is sent only to repair a reply. A server that takes no
// schema is asked for a JSON object by some; nil: the protocol has no such form.
func (r *request) putSchema(field string, d form.Dialect, schema func(name string, schema json.RawMessage) object,
	some object) {
	switch {
	case r.Contract == nil || r.kind.SchemaIsPrompt && r.Try == 1:
	case !r.lacks(schemaFeature):
		if !r.kind.SchemaIsPrompt {
			d = form.Grammar
		}
		r.put(schemaFeature, field, schema(strings.ReplaceAll(r.Contract.Name, ".", "_"),
			form.Schema(r.Contract.Forms, r.Contract.OrCall, d)))
	case some != nil:
		r.put(jsonFeature, field, some)
	}
}

// system returns the system prompt, the shared part first, so that a prefix cache serves it to all members.
func (r *request) system() string {
	return strings.TrimSpace(r.System.Shared + "\n\n" + r.System.Persona)
}

// putMessages adds the prompt as messages. A refused system prompt goes into the field instead, or the first message.
func (r *request) putMessages(field, instead string) {
	messages := make([]object, 0, len(r.Messages)+1)
	words := r.system()
	if words != "" && !r.lacks(systemRole) {
		messages = append(messages, object{"role": "system", "content": words})
		r.sent = append(r.sent, systemRole)
		words = ""
	} else if words != "" && instead != "" && !r.lacks(instructionsField) {
		r.put(instructionsField, instead, words)
		words = ""
	}
	for _, msg := range r.Messages {
		content := msg.Content
		if words != "" && msg.Role == prompt.User {
			content, words = words+"\n\n"+content, ""
		}
		messages = append(messages, object{"role": msg.Role, "content": content})
	}
	r.body[field] = messages
}

// bound bounds the reply in the field, by the model's maxTokens or else by the kind of the question.
func (r *request) bound(field string) bool {
	limit := r.model.ReplyTokens(r.View.Ask.Kind)
	if limit == 0 || r.model.MaxTokens == 0 && r.lacks(kindBound) {
		return false
	}
	if r.body[field] = limit; r.model.MaxTokens == 0 {
		r.sent = append(r.sent, kindBound)
	}
	return true
}

func (r *request) fillChat() {
	r.putMessages("messages", "")
	r.put(streamUsage, "stream_options", object{"include_usage": true})
	// Unless the server is known to take only the other name.
	bound := maxTokens
	if (r.kind.BoundsCompletion || r.lacks(maxTokens)) && !r.lacks(maxCompletionTokens) {
		bound = maxCompletionTokens
	}
	if r.bound(string(bound)) {
		r.sent = append(r.sent, bound)
	}
	if effort := r.model.Effort(r.View.Ask.Kind); effort != "" {
		r.put(effortFeature, "reasoning_effort", effort)
	}
	r.putSchema("response_format", form.Strict, func(name string, schema json.RawMessage) object {
		return object{"type": "json_schema", "json_schema": object{"name": name, "strict": true, "schema": schema}}
	}, object{"type": "json_object"})
}

// fillResponses fills the fields of the responses protocol. The provider is asked to store nothing.
func (r *request) fillResponses() {
	r.put(storeField, "store", false)
	r.putMessages("input", "instructions")
	r.bound("max_output_tokens")
	if effort := r.model.Effort(r.View.Ask.Kind); effort != "" {
		r.put(effortFeature, "reasoning", object{"effort": effort})
	}
	r.putSchema("text", form.Strict, func(name string, schema json.RawMessage) object {
		return object{"format": object{"type": "json_schema", "name": name, "strict": true, "schema": schema}}
	}, object{"format": object{"type": "json_object"}})
}

// fillMessages fills the fields of Anthropic's protocol, without blocks where the server takes no marks. Its four cache
// breakpoints follow the shared part, the persona, and the last two messages, for the next prompt and for a repair.
func (r *request) fillMessages() {
	block := func(text string, kept bool) object {
		b := object{"type": "text", "text": text}
		if kept {
			b["cache_control"] = object{"type": "ephemeral"}
		}
		return b
	}
	marked := !r.lacks(cacheMarks)
	var system []object
	for _, part := range []string{r.System.Shared, r.System.Persona} {
		if part != "" {
			system = append(system, block(part, true))
		}
	}
	if r.put(cacheMarks, "system", system); !marked {
		r.body["system"] = r.system()
	}
	if system == nil {
		delete(r.body, "system")
	}
	var messages []object
	for i, msg := range r.Messages {
		message := object{"role": msg.Role, "content": msg.Content}
		if marked {
			message["content"] = []object{block(msg.Content, i >= len(r.Messages)-2)}
		}
		messages = append(messages, message)
	}
	r.body["messages"] = messages
	r.body["max_tokens"] = cmp.Or(r.model.MaxTokens, 8192) // the protocol wants a bound
	r.putSchema("output_config", form.Plain, func(_ string, schema json.RawMessage) object {
		return object{"format": object{"type": "json_schema", "schema": schema}}
	}, nil)
	if effort := r.model.Effort(r.View.Ask.Kind); effort != "" && !r.lacks(effortFeature) {
		config, _ := r.body["output_config"].(object)
		if config == nil {
			config = object{}
		}
		config["effort"] = effort
		r.put(effortFeature, "output_config", config)
	}
}
