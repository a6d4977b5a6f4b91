package member

import (
	"context"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// ErrLater: the person does not answer now. An [Asker] returns it.
var ErrLater = errors.New("the answer comes later")

// Asker puts questions to people. It is called by several goroutines at a time when several people are asked at once.
type Asker interface {
	// Ask waits for the answer to the view's question. [ErrLater]: there is none now. When ctx ends, because the question
	// has become moot or the session stops, it returns ctx's error.
	Ask(ctx context.Context, v council.View) (council.Body, error)
}

// People returns the model of the people whom a reaches: members that answer by typing, while the session runs or
// later. Nil reaches nobody: every question waits. It may be used by many goroutines when a may, and one serves any
// number of seats.
//
// A person has all the time there is, and an answer costs neither tokens nor minutes of a budget. A question without an
// answer is a [*CallError] of kind awaiting-answer, which suspends the session with the question open.
func People(a Asker) Model {
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (c prompt.Completion, err error) {
		err = ErrLater
		var body council.Body
		if a != nil {
			body, err = a.Ask(ctx, p.View)
		}
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		text := ""
		if err == nil {
			text, err = AnswerText(p.View, body)
		}
		if err != nil {
			return c, awaiting(p.View, err)
		}
		return prompt.Completion{Text: text, Stop: prompt.StopEnd}, nil
	})
}

// awaiting is the fault of a question that has no answer yet; why is what hindered one, or [ErrLater].
func awaiting(v council.View, why error) error {
	name := string(v.Ask.Member)
	if v.Seat != nil {
		name = v.Seat.Name
	}
	words := name + " has not answered yet"
	if !errors.Is(why, ErrLater) {
		words += ": " + why.Error()
	}
	return &CallError{Fault: council.Fault{Kind: council.FaultAwaiting, Message: Redact(words)}}
}

// AnswerText returns an answer as it goes on the tape. It refuses what cannot be read back as an answer to the
// question, and what the rules would cut, because a person can shorten it: the error wraps [council.ErrBadReply] and
// tells what to change.
func AnswerText(v council.View, b council.Body) (string, error) {
	if b == nil || b.AskKind() != v.Ask.Kind {
		return "", council.ErrBadReply
	}
	text := prompt.Text(b)
	if _, err := prompt.Parse(v, text); err != nil {
		return "", err
	}
	if _, cut := council.Shorten(b); len(cut) > 0 {
		return "", fmt.Errorf("%w: %s has %d characters or entries, and at most %d are taken",
			council.ErrBadReply, cut[0].Field, cut[0].From, cut[0].To)
	}
	return text, nil
}

// AskedOfPeople returns those of the asks that are put to people.
func AskedOfPeople(c *council.Charter, asks []council.Ask) []council.Ask {
	var waiting []council.Ask
	for _, a := range asks {
		if m := c.Asked(a.Member); m != nil && m.Model.Kind().Person {
			waiting = append(waiting, a)
		}
	}
	return waiting
}
