package endpoint

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// chat is the chat completions protocol.
var chat = protocol{
	apis:    []string{"chat-completions", "openai-completions"},
	path:    "chat/completions",
	request: (*Model).chatRequest,
	reader:  func(m *Model) reader { return &chatReply{bills: m.bills()} },
}

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (m *Model) chatRequest(p prompt.Prompt) (any, []feature) {
	r := chatRequest{Model: m.model.Model, Stream: true}
	var sent []feature
	if r.Messages = m.conversation(p); withSystem(r.Messages) {
		sent = append(sent, systemRole)
	}
	if !m.lacks(streamUsage) {
		r.StreamOptions = &streamOptions{IncludeUsage: true}
		sent = append(sent, streamUsage)
	}
	if r.Temperature = m.temperature(); r.Temperature != nil {
		sent = append(sent, temperatureFeature)
	}
	// The reply is bounded by the name that the provider takes, unless the server is known to take only the other.
	newer := m.kind.BoundsCompletion || m.lacks(maxTokens)
	switch {
	case m.model.MaxTokens == 0:
	case newer && !m.lacks(maxCompletionTokens):
		r.MaxCompletionTokens = m.model.MaxTokens
		sent = append(sent, maxCompletionTokens)
	default:
		r.MaxTokens = m.model.MaxTokens
		sent = append(sent, maxTokens)
	}
	if schema := m.strictSchema(p); schema != nil {
		r.ResponseFormat = &responseFormat{"json_schema", *schema}
		sent = append(sent, schemaFeature)
	}
	return r, sent
}

// temperature returns the one that the charter sets, unless the server is known not to take one.
func (m *Model) temperature() *float64 {
	if m.lacks(temperatureFeature) {
		return nil
	}
	return m.model.Temperature
}

// strictSchema returns the contract of a reply where the server is to hold the reply to it, else nil: the question
// states it too. Where the schema becomes a part of the prompt, the provider's cache would serve nothing of it with
// another schema: there it is only sent where a reply has to be mended. One that cannot be put in strict form is not
// sent.
func (m *Model) strictSchema(p prompt.Prompt) *jsonSchema {
	if p.Contract == nil || m.lacks(schemaFeature) || m.kind.SchemaIsPrompt && p.Try < 2 {
		return nil
	}
	schema, err := m.schema(p.Contract, true)
	if err != nil {
		return nil
	}
	return &jsonSchema{strings.ReplaceAll(p.Contract.Name, ".", "_"), true, schema}
}

// system is the role of what stands before a conversation.
const system = "system"

func withSystem(messages []message) bool { return len(messages) > 0 && messages[0].Role == system }

// conversation returns a prompt as messages. What all members share comes first, so that a prefix cache serves it to
// each. It begins the user's first message where the server is known to have no role for it.
func (m *Model) conversation(p prompt.Prompt) []message {
	messages := make([]message, 0, len(p.Messages)+1)
	words := strings.TrimSpace(p.System.Shared + "\n\n" + p.System.Persona)
	if words != "" && !m.lacks(systemRole) {
		messages = append(messages, message{system, words})
		words = ""
	}
	for _, msg := range p.Messages {
		content := msg.Content
		if words != "" && msg.Role == prompt.User {
			content, words = words+"\n\n"+content, ""
		}
		messages = append(messages, message{string(msg.Role), content})
	}
	return messages
}

// chatReply collects what one call brings. Only the first choice counts: no more were asked for.
type chatReply struct {
	reply
	finish string
	bills  bool // the server reports the cost
}

func (r *chatReply) take(event gjson.Result) error {
	r.begun = true
	if !event.Exists() {
		r.done = true
		return nil
	}
	return r.add(event, "delta")
}

func (r *chatReply) takeWhole(body gjson.Result) error {
	r.done = body.Get("choices.0").Exists()
	return r.add(body, "message")
}

