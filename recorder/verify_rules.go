package recorder

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
)

// sorted ranges over a map in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// rules decides the whole session again from its facts.
func (v *verification) rules() Check {
	c := Check{Name: "rules", Looked: "Every event decided again by the rules from those before it: every vote counted, every consequence drawn."}
	if started, ok := v.log.Entries[0].Payload.(council.SessionStarted); ok {
		if started.Rules != council.RulesVersion {
			c.note("The session follows version %d of the rules; this version of council knows version %d and cannot decide it again.",
				started.Rules, council.RulesVersion)
			return c
		}
		if started.Session != v.id {
			c.find("The log says that it is of session %s.", started.Session)
		}
	}
	events := make([]council.Event, len(v.log.Entries))
	for i, e := range v.log.Entries {
		events[i] = e.Event
	}
	_, err := council.Replay(council.Log(events...))
	switch {
	case errors.Is(err, council.ErrBadEvent):
		c.find("The log does not follow the rules: %v.", err)
	case err != nil:
		c.find("The log cannot be decided again: %v.", err)
	}
	return c
}
