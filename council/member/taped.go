package member

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// WithCallLog records every question to m in t before it is asked, and every reply before it is used; recorded replies
// are not asked for again. Secrets, and matches of further expressions, are cut out of replies first. It belongs
// outside of [Retry] and inside of [Seat]: retries are one entry, a repair is another.
//
// A failure of the log is a [*CallLogError], and the call or its reply is dropped. A call that ctx ended leaves its
// question open, because it may be billed.
func WithCallLog(m Model, t CallLog, further ...*regexp.Regexp) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, known, err := t.Recall(p)
		switch {
		case err != nil:
			return prompt.Completion{}, &CallLogError{err}
		case known:
			return c, nil
		case ctx.Err() != nil:
			return prompt.Completion{}, ctx.Err()
		case Stopping(ctx):
			return prompt.Completion{}, stoppedError("before it was asked")
		}
		if err := t.Asked(p); err != nil {
			return prompt.Completion{}, &CallLogError{err}
		}
		if c, err = m.Complete(ctx, p); err != nil {
			return prompt.Completion{}, recordFault(ctx, t, p, err)
		}
		c = redactReply(c, p.View.Ask.Kind, further)
		if err := t.Answered(p, c); err != nil {
			return prompt.Completion{}, &CallLogError{err}
		}
		return c, nil
	})
}

// TapeError: the call log cannot be written or does not match. It is no fault of a member: nothing is recorded, and
// the session can go on once the cause is gone.
type CallLogError struct{ Err error }

func (e *CallLogError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *CallLogError) Unwrap() error { return e.Err }

// recordFault records the fault and returns err, with the provider's words even if recording fails.
func recordFault(ctx context.Context, t CallLog, p *prompt.Prompt, err error) error {
	var unkept *CallLogError
	if ctx.Err() != nil || errors.As(err, &unkept) {
		return err
	}
	call := callErrorOf(err)
	if noted := t.Failed(p, call.Fault, call.Usage); noted != nil {
		return &CallLogError{fmt.Errorf("%w (what the provider had said: %s)", noted, call.Fault.Error())}
	}
	return err
}

// callErrorOf returns a model's error as a [CallError]. Any other error means that the context ended.
func callErrorOf(err error) *CallError {
	var call *CallError
	if errors.As(err, &call) {
		return call
	}
	kind := council.FaultFailed
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = council.FaultCancelled
	}
	return &CallError{Fault: council.Fault{Kind: kind, Message: Redact(err.Error())}}
}

// Abandon makes m fail the named asks: they were put before a crash, and must not be paid for twice. It belongs inside
// of [WithCallLog], which answers recorded asks.
func Abandon(m Model, asks map[council.AskID]bool) Model {
	if len(asks) == 0 {
		return m
	}
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if !asks[p.View.Ask.ID] {
			return m.Complete(ctx, p)
		}
		return prompt.Completion{}, &CallError{Fault: council.Fault{
			Kind: council.FaultAbandoned,
			Message: "it was asked before the session was cut off; whether that was paid for is unknown, and it was not asked " +
				"again",
		}}
	})
}

// Tools are the tools that one member may call.
type Tools interface {
	// Use makes the call in the reply to p. Failures of the call are part of its result; an error is ctx's, or a
	// *TapeError.
	Use(ctx context.Context, p *prompt.Prompt, call council.ToolCall) (council.ToolUse, error)
}

// ToolLog records the tool calls of one member and their results. Calling returns when the call is durable, Called
// when the result is.
type ToolLog interface {
	// RecallUse returns the recorded result of the call in the reply to p, or nil, and whether the call was begun.
	RecallUse(p *prompt.Prompt) (use *council.ToolUse, begun bool, err error)
	Calling(p *prompt.Prompt, call council.ToolCall) error
	Called(p *prompt.Prompt, use council.ToolUse) error
}

// WithToolLog records every call before it is made and its result before it is used. A recorded call is not made again;
// one that a crash cut off is, if again reports that repeating it is harmless.
func WithToolLog(t Tools, tape ToolLog, again func(council.ToolCall) bool) Tools {
	return tapedTools{t, tape, again}
}

type tapedTools struct {
	tools Tools
	tape  ToolLog
	again func(council.ToolCall) bool
}

const cutOffResult = "The call was made before the session was cut off. Whether it took effect is unknown, and it " +
	"was not made again."

func (t tapedTools) Use(ctx context.Context, p *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
	known, begun, err := t.tape.RecallUse(p)
	if err != nil {
		return council.ToolUse{}, &CallLogError{err}
	}
	if known != nil {
		return *known, nil
	}
	if !begun {
		if err := t.tape.Calling(p, call); err != nil {
			return council.ToolUse{}, &CallLogError{err}
		}
	}
	use := council.ToolUse{Tool: call.Tool, Arguments: call.Arguments, Result: cutOffResult,
		SHA256: council.Digest(cutOffResult), Failed: true, Bytes: len(cutOffResult)}
	if !begun || t.again(call) {
		if use, err = t.tools.Use(ctx, p, call); err != nil {
			return council.ToolUse{}, err
		}
	}
	if err := t.tape.Called(p, use); err != nil {
		return council.ToolUse{}, &CallLogError{err}
	}
	return use, nil
}