// add adds a chunk, or a whole reply; field is the one that holds its text.
func (r *chatReply) add(doc gjson.Result, field string) error {
	if err := said(doc); err != nil {
		return err
	}
	r.name(doc)
	if u := doc.Get("usage"); u.IsObject() {
		r.count(u)
	}
	choice := doc.Get("choices.0")
	if choice.Get("index").Int() != 0 {
		return nil
	}
	r.text.WriteString(contentText(choice.Get(field + ".content")))
	r.refusal.WriteString(choice.Get(field + ".refusal").String())
	if finish := choice.Get("finish_reason").String(); finish != "" {
		r.finish = finish
	}
	return nil
}

// contentText returns the text of a content: a string, or of a list of parts those of the type text. Models that reason
// list their thoughts among them (Mistral).
func contentText(content gjson.Result) string {
	if !content.IsArray() {
		return content.String()
	}
	var b strings.Builder
	for _, part := range content.Array() {
		if kind := part.Get("type").String(); kind == "text" || kind == "output_text" {
			b.WriteString(part.Get("text").String())
		}
	}
	return b.String()
}

// count notes the tokens. xAI and Gemini do not count reasoning among the completion's tokens; only their total shows
// it.
func (r *chatReply) count(u gjson.Result) {
	all, written := Tokens(u.Get("prompt_tokens")), Tokens(u.Get("completion_tokens"))
	reasoning := min(Tokens(u.Get("completion_tokens_details.reasoning_tokens")), written)
	if beside := Tokens(u.Get("total_tokens")) - all - written; beside > 0 {
		written, reasoning = written+beside, beside
	}
	r.Usage = usage(r.Usage.Model, all, u.Get("prompt_tokens_details"), written, reasoning)
	if r.bills {
		bill(&r.Usage, u)
	}
}

// usage takes the kinds of tokens apart. Both protocols of OpenAI count tokens that were read from the cache or written
// to it among those of the prompt, and reasoning among those of the reply.
func usage(model string, all int64, details gjson.Result, written, reasoning int64) council.Usage {
	cached := min(Tokens(details.Get("cached_tokens")), all)
	kept := min(Tokens(details.Get("cache_write_tokens")), all-cached)
	return council.Usage{
		Model:            model,
		InputTokens:      all - cached - kept,
		CachedTokens:     cached,
		CacheWriteTokens: kept,
		OutputTokens:     written - reasoning,
		ReasoningTokens:  reasoning,
	}
}

func (r *chatReply) stop() (prompt.Stop, error) {
	switch r.finish {
	case "":
		if !r.done {
			return "", errCut
		}
	case "length":
		return prompt.StopLength, nil
	case "content_filter":
		return prompt.StopRefusal, nil
	case "error":
		return "", errCut
	}
	return prompt.StopEnd, nil
}

// mostTokens is more than any reply can cost. Counts are a server's claims: beyond it they would overflow a budget.
const mostTokens = 1 << 40

// Tokens reads a count of tokens, in whatever form a server writes numbers.
func Tokens(v gjson.Result) int64 { return min(max(v.Int(), 0), mostTokens) }

// bills reports whether the server reports the cost of each reply in US dollars: OpenRouter does. Others may mean
// something else by the same name.
func (m *Model) bills() bool {
	return m.model.Kind().Bills || m.base.Hostname() == "openrouter.ai" ||
		strings.HasSuffix(m.base.Hostname(), ".openrouter.ai")
}

// bill notes the cost that the server reports: a part that is paid to the gateway, and with a key of one's own another
// that is paid to the provider behind it.
func bill(into *council.Usage, usage gjson.Result) {
	all := usage.Get("cost")
	if all.Type != gjson.Number || !(all.Float() >= 0) {
		return
	}
	into.Billed, into.BilledCalls = council.Dollars(all.Float()), 1
	if behind := usage.Get("cost_details.upstream_inference_cost").Float(); usage.Get("is_byok").Bool() && behind > 0 {
		into.Billed = into.Billed.Plus(council.Dollars(behind))
	}
}
