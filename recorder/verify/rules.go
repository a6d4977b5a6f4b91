package verify

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder/wire"
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
	c := looked(Integrity, "rules",
		"Every event decided again by the rules from those before it: every vote counted, every consequence drawn.")
	if started, ok := wire.Started(v.log.Entries); ok {
		if started.Rules != rules.Version {
			c.note("The session follows version %d of the rules; this version of council knows version %d "+
				"and cannot decide it again.", started.Rules, rules.Version)
			return c
		}
		if started.Session != v.ID {
			c.find("The log says that it is of session %s.", started.Session)
		}
	}
	_, err := rules.Replay(rules.Log(v.events...))
	v.follows = err == nil
	switch {
	case errors.Is(err, rules.ErrBadEvent):
		c.find("The log does not follow the rules: %v.", err)
	case err != nil:
		c.find("The log cannot be decided again: %v.", err)
	}
	return c
}
