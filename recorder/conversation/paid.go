package conversation

import (
	"github.com/council-engine/council/council"
)

// Paid is what the replies on a conversation took, by their questions, all tries together: what the provider was paid for.
func Paid(lines []Line) map[council.AskID]council.Usage {
	paid := map[council.AskID]council.Usage{}
	for _, l := range lines {
		if l.Role == RoleAssistant {
			paid[l.Ask] = paid[l.Ask].Add(l.Usage)
		}
	}
	return paid
}

// Unanswered lists the questions on a conversation that were put and neither answered nor failed: whether they were paid
// for is unknown. They are in the order in which they were put.
func Unanswered(lines []Line) []council.AskID {
	open := map[asking]bool{}
	for _, l := range lines {
		switch l.Role {
		case RoleUser:
			open[asking{l.Ask, l.Try}] = true
		case RoleAssistant, RoleFault:
			open[asking{l.Ask, l.Try}] = false
		}
	}
	var asks []council.AskID
	for _, l := range lines {
		if key := (asking{l.Ask, l.Try}); open[key] {
			delete(open, key)
			asks = append(asks, l.Ask)
		}
	}
	return asks
}
