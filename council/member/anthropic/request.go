package anthropic

import (
	"encoding/json"

	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// replyTokens bounds a reply where the charter does not: the protocol wants a bound.
const replyTokens = 8192

// request is the body of a call. The SDK's own parameter types say the same, but encode a long conversation seven
// times slower, and put a schema's properties in alphabetical order, while a model writes them in the order given.
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Stream       bool          `json:"stream"`
	System       []block       `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Temperature  *float64      `json:"temperature,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type message struct {
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

func text(s string) block { return block{Type: "text", Text: s} }

// keep marks the end of a prefix that the provider is to keep for the next call.
func (b *block) keep() { b.CacheControl = &cacheControl{"ephemeral"} }

// request puts a prompt into the protocol, without what the server is known not to take.
func (m *Model) request(p prompt.Prompt) request {
	r := request{
		Model:     m.endpoint.Model.Model,
		MaxTokens: m.endpoint.Model.MaxTokens,
		Stream:    true,
	}
	if r.MaxTokens == 0 {
		r.MaxTokens = replyTokens
	}
	for _, part := range []string{p.System.Shared, p.System.Persona} {
		if part != "" {
			r.System = append(r.System, text(part))
		}
	}
	for _, msg := range p.Messages {
		r.Messages = append(r.Messages, message{string(msg.Role), []block{text(msg.Content)}})
	}
	r.markPrefixes()
	if !m.endpoint.Lacks(endpoint.Temperature) {
		r.Temperature = m.endpoint.Model.Temperature
	}
	// With another schema the provider's cache would serve nothing of the prompt. The question states the contract too, so
	// that the schema is only sent where a reply has to be mended.
	if p.Contract != nil && p.Try > 1 && !m.endpoint.Lacks(endpoint.Schema) {
		// A contract that cannot be put in the provider's form goes as text alone.
		if schema, err := m.endpoint.Schema(p.Contract, endpoint.Dialect{}); err == nil {
			r.OutputConfig = &outputConfig{outputFormat{"json_schema", schema}}
		}
	}
	return r
}

// markPrefixes sets the protocol's four cache breakpoints: after what all members share, after the persona, and
// after the last two messages. The newest is what the member's next prompt extends; the one before it still serves
// when this question has to be put again in other words.
func (r *request) markPrefixes() {
	for i := range r.System {
		r.System[i].keep()
	}
	for i := max(0, len(r.Messages)-2); i < len(r.Messages); i++ {
		r.Messages[i].Content[0].keep()
	}
}

// features lists what the request holds that a server may not take.
func (r request) features() []endpoint.Feature {
	var sent []endpoint.Feature
	if r.OutputConfig != nil {
		sent = append(sent, endpoint.Schema)
	}
	if r.Temperature != nil {
		sent = append(sent, endpoint.Temperature)
	}
	return sent
}
