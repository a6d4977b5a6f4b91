package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// tries is how often one question is put before its reply is given up: once, and twice more with what was wrong.
const tries = 3

// Seat answers the asks of one member by a model. It puts an unusable reply back to the model with what was wrong,
// and answers with a fault when no try brought a usable one. Answer must not be called while another call of it runs.
//
// A reply's usage is that of all its tries. A fault that suspends the session carries the usage of the failed call
// alone: the tries before it are on the tape, and count when a resumed session recalls them.
type Seat struct {
	model   Model
	mu      sync.Mutex // of next
	next    func(council.View) prompt.Prompt
	parse   func(council.View, string) (council.Body, error)
	repair  func(p prompt.Prompt, reply, problem string) prompt.Prompt
	refused func(string) bool
}

// NewSeat seats m, whose conversation is c. Give m its decorators first.
func NewSeat(m Model, c *prompt.Conversation) *Seat {
	return &Seat{model: m, next: c.Next, parse: prompt.Parse, repair: prompt.Prompt.Repair, refused: prompt.Refused}
}

// PromptBytes is the size of the prompt that will put v's ask. It may be called at any time.
func (s *Seat) PromptBytes(v council.View) int64 { return s.prompt(v).Bytes() }

func (s *Seat) prompt(v council.View) prompt.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(v)
}

// Answer puts v's ask to the model. It implements the engine's Member; its error is a [*TapeError].
func (s *Seat) Answer(ctx context.Context, v council.View) (council.Reply, error) {
	r := council.Reply{Ask: v.Ask.ID}
	p := s.prompt(v)
	for try := 1; ; try++ {
		c, err := s.model.Complete(ctx, p)
		var tape *TapeError
		if errors.As(err, &tape) {
			return council.Reply{}, err
		}
		if err != nil {
			call := asCall(err)
			if call.Fault.Kind.Curable() {
				r.Usage = council.Usage{}
			}
			r.Usage = r.Usage.Add(call.Usage)
			r.Fault = &call.Fault
			return r, nil
		}
		r.Usage = r.Usage.Add(c.Usage)
		body, kind, problem := s.read(v, c)
		if kind == "" {
			r.Body = body
			return r, nil
		}
		// A provider that filtered the reply filters it again.
		if try == tries || c.Stop == prompt.StopRefusal {
			if try > 1 {
				problem = fmt.Sprintf("the last of %d tries: %s", try, problem)
			}
			r.Fault = &council.Fault{Kind: kind, Message: Redact(problem)}
			return r, nil
		}
		p = s.repair(p, c.Text, problem)
	}
}

// read makes a body of a completion, or says which fault it is and why.
func (s *Seat) read(v council.View, c prompt.Completion) (body council.Body, kind council.FaultKind, problem string) {
	switch {
	case c.Stop == prompt.StopRefusal:
		return nil, council.FaultRefusal, strings.TrimSuffix("the provider stopped the reply: "+c.Text, ": ")
	case c.Stop == prompt.StopLength:
		// Not even read: a vote or a draft must not be mended from a part.
		return nil, council.FaultTruncated, "the reply was cut off by the token limit; it has to be shorter"
	case strings.TrimSpace(c.Text) == "":
		return nil, council.FaultEmpty, "the reply was empty"
	}
	body, err := s.parse(v, c.Text)
	switch {
	case err == nil:
		return body, "", ""
	case s.refused(c.Text):
		return nil, council.FaultRefusal, "the member declined: " + c.Text
	}
	return nil, council.FaultUnparsable, strings.TrimPrefix(err.Error(), council.ErrBadReply.Error()+": ")
}
