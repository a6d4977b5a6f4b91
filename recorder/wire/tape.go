package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
)

// Role says what a line of a conversation holds.
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

// TapeLine is one line of conversations/<member>.jsonl. Which fields matter is decided by Role; the others are empty.
type TapeLine struct {
	Role Role `json:"role"`

	SharedSHA256 string `json:"sharedSha256,omitempty"` // system: of the part that all members share
	Persona      string `json:"persona,omitempty"`      // system

	Ask council.AskID `json:"ask,omitempty"` // all but system
	Try int           `json:"try,omitempty"`

	Restart      int           `json:"restart,omitempty"`      // user: how often the conversation has started again
	PromptSHA256 string        `json:"promptSha256,omitempty"` // user: of all that was sent
	Messages     []TapeMessage `json:"messages,omitempty"`     // user: what was not in the prompt before; empty when asked again

	Content       string        `json:"content,omitempty"`       // assistant
	ContentBase64 []byte        `json:"contentBase64,omitempty"` // assistant: instead of Content when that is not UTF-8
	Stop          string        `json:"stop,omitempty"`          // assistant
	Usage         council.Usage `json:"usage,omitzero"`          // assistant
	Configured    *TapeModel    `json:"configured,omitempty"`    // assistant: the model of the charter
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

// TapeMessage is one message that was sent.
type TapeMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// TapeModel names a model as the charter configures it.
type TapeModel struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// Stamp writes a time in the way of all files: RFC 3339 in UTC with milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// Tape is what a scan of a conversation found, and what continues it.
type Tape struct {
	Lines []TapeLine
	Good  int64 // the length of what is good, up to the end of the last whole line
	Torn  bool  // the end of the file is missing or unfinished; see [Tape.Mended]
	sum   string
}

// NewTape returns the tape of a conversation that has not begun.
func NewTape(session council.SessionID, member council.MemberID) *Tape {
	return &Tape{sum: Seed("conversation", string(session)+"/"+string(member))}
}

// Mended is what a torn conversation must have after its first Good bytes, and nothing else, to be whole again.
func (t *Tape) Mended() string {
	if t.Good == 0 {
		return ""
	}
	return "\n"
}

// Next returns the bytes that put lines on the tape: they are to be appended to the file.
func (t *Tape) Next(lines ...TapeLine) ([]byte, error) {
	var text []byte
	sum := t.sum
	for _, l := range lines {
		body, err := JSON(l)
		if err != nil {
			return nil, err
		}
		body[len(body)-1] = ',' // the object goes on
		sum = Link(sum, body)
		text = append(text, body...)
		text = append(text, sumKey+sum+"\"}\n"...)
	}
	t.sum = sum
	t.Lines = append(t.Lines, lines...)
	return text, nil
}

// sumKey stands between what a line says and its sum.
const sumKey = `"sum":"`

// ScanTape reads a whole conversation and checks its form and its chain, by the same rules as [Scan].
func ScanTape(session council.SessionID, member council.MemberID, data []byte) (*Tape, error) {
	t := NewTape(session, member)
	text := bytes.TrimRight(data, "\x00")
	t.Torn = len(data) > len(text)
	for {
		rest := text[t.Good:]
		if len(t.Lines) > 0 {
			if len(rest) == 0 {
				t.Torn = true // for want of a newline
				return t, nil
			}
			if rest[0] != '\n' {
				return t, damage(len(t.Lines)+1, t.Good, "what follows is not a line of a conversation")
			}
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return t, nil
		}
		at := int64(len(text) - len(rest))
		candidate, finished := rest, false
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			candidate, finished = rest[:end], true
		} else {
			candidate = firstValue(rest)
		}
		line, sum, err := parseTape(candidate, t.sum)
		if errors.Is(err, ErrNewer) {
			return t, err
		}
		if err != nil && finished {
			return t, damage(len(t.Lines)+1, at, err.Error())
		}
		if err != nil {
			t.Torn = true
			return t, nil
		}
		t.Lines, t.sum, t.Good = append(t.Lines, line), sum, at+int64(len(candidate))
	}
}

// parseTape reads one line and checks its sum, which covers everything before it.
func parseTape(text []byte, previous string) (TapeLine, string, error) {
	const tail = len(sumKey) + 64 + len(`"}`)
	if len(text) < tail || text[0] != '{' {
		return TapeLine{}, "", errors.New("it is not a line of a conversation")
	}
	body := text[:len(text)-tail]
	sum := Link(previous, body)
	if string(text[len(body):]) != sumKey+sum+`"}` {
		return TapeLine{}, "", errors.New("its sum does not follow from the lines before it")
	}
	var line struct {
		TapeLine
		Sum string `json:"sum"`
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&line); err != nil {
		return TapeLine{}, "", fmt.Errorf("%w: a line of a conversation holds what this version does not know", ErrNewer)
	}
	return line.TapeLine, sum, nil
}
