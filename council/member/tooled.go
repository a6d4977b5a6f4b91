package member

import (
	"context"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Tools are those that one member may call.
type Tools interface {
	// Use makes the call that the reply to p was. Whatever goes wrong with the call is told by the use, so that the member
	// can do better; an error is ctx's, or a *TapeError.
	Use(ctx context.Context, p prompt.Prompt, call council.ToolCall) (council.ToolUse, error)
}

// UseTape keeps which tools one member called and what came of it. Calling returns when the call is durable, Called
// when what came of it is.
type UseTape interface {
	// RecallUse returns what came of the call that the reply to p was, or nil; and whether that call was begun.
	RecallUse(p prompt.Prompt) (use *council.ToolUse, begun bool, err error)
	Calling(p prompt.Prompt, call council.ToolCall) error
	Called(p prompt.Prompt, use council.ToolUse) error
}

// TapedTools puts every call on the tape before it is made, and what came of it before it is used. A call that is on
// the tape is not made again; one that a crash cut off is, if again reports that calling it twice does no harm.
func TapedTools(t Tools, tape UseTape, again func(council.ToolCall) bool) Tools {
	return tapedTools{t, tape, again}
}

type tapedTools struct {
	tools Tools
	tape  UseTape
	again func(council.ToolCall) bool
}

const cutOff = "The call was made before the session was cut off. Whether it took effect is unknown, and it was not " +
	"made again."

func (t tapedTools) Use(ctx context.Context, p prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	known, begun, err := t.tape.RecallUse(p)
	if err != nil {
		return council.ToolUse{}, &TapeError{err}
	}
	if known != nil {
		return *known, nil
	}
	if !begun {
		if err := t.tape.Calling(p, call); err != nil {
			return council.ToolUse{}, &TapeError{err}
		}
	}
	use := council.ToolUse{Tool: call.Tool, Arguments: call.Arguments, Result: cutOff, SHA256: council.Digest(cutOff),
		Failed: true, Bytes: len(cutOff)}
	if !begun || t.again(call) {
		if use, err = t.tools.Use(ctx, p, call); err != nil {
			return council.ToolUse{}, err
		}
	}
	if err := t.tape.Called(p, use); err != nil {
		return council.ToolUse{}, &TapeError{err}
	}
	return use, nil
}
