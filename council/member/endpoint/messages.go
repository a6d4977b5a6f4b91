package endpoint

import (
	"cmp"
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// messages is Anthropic's protocol.
var messages = protocol{
	apis:    []string{"anthropic-messages"},
	path:    "v1/messages",
	headers: map[string]string{"Anthropic-Version": "2023-06-01"},
	request: (*Model).messagesRequest,
	reader:  func(*Model) reader { return &messagesReply{} },
}

// replyTokens bounds a reply where the charter does not: the protocol wants a bound.
const replyTokens = 8192

type messagesRequest struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Stream       bool          `json:"stream"`
	System       []block       `json:"system,omitempty"`
	Messages     []blocks      `json:"messages"`
	Temperature  *float64      `json:"temperature,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type blocks struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type         string        `json:"type"`
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type outputConfig struct {
	Format outputFormat `json:"format"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

func (m *Model) messagesRequest(p prompt.Prompt) (any, []feature) {
	r := messagesRequest{Model: m.model.Model, MaxTokens: cmp.Or(m.model.MaxTokens, replyTokens), Stream: true}
	for _, part := range []string{p.System.Shared, p.System.Persona} {
		if part != "" {
			r.System = append(r.System, block{Type: "text", Text: part})
		}
	}
	for _, msg := range p.Messages {
		r.Messages = append(r.Messages, blocks{string(msg.Role), []block{{Type: "text", Text: msg.Content}}})
	}
	r.markPrefixes()
	var sent []feature
	if r.Temperature = m.temperature(); r.Temperature != nil {
		sent = append(sent, temperatureFeature)
	}
	// With another schema the provider's cache would serve nothing of the prompt. The question states the contract too, so
	// that the schema is only sent where a reply has to be mended. One that cannot be put in the provider's form goes as
	// text.
	if p.Contract != nil && p.Try > 1 && !m.lacks(schemaFeature) {
		if schema, err := m.schema(p.Contract, false); err == nil {
			r.OutputConfig = &outputConfig{outputFormat{"json_schema", schema}}
			sent = append(sent, schemaFeature)
		}
	}
	return r, sent
}

// markPrefixes sets the protocol's four cache breakpoints: after what all members share, after the persona, and
// after the last two messages. The newest is what the member's next prompt extends; the one before it still serves
// when this question has to be put again in other words.
func (r *messagesRequest) markPrefixes() {
	keep := &cacheControl{"ephemeral"}
	for i := range r.System {
		r.System[i].CacheControl = keep
	}
	for i := max(0, len(r.Messages)-2); i < len(r.Messages); i++ {
		r.Messages[i].Content[0].CacheControl = keep
	}
}

// messagesReply collects what one call brings.
type messagesReply struct {
	reply
	reason string
}

// take adds one event of a stream. Events of kinds unknown here are passed over, as the protocol asks.
func (r *messagesReply) take(event gjson.Result) error {
	r.begun = true // the first event comes when the prompt has been read
	switch event.Get("type").String() {
	case "error":
		return readRejection(200, []byte(event.Raw))
	case "message_start":
		r.head(event.Get("message"))
	case "content_block_delta":
		if event.Get("delta.type").String() == "text_delta" {
			r.text.WriteString(event.Get("delta.text").String())
		}
	case "message_delta":
		if reason := event.Get("delta.stop_reason").String(); reason != "" {
			r.reason = reason
		}
		r.count(event.Get("usage"))
	case "message_stop":
		r.done = true
	}
	return nil
}

func (r *messagesReply) takeWhole(body gjson.Result) error {
	switch body.Get("type").String() {
	case "error":
		return readRejection(200, []byte(body.Raw))
	case "message":
	default:
		return errGarbled
	}
	r.head(body)
	body.Get("content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").String() == "text" {
			r.text.WriteString(b.Get("text").String())
		}
		return true
	})
	r.reason, r.done = body.Get("stop_reason").String(), true
	return nil
}

func (r *messagesReply) head(doc gjson.Result) {
	r.name(doc)
	r.count(doc.Get("usage"))
}

// count notes the tokens. Later counts replace earlier ones; this protocol counts the kinds of input apart.
func (r *messagesReply) count(u gjson.Result) {
	for name, to := range map[string]*int64{
		"input_tokens":                &r.Usage.InputTokens,
		"cache_read_input_tokens":     &r.Usage.CachedTokens,
		"cache_creation_input_tokens": &r.Usage.CacheWriteTokens,
		"output_tokens":               &r.Usage.OutputTokens,
	} {
		if v := u.Get(name); v.Exists() && v.Type != gjson.Null {
			*to = Tokens(v)
			if name == "output_tokens" { // which counts reasoning too
				r.Usage.ReasoningTokens = min(Tokens(u.Get("output_tokens_details.thinking_tokens")), *to)
				*to -= r.Usage.ReasoningTokens
			}
		}
	}
}

func (r *messagesReply) stop() (prompt.Stop, error) {
	switch r.reason {
	case "":
		if !r.done {
			return "", errCut
		}
	case "max_tokens", "model_context_window_exceeded":
		return prompt.StopLength, nil
	case "refusal":
		return prompt.StopRefusal, nil
	}
	return prompt.StopEnd, nil
}
