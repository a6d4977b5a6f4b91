package episodes

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
)

// All yields every episode, the newest session first, reading one at a time. An episode, a pack or a folder that cannot be
// read is yielded as an error that names it, with the id of the episode where it has one, and hides no other.
func (c *Files) All() iter.Seq2[chronicle.Episode, error] {
	return func(yield func(chronicle.Episode, error) bool) {
		months, problems := c.months(episodes)
		for _, err := range problems {
			if !yield(chronicle.Episode{}, err) {
				return
			}
		}
		for _, name := range slices.Backward(months) {
			if !c.yieldMonth(name, yield) {
				return
			}
		}
	}
}

// yieldMonth yields the episodes of one month and reports whether more are wanted.
func (c *Files) yieldMonth(name string, yield func(chronicle.Episode, error) bool) bool {
	m, problems := c.open(episodes, name, "")
	defer m.close()
	for _, err := range problems {
		if !yield(chronicle.Episode{}, err) {
			return false
		}
	}
	for _, file := range slices.Backward(m.names()) {
		e, err := m.episode(file)
		if err != nil {
			e.ID = council.SessionID(strings.TrimSuffix(path.Base(file), ".json"))
		}
		if !yield(e, err) {
			return false
		}
	}
	return true
}
