package endpoint

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// protocol is one way to put a prompt to a server and to read its reply.
type protocol struct {
	family  council.Protocol
	apis    []string          // the names by which a charter may ask for it
	path    string            // of the call, below the base address
	headers map[string]string // further ones
	fill    func(*request)    // adds what only this protocol has
	take    func(r *reply, doc gjson.Result, whole bool) error
}

// protocols lists the protocols, the usual one of a family first.
var protocols = []protocol{
	{family: council.ProtocolOpenAI, apis: []string{"chat-completions", "openai-completions"}, path: "chat/completions",
		fill: (*request).chat, take: (*reply).chat},
	{family: council.ProtocolOpenAI, apis: []string{"responses", "openai-responses", "openai-codex-responses"},
		path: "responses", fill: (*request).responses, take: (*reply).responses},
	{family: council.ProtocolAnthropic, apis: []string{"anthropic-messages"}, path: "v1/messages",
		headers: map[string]string{"Anthropic-Version": "2023-06-01"}, fill: (*request).messages, take: (*reply).messages},
}

type object = map[string]any

// request is the body of a call.
type request struct {
	*Model
	prompt.Prompt
	body object
	sent []feature // what the body holds that a server may not take
}

// request returns the body of a call that puts p, without what the server is known not to take.
func (m *Model) request(p prompt.Prompt) *request {
	r := &request{Model: m, Prompt: p, body: object{"model": m.model.Model, "stream": true}}
	if m.model.Temperature != nil {
		r.put(temperatureFeature, "temperature", m.model.Temperature)
	}
	m.protocol.fill(r)
	return r
}

// put adds a field that not every server takes.
func (r *request) put(f feature, field string, value any) {
	if !r.lacks(f) {
		r.body[field] = value
		r.sent = append(r.sent, f)
	}
}

// contract adds the contract of the reply where the server is to hold the reply to it, in the form that the protocol
// gives to the schema: the question states it too. Where the schema becomes a part of the prompt, the provider's cache
// would serve nothing of it with another schema: there it is only sent where a reply has to be mended.
func (r *request) contract(field string, strict bool, form func(name string, schema json.RawMessage) object) {
	if r.Contract != nil && (!r.kind.SchemaIsPrompt || r.Try > 1) {
		r.put(schemaFeature, field, form(strings.ReplaceAll(r.Contract.Name, ".", "_"), r.schema(r.Contract, strict)))
	}
}

// conversation adds the prompt as messages. What all members share comes first, so that a prefix cache serves it to
// each. It begins the user's first message where the server is known to have no role for it.
func (r *request) conversation(field string) {
	messages := make([]object, 0, len(r.Messages)+1)
	words := strings.TrimSpace(r.System.Shared + "\n\n" + r.System.Persona)
	if words != "" && !r.lacks(systemRole) {
		messages = append(messages, object{"role": "system", "content": words})
		r.sent = append(r.sent, systemRole)
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

// chat is the chat completions protocol.
func (r *request) chat() {
	r.conversation("messages")
	r.put(streamUsage, "stream_options", object{"include_usage": true})
	// The reply is bounded by the name that the provider takes, unless the server is known to take only the other.
	bound := maxTokens
	if (r.kind.BoundsCompletion || r.lacks(maxTokens)) && !r.lacks(maxCompletionTokens) {
		bound = maxCompletionTokens
	}
	if r.model.MaxTokens > 0 {
		r.body[string(bound)] = r.model.MaxTokens
		r.sent = append(r.sent, bound)
	}
	r.contract("response_format", true, func(name string, schema json.RawMessage) object {
		return object{"type": "json_schema", "json_schema": object{"name": name, "strict": true, "schema": schema}}
	})
}

// responses is the responses protocol. The provider is asked to store nothing: the conversation is sent whole each
// time, and its record is ours.
func (r *request) responses() {
	r.body["store"] = false
	r.conversation("input")
	if r.model.MaxTokens > 0 {
		r.body["max_output_tokens"] = r.model.MaxTokens
	}
	r.contract("text", true, func(name string, schema json.RawMessage) object {
		return object{"format": object{"type": "json_schema", "name": name, "strict": true, "schema": schema}}
	})
}

// replyTokens bounds a reply where the charter does not and the protocol wants a bound.
const replyTokens = 8192

// messages is Anthropic's protocol. Its four cache breakpoints are set after what all members share, after the persona,
// and after the last two messages. The newest is what the member's next prompt extends; the one before it still serves
// when this question has to be put again in other words.
func (r *request) messages() {
	block := func(text string, kept bool) object {
		b := object{"type": "text", "text": text}
		if kept {
			b["cache_control"] = object{"type": "ephemeral"}
		}
		return b
	}
	var system, messages []object
	for _, part := range []string{r.System.Shared, r.System.Persona} {
		if part != "" {
			system = append(system, block(part, true))
		}
	}
	if system != nil {
		r.body["system"] = system
	}
	for i, msg := range r.Messages {
		content := []object{block(msg.Content, i >= len(r.Messages)-2)}
		messages = append(messages, object{"role": msg.Role, "content": content})
	}
	r.body["messages"] = messages
	r.body["max_tokens"] = cmp.Or(r.model.MaxTokens, replyTokens)
	r.contract("output_config", false, func(_ string, schema json.RawMessage) object {
		return object{"format": object{"type": "json_schema", "schema": schema}}
	})
}
