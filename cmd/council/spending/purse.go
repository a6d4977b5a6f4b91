package spending

import (
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/purse"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder"
)

// Purse opens the purse of a session: what its log records, what lies paid on its tapes besides, and what crashes may
// have cost. sizes are the bytes of the prompt for a view.
func Purse(folder *recorder.Session, s *rules.Session, sizes func(council.View) int64) (*purse.Purse, error) {
	o := purse.Opening{Charter: s.Charter(), Budget: s.Budget, Sizes: sizes, Events: s.Events(), Again: folder.Again}
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
		o.Doubts = append(o.Doubts, purse.Doubt{Ask: ask, Times: counts[ask], Open: slices.Contains(cut, ask)})
	}
	for _, m := range s.Charter().Members {
		tape, err := folder.Conversation(m.ID)
		if err != nil {
			return nil, err
		}
		for ask, u := range tape.Paid() {
			o.Paid = append(o.Paid, purse.Paid{Ask: ask, Member: m.ID, Usage: u})
		}
	}
	return purse.New(o), nil
}
