// Package member seats models at a council: decorators around one interface ask, wait, retry, repair and log calls.
//
// The package is stable as package workspace says.
package member

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/secrets"
)

// Model answers one prompt by one call and does not try again by itself.
type Model interface {
	// Complete returns the model's reply. It does not change p. Its error is a *CallError, ctx's error when ctx ended,
	// or a *CallLogError.
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
func (e *CallError) Unwrap() error { return &e.Fault }

// Fail returns the error of a call that failed and cost nothing. Its words are redacted.
func Fail(kind council.FaultKind, format string, args ...any) *CallError {
	return &CallError{Fault: council.Fault{Kind: kind, Message: Redact(fmt.Sprintf(format, args...))}}
}

// Interrupted is the error of a call that its context ended, with the tokens counted by then.
type Interrupted struct {
	Err   error // of the context
	Usage council.Usage
}

func (e *Interrupted) Error() string { return e.Err.Error() }
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

// ReplyLimit returns the most bytes of text that a reply of the model may have.
func ReplyLimit(m council.Model) int { return cmp.Or(m.MaxReplyBytes, 256<<10) }

// LimitReply marks longer replies with [prompt.StopTooLong], as a model may do itself, and shortens marked ones.
func LimitReply(m Model, limit int) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		if len(c.Text) > limit {
			c.Stop = prompt.StopTooLong
		}
		if c.Stop == prompt.StopTooLong || c.Stop == prompt.StopRunaway {
			c.Text = strings.Clone(strings.ToValidUTF8(c.Text[:min(len(c.Text), 4<<10)], "")) // and lets go of the rest
		}
		return c, err
	})
}

// DetectTruncatedPrompt fails replies to a truncated prompt, as context-too-long: some servers (Ollama) silently cut
// prompts that exceed their window of tokens, and then count exactly the window or half of it.
func DetectTruncatedPrompt(m Model, window int) Model {
	if window <= 0 {
		return m
	}
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		c, err := m.Complete(ctx, p)
		tokens, most := c.Usage.PromptTokens(), int64(window)
		// Newer versions of Ollama keep half of the window and a few tokens more (ollama/ollama issue 17427). No language
		// has more than six bytes a token over a whole prompt.
		half := tokens >= most/2 && tokens <= most/2+8 && p.Bytes() > 6*tokens
		if err != nil || tokens != most && !half {
			return c, err
		}
		cut := Fail(council.FaultContextTooLong, "the server counted %d tokens of a prompt of %d bytes and left out the "+
			"rest: its context holds %d tokens", tokens, p.Bytes(), window)
		cut.Usage = c.Usage
		return prompt.Completion{}, cut
	})
}

// Limits bound the time of one call. 0 is no limit.
type Limits struct {
	Begin time.Duration // until the provider begins its reply
	Whole time.Duration // from there to the end of the reply; from the call on, where Begin is 0
}

var errLate = errors.New("a time limit has passed")

// Timeout ends a call of m that exceeds a limit, see [ReportBegun], with a retryable [CallError] of kind timeout.
func Timeout(m Model, limits Limits, now func() time.Time) Model {
	if limits == (Limits{}) {
		return m
	}
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		call, end := context.WithCancelCause(ctx)
		defer end(nil)
		start := now()
		timer := time.AfterFunc(cmp.Or(limits.Begin, limits.Whole), func() { end(errLate) })
		defer timer.Stop()
		var begun atomic.Bool
		if limits.Begin > 0 {
			over := reportLongWait(ctx, 30*time.Second, Wait{p.View.Ask.Member, "a reply that has not begun", limits.Begin})
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
		late := Fail(council.FaultTimeout, "no whole reply within %s", limits.Whole)
		if limits.Begin > 0 && !begun.Load() {
			late = Fail(council.FaultTimeout, "the reply did not begin within %s", limits.Begin)
		}
		late.Retryable, late.Usage.Calls = true, 1
		if counted, ok := errors.AsType[*Interrupted](err); ok {
			late.Usage = counted.Usage
		}
		late.Usage.ElapsedMS = now().Sub(start).Milliseconds()
		return prompt.Completion{}, late
	})
}

