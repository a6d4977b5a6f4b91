package member

import (
	"context"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Abandon makes m give up the named asks instead of putting them: questions that were put before a crash, and that
// nobody wants to pay for a second time. It belongs inside of [Taped], which answers what was answered before.
func Abandon(m Model, asks map[council.AskID]bool) Model {
	if len(asks) == 0 {
		return m
	}
	return ModelFunc(func(ctx context.Context, p prompt.Prompt) (prompt.Completion, error) {
		if !asks[p.View.Ask.ID] {
			return m.Complete(ctx, p)
		}
		return prompt.Completion{}, &CallError{Fault: council.Fault{
			Kind:    council.FaultAbandoned,
			Message: "it was asked before the session was cut off; whether that was paid for is unknown, and it was not asked again",
		}}
	})
}
