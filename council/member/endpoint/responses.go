package endpoint

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// responses is the responses protocol. The provider is asked to store nothing: the conversation is sent whole each
// time, and its record is ours.
var responses = protocol{
	apis:    []string{"responses", "openai-responses", "openai-codex-responses"},
	path:    "responses",
	request: (*Model).responsesRequest,
	reader:  func(m *Model) reader { return &responsesReply{bills: m.bills()} },
}

type responsesRequest struct {
	Model           string         `json:"model"`
	Input           []message      `json:"input"`
	Stream          bool           `json:"stream"`
	Store           bool           `json:"store"`
	Temperature     *float64       `json:"temperature,omitempty"`
	MaxOutputTokens int            `json:"max_output_tokens,omitempty"`
	Text            *responsesText `json:"text,omitempty"`
}

type responsesText struct {
	Format responsesSchema `json:"format"`
}

type responsesSchema struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (m *Model) responsesRequest(p prompt.Prompt) (any, []feature) {
	r := responsesRequest{Model: m.model.Model, Input: m.conversation(p), Stream: true, MaxOutputTokens: m.model.MaxTokens}
	var sent []feature
	if withSystem(r.Input) {
		sent = append(sent, systemRole)
	}
	if r.Temperature = m.temperature(); r.Temperature != nil {
		sent = append(sent, temperatureFeature)
	}
	if schema := m.strictSchema(p); schema != nil {
		r.Text = &responsesText{responsesSchema{"json_schema", schema.Name, schema.Strict, schema.Schema}}
		sent = append(sent, schemaFeature)
	}
	return r, sent
}

// responsesReply collects what one call brings.
type responsesReply struct {
	reply
	status string // completed or incomplete, once the server has said so
	reason string // why it is incomplete
	bills  bool   // the server reports the cost
}

// take adds one event of a stream. Events of kinds unknown here are passed over.
func (r *responsesReply) take(event gjson.Result) error {
	switch kind := event.Get("type").String(); kind {
	case "error":
		return readRejection(200, []byte(event.Raw))
	case "response.output_item.added":
		r.begun = true
	case "response.output_text.delta":
		r.begun = true
		r.text.WriteString(event.Get("delta").String())
	case "response.refusal.delta":
		r.begun = true
		r.refusal.WriteString(event.Get("delta").String())
	case "response.failed":
		r.head(event.Get("response"))
		return readRejection(200, []byte(event.Get("response").Raw))
	case "response.completed", "response.incomplete":
		r.head(event.Get("response"))
		r.end(event.Get("response"))
	default:
		if event.Get("error").IsObject() { // of a gateway, in no form of this protocol
			return said(event)
		}
	}
	return nil
}

func (r *responsesReply) takeWhole(body gjson.Result) error {
	if err := said(body); err != nil {
		return err
	}
	if !body.Get("output").IsArray() {
		return errGarbled
	}
	r.head(body)
	r.end(body)
	return nil
}

func (r *responsesReply) head(doc gjson.Result) {
	r.name(doc)
	if u := doc.Get("usage"); u.IsObject() {
		written := Tokens(u.Get("output_tokens"))
		reasoning := min(Tokens(u.Get("output_tokens_details.reasoning_tokens")), written)
		r.Usage = usage(r.Usage.Model, Tokens(u.Get("input_tokens")), u.Get("input_tokens_details"), written, reasoning)
		if r.bills {
			bill(&r.Usage, u)
		}
	}
}

// end reads the whole response that the last event holds. Its text counts where none was streamed.
func (r *responsesReply) end(doc gjson.Result) {
	r.status, r.reason, r.done = doc.Get("status").String(), doc.Get("incomplete_details.reason").String(), true
	if r.status == "" {
		r.status = "completed"
	}
	streamed := r.text.Len()+r.refusal.Len() > 0
	doc.Get("output.#.content|@flatten").ForEach(func(_, part gjson.Result) bool {
		if !streamed && part.Get("type").String() != "reasoning_text" { // vLLM and LM Studio show what was thought
			r.text.WriteString(part.Get("text").String())
			r.refusal.WriteString(part.Get("refusal").String())
		}
		return true
	})
}

func (r *responsesReply) stop() (prompt.Stop, error) {
	switch {
	case r.status == "completed":
		return prompt.StopEnd, nil
	case r.status == "incomplete" && r.reason == "content_filter":
		return prompt.StopRefusal, nil
	case r.status == "incomplete":
		return prompt.StopLength, nil
	}
	return "", errCut
}