// WithCallLog records every question to m before it is asked, and every reply, without secrets and matches of further
// expressions, before it is used; recorded replies are not asked for again. It belongs outside of [Retry] and inside of
// [Seat]: retries are one entry, a repair is another. A failure of the log is a [*CallLogError], and the call or its
// reply is dropped. A call that ctx ended leaves its question open, because it may be billed.
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

// CallLogError: the call log cannot be written or does not match. Nothing is recorded, and the session can go on later.
type CallLogError struct{ Err error }

func (e *CallLogError) Error() string { return e.Err.Error() }
func (e *CallLogError) Unwrap() error { return e.Err }

// recordFault records the fault and returns err, with the provider's words even if recording fails.
func recordFault(ctx context.Context, t CallLog, p *prompt.Prompt, err error) error {
	if _, unkept := errors.AsType[*CallLogError](err); unkept || ctx.Err() != nil {
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
	if call, ok := errors.AsType[*CallError](err); ok {
		return call
	}
	kind := council.FaultFailed
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = council.FaultCancelled
	}
	return Fail(kind, "%v", err)
}

// Abandon, inside of [WithCallLog], makes m fail asks that were put before a crash and must not be paid for twice.
func Abandon(m Model, asks map[council.AskID]bool) Model {
	return ModelFunc(func(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
		if !asks[p.View.Ask.ID] {
			return m.Complete(ctx, p)
		}
		return prompt.Completion{}, Fail(council.FaultAbandoned, "it was asked before the session was cut off; whether that "+
			"was paid for is unknown, and it was not asked again")
	})
}

// Tools makes the call of a tool in the reply to p. A failed call is a result; an error is ctx's, or a [*CallLogError].
type Tools func(ctx context.Context, p *prompt.Prompt, call council.ToolCall) (council.ToolUse, error)

// ToolLog records the tool calls of one member, and their results, durably.
type ToolLog interface {
	// RecallUse returns the recorded result of the call in the reply to p, or nil, and whether the call was begun.
	RecallUse(p *prompt.Prompt) (use *council.ToolUse, begun bool, err error)
	Calling(p *prompt.Prompt, call council.ToolCall) error
	Called(p *prompt.Prompt, use council.ToolUse) error
}

const cutOffResult = "The call was made before the session was cut off. Whether it took effect is unknown, and it " +
	"was not made again."

// WithToolLog records every call and its result. A recorded call is not made again, nor is one that was cut off
// unless again reports that repeating it is harmless.
func WithToolLog(t Tools, tape ToolLog, again func(council.ToolCall) bool) Tools {
	return func(ctx context.Context, p *prompt.Prompt, call council.ToolCall) (council.ToolUse, error) {
		known, begun, err := tape.RecallUse(p)
		if err == nil && known != nil {
			return *known, nil
		}
		if err == nil && !begun {
			err = tape.Calling(p, call)
		}
		if err != nil {
			return council.ToolUse{}, &CallLogError{err}
		}
		use := council.ToolUse{Tool: call.Tool, Arguments: call.Arguments, Result: cutOffResult,
			SHA256: council.Digest(cutOffResult), Failed: true, Bytes: len(cutOffResult)}
		if !begun || again(call) {
			if use, err = t(ctx, p, call); err != nil {
				return council.ToolUse{}, err
			}
		}
		if err := tape.Called(p, use); err != nil {
			return council.ToolUse{}, &CallLogError{err}
		}
		return use, nil
	}
}

// redactReply cuts secrets out of a reply, and counts them and the hidden characters in it, which parsing removes.
func redactReply(c prompt.Completion, ask council.AskKind, further []*regexp.Regexp) prompt.Completion {
	text := c.Text
	if ask != council.AskDraft {
		text = unescapeJSON(text)
	}
	_, hidden := hostile.Expose(text)
	c.Hidden, c.Cut = council.CutsIn("", hidden), nil
	for _, said := range []*string{&c.Text, &c.RequestID, &c.Usage.Model} {
		var counts map[string]int
		*said, counts = secrets.Cut(*said, further...)
		c.Cut = council.AddCuts(c.Cut, council.CutsIn("", counts))
	}
	return c
}

