package session

import (
	"slices"
)

// Leave takes the session off the board.
func (s *Batched) Leave() {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Running = slices.DeleteFunc(s.Running, func(other *Batched) bool { return other == s })
}
