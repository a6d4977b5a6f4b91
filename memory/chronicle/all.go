package chronicle

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// All yields every episode, the newest session first, reading one at a time. An episode, a pack or a folder that cannot be
// read is yielded as an error that names it, with the id of the episode where it has one, and hides no other.
func (s *Store) All() iter.Seq2[Episode, error] {
	return func(yield func(Episode, error) bool) {
		months, problems := s.months(episodes)
		for _, err := range problems {
			if !yield(Episode{}, err) {
				return
			}
		}
		for _, name := range slices.Backward(months) {
			if !s.yieldMonth(name, yield) {
				return
			}
		}
	}
}

// yieldMonth yields the episodes of one month and reports whether more are wanted.
func (s *Store) yieldMonth(name string, yield func(Episode, error) bool) bool {
	m, problems := s.open(episodes, name, "")
	defer m.close()
	for _, err := range problems {
		if !yield(Episode{}, err) {
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
