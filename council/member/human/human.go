// Package human seats a person: a member that answers by typing, while the session runs or later.
//
// A person has all the time there is: no time limit, rate limit or further try is put around a [Model], and an answer
// costs neither tokens nor minutes of a budget. What a person has not answered yet is a fault of kind awaiting-answer,
// which suspends the session with the question open.
package human

import (
	"context"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/shorten"
)

// Provider is what a charter names for a person's seat.
const Provider = "human"

// ErrLater: the person does not answer now. An [Asker] returns it.
var ErrLater = errors.New("the answer comes later")

// Asker puts questions to people. It is called by several goroutines at a time when several people are asked at once.
type Asker interface {
	// Ask waits for the answer to the view's question. [ErrLater]: there is none now. When ctx ends, because the question has
	// become moot or the session stops, it returns ctx's error.
	Ask(ctx context.Context, v council.View) (council.Body, error)
}

// Model answers prompts by a person's answers. It is safe for concurrent use when its Asker is, and one serves any
// number of seats.
type Model struct{ asker Asker }

var _ member.Model = (*Model)(nil)

// New returns a model of the people that a reaches. Nil reaches nobody: every question waits.
func New(a Asker) *Model { return &Model{a} }

// Complete asks the person. Its error is ctx's, when that has ended, or a *member.CallError of kind awaiting-answer.
func (m *Model) Complete(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
	if m.asker == nil {
		return prompt.Completion{}, awaiting(p.View, "")
	}
	body, err := m.asker.Ask(ctx, p.View)
	if ctx.Err() != nil {
		return prompt.Completion{}, ctx.Err()
	}
	if errors.Is(err, ErrLater) {
		return prompt.Completion{}, awaiting(p.View, "")
	}
	if err != nil {
		return prompt.Completion{}, awaiting(p.View, err.Error())
	}
	text, err := Text(p.View, body)
	if err != nil {
		return prompt.Completion{}, awaiting(p.View, err.Error())
	}
	return prompt.Completion{Text: text, Stop: prompt.StopEnd}, nil
}

// awaiting is the fault of a question that has no answer yet; why is for what hindered one.
func awaiting(v council.View, why string) error {
	name := string(v.Ask.Member)
	if v.Seat != nil {
		name = v.Seat.Name
	}
	words := name + " has not answered yet"
	if why != "" {
		words += ": " + why
	}
	return &member.CallError{Fault: council.Fault{Kind: council.FaultAwaiting, Message: member.Redact(words)}}
}

// Text returns an answer as it goes on the tape. It refuses what cannot be read back as an answer to the question, and
// what the rules would cut, because a person can shorten it: the error wraps [council.ErrBadReply] and says what to change.
func Text(v council.View, b council.Body) (string, error) {
	if b == nil || b.AskKind() != v.Ask.Kind {
		return "", council.ErrBadReply
	}
	text := prompt.Text(b)
	if _, err := prompt.Parse(v, text); err != nil {
		return "", err
	}
	if _, cut := shorten.Body(b); len(cut) > 0 {
		return "", fmt.Errorf("%w: %s has %d characters or entries, and at most %d are taken",
			council.ErrBadReply, cut[0].Field, cut[0].From, cut[0].To)
	}
	return text, nil
}

// Waiting lists those of the asks that are put to people.
func Waiting(c *council.Charter, asks []council.Ask) []council.Ask {
	var waiting []council.Ask
	for _, a := range asks {
		if m := c.Member(a.Member); m != nil && m.Model.Provider == Provider {
			waiting = append(waiting, a)
		}
	}
	return waiting
}
