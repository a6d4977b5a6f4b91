package member

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// step is a fake model's answer to one call.
type step struct {
	text  string
	stop  prompt.Stop
	err   error
	takes time.Duration
	usage council.Usage
}

// fake plays its steps in turn, the last one for ever, and keeps its prompts.
type fake struct {
	steps []step
	asked []*prompt.Prompt
}

func (f *fake) Complete(ctx context.Context, p *prompt.Prompt) (prompt.Completion, error) {
	s := f.steps[min(len(f.asked), len(f.steps)-1)]
	f.asked = append(f.asked, p)
	if s.takes > 0 {
		if err := sleep(ctx, s.takes); err != nil {
			return prompt.Completion{}, err
		}
	}
	if ctx.Err() != nil {
		return prompt.Completion{}, ctx.Err()
	}
	if s.err != nil {
		return prompt.Completion{}, s.err
	}
	if s.stop == "" {
		s.stop = prompt.StopEnd
	}
	usage := council.Usage{Calls: 1, InputTokens: 10, OutputTokens: 1}
	usage.ElapsedMS = s.takes.Milliseconds()
	return prompt.Completion{Text: s.text, Stop: s.stop, Usage: usage.Add(s.usage)}, nil
}

// fails returns a call that brings a fault; after is the provider's wait.
func fails(kind council.FaultKind, retryable bool, after time.Duration) step {
	return step{err: &CallError{
		Fault: council.Fault{Kind: kind, Message: "the provider's words"}, Retryable: retryable, RetryAfter: after,
		Usage: council.Usage{Calls: 1, InputTokens: 2},
	}}
}

// tape is a conversation log in memory that records its calls, in order.
type tape struct {
	replies map[string]prompt.Completion
	notes   []string
	broken  string // the note at which it fails
}

func (t *tape) note(format string, args ...any) error {
	n := fmt.Sprintf(format, args...)
	t.notes = append(t.notes, n)
	if n == t.broken {
		return errors.New("no space left on device")
	}
	return nil
}

func (t *tape) Recall(p *prompt.Prompt) (prompt.Completion, bool, error) {
	c, ok := t.replies[p.Digest]
	if ok {
		return c, true, t.note("recalled %s", p.Digest)
	}
	return c, false, t.note("looked for %s", p.Digest)
}

func (t *tape) Asked(p *prompt.Prompt) error { return t.note("asked %s", p.Digest) }

func (t *tape) Answered(p *prompt.Prompt, c prompt.Completion) error {
	if err := t.note("answered %s", p.Digest); err != nil {
		return err
	}
	if t.replies == nil {
		t.replies = map[string]prompt.Completion{}
	}
	t.replies[p.Digest] = c
	return nil
}

func (t *tape) Failed(p *prompt.Prompt, f council.Fault, _ council.Usage) error {
	return t.note("failed %s: %s", p.Digest, f.Kind)
}

func kindOf(err error) council.FaultKind {
	if call, ok := errors.AsType[*CallError](err); ok {
		return call.Fault.Kind
	}
	return ""
}