// escapes match escape sequences of JSON, those of UTF-16 in a row as one.
var escapes = regexp.MustCompile(`(?s)(?:\\u[0-9A-Fa-f]{4})+|\\.`)

// unescapeJSON returns JSON with its escapes replaced by their characters, for searching. The result is not JSON.
func unescapeJSON(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(escape string) (means string) {
		if json.Unmarshal([]byte(`"`+escape+`"`), &means) != nil {
			return escape[1:]
		}
		return means
	})
}

const MaxFault = 500 // bounds the message of a fault, in characters
const cutMark = "[cut]"

// jsonStrings matches the strings of JSON, the last perhaps unfinished.
var jsonStrings = regexp.MustCompile(`(?s)"((?:[^"\\]|\\.)*)(?:"|\\?$)`)

// privateKey matches a private key, complete or not: the one secret that contains spaces.
var privateKey = regexp.MustCompile(`(?s)-----BEGIN .*?(?:-----END [^-]*-----|$)`)

// Shown returns the end of the words on one line of at most n characters, without secrets; of JSON only whole phrases.
func (w Words) Shown(n int) string {
	text := w.Text
	if w.Ask.Kind != council.AskDraft {
		var said []string
		for _, s := range jsonStrings.FindAllStringSubmatch(text, -1) {
			if s := unescapeJSON(s[1]); strings.ContainsAny(s, " \n") {
				said = append(said, s)
			}
		}
		text = strings.Join(said, "\n")
		if strings.HasSuffix(w.Text, `"`) || strings.HasSuffix(w.Text, "}") {
			text += " "
		}
	}
	text = text[:strings.LastIndexAny(text, " \n")+1]
	text = privateKey.ReplaceAllString(text, cutMark)
	if w.Cut != nil {
		text = w.Cut(text)
	}
	if from := len(text) - 2*n; from > 0 { // the end of the rest, from a whole word on
		_, text, _ = strings.Cut(strings.ReplaceAll(text[from:], "\n", " "), " ")
	}
	text = strings.Join(strings.Fields(censor(text, nil)), " ")
	return keepEnd(text, n)
}

// keepEnd cuts the beginning of a text of more than n characters.
func keepEnd(text string, n int) string {
	if more := utf8.RuneCountInString(text) - n; more > 0 {
		return "…" + string([]rune(text)[more+1:])
	}
	return text
}

// partialSecrets match credentials that providers repeat in part or masked. The first group is kept.
var partialSecrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(authorization["']?\s*[:=]\s*["']?(?:\w+\s+)?)[^\s"',;&]+`),
	regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"',;]{6,}`),
	regexp.MustCompile(`(?i)\b((?:x-)?(?:goog-)?api[-_ ]?key["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(
		`(?i)\b((?:access[-_]token|refresh[-_]token|client[-_]secret|password)["']?\s*[:=]\s*["']?)[^\s"',;&]+`),
	regexp.MustCompile(`()\bsk-[A-Za-z0-9_*.\-]{6,}`),
}

// Redact prepares words of a provider for a record: one line of at most [MaxFault] characters without control
// characters, known secrets and anything that looks like a secret.
func Redact(s string, secrets ...string) string { return hostile.Shorten(censor(s, secrets), MaxFault) }

// RedactEnd is Redact for words whose end matters most: it keeps the last MaxFault/2 characters.
func RedactEnd(s string, secrets ...string) string { return keepEnd(censor(s, secrets), MaxFault/2) }

func censor(s string, known []string) string {
	// Clean first: an invisible character inside a key must not hide it.
	s = hostile.Line(s)
	for _, secret := range known {
		// Shorter ones would cut ordinary words.
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, cutMark)
		}
	}
	for _, part := range partialSecrets {
		s = part.ReplaceAllString(s, "${1}"+cutMark)
	}
	s, _ = secrets.Cut(s)
	return s
}
