package openai

import (
	"encoding/json"
	"strings"

	"github.com/council-engine/council/council/member/endpoint"
	"github.com/council-engine/council/council/prompt"
)

// responseRequest is the body of a call by the responses protocol. The provider is asked to store nothing: the
// conversation is sent whole each time, and its record is ours.
type responseRequest struct {
	Model           string        `json:"model"`
	Input           []message     `json:"input"`
	Stream          bool          `json:"stream"`
	Store           bool          `json:"store"`
	Temperature     *float64      `json:"temperature,omitempty"`
	MaxOutputTokens int           `json:"max_output_tokens,omitempty"`
	Text            *responseText `json:"text,omitempty"`
}

type responseText struct {
	Format responseSchema `json:"format"`
}

type responseSchema struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// responseRequest puts a prompt into the protocol, without what the server is known not to take.
func (m *Model) responseRequest(p prompt.Prompt) responseRequest {
	r := responseRequest{
		Model:           m.endpoint.Model.Model,
		Input:           m.conversation(p),
		Stream:          true,
		MaxOutputTokens: m.endpoint.Model.MaxTokens,
	}
	if !m.endpoint.Lacks(endpoint.Temperature) {
		r.Temperature = m.endpoint.Model.Temperature
	}
	if schema := m.schema(p); schema != nil {
		r.Text = &responseText{responseSchema{"json_schema", schema.Name, schema.Strict, schema.Schema}}
	}
	return r
}

// system is the role of what stands before a conversation.
const system = "system"

func withSystem(messages []message) bool { return len(messages) > 0 && messages[0].Role == system }

// conversation is a prompt as messages. What all members share comes first, so that a prefix cache serves it to each. It
// begins the user's first message where the server is known to have no role for it.
func (m *Model) conversation(p prompt.Prompt) []message {
	messages := make([]message, 0, len(p.Messages)+1)
	words := strings.TrimSpace(p.System.Shared + "\n\n" + p.System.Persona)
	if words != "" && !m.endpoint.Lacks(endpoint.SystemRole) {
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

// features lists what the request holds that a server may not take.
func (r responseRequest) features() []endpoint.Feature {
	var sent []endpoint.Feature
	if withSystem(r.Input) {
		sent = append(sent, endpoint.SystemRole)
	}
	if r.Text != nil {
		sent = append(sent, endpoint.Schema)
	}
	if r.Temperature != nil {
		sent = append(sent, endpoint.Temperature)
	}
	return sent
}
