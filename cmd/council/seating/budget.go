package seating

import (
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// openBudget opens the budget of a session: what its log records, what lies paid on its tapes besides, and what crashes may
// have cost. sizes are the bytes of the prompt for a view.
func openBudget(folder *recorder.Session, s *rules.Session, sizes func(council.View) int64) (*budget.Budget, error) {
	o := budget.Opening{Charter: s.Charter(), Budget: s.Budget, Sizes: sizes, Events: s.Events(), Again: folder.Again}
	cut, err := folder.Ambiguous()
	if err != nil {
		return nil, err
	}
	counts, err := folder.Doubts()
	if err != nil {
		return nil, err
	}
	for _, ask := range cut {
		counts[ask]++
	}
	for _, ask := range slices.Sorted(maps.Keys(counts)) {
		o.Doubts = append(o.Doubts, budget.Doubt{Ask: ask, Times: counts[ask], Open: slices.Contains(cut, ask)})
	}
	for _, m := range s.Charter().Members {
		tape, err := folder.Conversation(m.ID)
		if err != nil {
			return nil, err
		}
		for ask, u := range tape.Paid() {
			o.Paid = append(o.Paid, budget.Paid{Ask: ask, Member: m.ID, Usage: u})
		}
	}
	return budget.New(o), nil
}
