package conversation

import (
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Role is the kind of a line of a conversation.
type Role string

// The lines of a conversation: what comes before it, a question, the reply to one, a question that brought nothing.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleFault     Role = "fault"

	RoleToolUse    Role = "tool_use"    // the reply was a call, which is about to be made
	RoleToolResult Role = "tool_result" // what came of it
)

// Line is one line of conversations/<member>.jsonl. Which fields matter is decided by Role; the others are empty.
type Line struct {
	Role Role `json:"role"`

	SharedSHA256 string `json:"sharedSha256,omitempty"` // system: of the part that all members share
	Persona      string `json:"persona,omitempty"`      // system

	Ask council.AskID `json:"ask,omitempty"` // all but system
	Try int           `json:"try,omitempty"`

	Restart      int    `json:"restart,omitempty"`      // user: how often the conversation has started again
	PromptSHA256 string `json:"promptSha256,omitempty"` // user: of all that was sent
	// user: what was not in the prompt before; empty when asked again
	Messages []Message `json:"messages,omitempty"`

	Content       string        `json:"content,omitempty"`       // assistant
	ContentBase64 []byte        `json:"contentBase64,omitempty"` // assistant: instead of Content when that is not UTF-8
	Stop          string        `json:"stop,omitempty"`          // assistant
	Usage         council.Usage `json:"usage,omitzero"`          // assistant
	Configured    *Model        `json:"configured,omitempty"`    // assistant: the model of the charter
	Reported      string        `json:"reported,omitempty"`      // assistant: the model as the provider names it
	RequestID     string        `json:"requestId,omitempty"`     // assistant: the provider's name for the call
	LatencyMS     int64         `json:"latencyMs,omitempty"`     // assistant
	Cut           []council.Cut `json:"cut,omitempty"`           // assistant: secrets that were taken out of it
	Hidden        []council.Cut `json:"hidden,omitempty"`        // assistant: characters in it that readers do not see

	Fault *council.Fault `json:"fault,omitempty"` // fault

	Tool      string           `json:"tool,omitempty"`      // tool_use
	Arguments string           `json:"arguments,omitempty"` // tool_use: a JSON object on one line
	Use       *council.ToolUse `json:"use,omitempty"`       // tool_result

	At string `json:"at,omitempty"` // RFC 3339, UTC, milliseconds; all but system

	Forgotten bool `json:"forgotten,omitempty"` // words of it, or digests by which they could be guessed, were erased
}

// Message is one message that was sent.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Model names a model as the charter configures it.
type Model struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// setContent puts a reply on a line as it came: text that is not UTF-8 would come back from JSON as other text.
func (l *Line) setContent(text string) {
	if utf8.ValidString(text) {
		l.Content = text
		return
	}
	l.ContentBase64 = []byte(text)
}

// Completion returns the reply that a line holds.
func (l Line) Completion() prompt.Completion {
	text := l.Content
	if len(l.ContentBase64) > 0 {
		text = string(l.ContentBase64)
	}
	return prompt.Completion{
		Text: text, Stop: prompt.Stop(l.Stop), Usage: l.Usage, RequestID: l.RequestID, Cut: l.Cut, Hidden: l.Hidden,
	}
}
