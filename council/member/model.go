// Package member seats models at a council: decorators around one interface ask, wait, retry, repair and log calls.
//
// The package is stable as docs/library.md says.
package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Model answers one prompt by one call and does not try again by itself.
type Model interface {
	// Complete returns the model's reply. It does not change p. Its error is a *CallError, ctx's error when ctx ended,
	// or a *TapeError.
	Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error)
}

// ModelFunc is a function that is a [Model].
type ModelFunc func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error)

// Complete calls f.
func (f ModelFunc) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	return f(ctx, p)
}

// CallError is a call without a completion.
type CallError struct {
	Fault      council.Fault
	RetryAfter time.Duration // the wait that the provider asks for; 0: it names none
	Retryable  bool          // whether the same call may succeed in a moment
	Usage      council.Usage // that was paid
}

func (e *CallError) Error() string { return e.Fault.Error() }

// Unwrap returns the fault.
func (e *CallError) Unwrap() error { return &e.Fault }

// Interrupted is the error of a call that its context ended, with the tokens counted by then.
type Interrupted struct {
	Err   error // of the context
	Usage council.Usage
}

func (e *Interrupted) Error() string { return e.Err.Error() }

// Unwrap returns the context's error.
func (e *Interrupted) Unwrap() error { return e.Err }

// CallLog is the call log of one member. Asked returns when the question is durable, Answered when the reply is.
type CallLog interface {
	// Recall returns the recorded reply to p.
	Recall(p *prompt.Prompt) (prompt.Completion, bool, error)
	Asked(p *prompt.Prompt) error
	Answered(p *prompt.Prompt, c prompt.Completion) error
	// Failed records a call without a reply, and its usage.
	Failed(p *prompt.Prompt, f council.Fault, used council.Usage) error
}

const (
	usualReply = 256 << 10 // bytes of text in a reply, unless the charter sets maxReplyBytes
	keptOfLong = 4 << 10   // bytes that are kept of one that has more
)

// ReplyLimit returns the most bytes of text that a reply of the model may have.
func ReplyLimit(m council.Model) int {
	if m.MaxReplyBytes > 0 {
		return m.MaxReplyBytes
	}
	return usualReply
}

// LimitReply marks a reply of m with more than limit bytes of text with [prompt.StopTooLong], and shortens a marked
// one. A model that streams may set the mark itself and stop reading.
func LimitReply(m Model, limit int) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		if len(c.Text) > limit {
			c.Stop = prompt.StopTooLong
		}
		if c.Stop == prompt.StopTooLong || c.Stop == prompt.StopRunaway {
			c.Text = strings.Clone(strings.ToValidUTF8(c.Text[:min(len(c.Text), keptOfLong)], "")) // and lets go of the rest
		}
		return c, err
	})
}

// DetectTruncatedPrompt fails replies to a truncated prompt: some servers (Ollama) silently cut prompts that exceed
// their window of tokens, and then count exactly the window or half of it. The fault is a [CallError] of kind
// context-too-long with the usage of the reply.
func DetectTruncatedPrompt(m Model, window int) Model {
	if window <= 0 {
		return m
	}
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		tokens := c.Usage.PromptTokens()
		if err != nil || !wasTruncated(int64(window), tokens, p.Bytes()) {
			return c, err
		}
		words := fmt.Sprintf(
			"the server counted %d tokens of a prompt of %d bytes and left out the rest: its context holds %d tokens",
			tokens, p.Bytes(), window)
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultContextTooLong, Message: words},
			Usage: c.Usage}
	})
}

// maxBytesPerToken is more bytes per token than any language has over a whole prompt.
const maxBytesPerToken = 6

// wasTruncated reports whether a server that counted so many tokens has cut a prompt of so many bytes to its window.
// Newer versions of Ollama keep half of the window and a few tokens more (ollama/ollama issue 17427).
func wasTruncated(window, tokens, bytes int64) bool {
	half := tokens >= window/2 && tokens <= window/2+8
	return tokens == window || half && bytes > maxBytesPerToken*tokens
}

// Limits bound the time of one call. 0 is no limit.
type Limits struct {
	Begin time.Duration // until the provider begins its reply
	Whole time.Duration // from there to the end of the reply; from the call on, where Begin is 0
}

// reportBeginAfter is how long a call may last before the wait for its first word is reported.
const reportBeginAfter = 30 * time.Second

// errLate ends a call that exceeded a limit.
var errLate = errors.New("a time limit has passed")

// Timeout bounds each call of m; see [ReportBegun]. A call that takes longer ends as a retryable [CallError] of kind
// timeout with the elapsed time.
func Timeout(m Model, limits Limits, now func() time.Time) Model {
	if limits == (Limits{}) {
		return m
	}
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		call, end := context.WithCancelCause(ctx)
		defer end(nil)
		start := now()
		limit, late := limits.Whole, fmt.Sprintf("no whole reply within %s", limits.Whole)
		if limits.Begin > 0 {
			limit = limits.Begin
		}
		timer := time.AfterFunc(limit, func() { end(errLate) })
		defer timer.Stop()
		var begun atomic.Bool
		if limits.Begin > 0 {
			over := reportLongWait(ctx, reportBeginAfter, Wait{p.View.Ask.Member, "a reply that has not begun", limits.Begin})
			defer over()
			call = withBegun(call, func() {
				if begun.Swap(true) {
					return
				}
				over()
				if timer.Stop() && limits.Whole > 0 {
					timer.Reset(limits.Whole)
				}
			})
		}
		c, err := m.Complete(call, p)
		// Neither cancelled from above, nor refused by the provider in the last moment.
		if err == nil || ctx.Err() != nil || context.Cause(call) != errLate || !errors.Is(err, context.Canceled) {
			return c, err
		}
		if limits.Begin > 0 && !begun.Load() {
			late = fmt.Sprintf("the reply did not begin within %s", limits.Begin)
		}
		used := council.Usage{Calls: 1}
		var counted *Interrupted
		if errors.As(err, &counted) {
			used = counted.Usage
		}
		used.ElapsedMS = now().Sub(start).Milliseconds()
		return prompt.Completion{}, &CallError{Fault: council.Fault{Kind: council.FaultTimeout, Message: late},
			Retryable: true, Usage: used}
	})
}
