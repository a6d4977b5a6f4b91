package recorder

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/tape"
)

// Conversation keeps what was sent to one member and what came back. It is the Tape that package member asks for.
type Conversation = tape.Conversation

// Conversation opens the conversation of a member and repairs its end if a crash tore it. [ErrDamaged] if more than
// the end is wrong. The session closes it.
func (s *Session) Conversation(id council.MemberID) (*Conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tapes == nil {
		return nil, ErrClosed
	}
	if c := s.tapes[id]; c != nil {
		return c, nil
	}
	c, err := tape.Open(s.files, s.id, id, s.in.Now)
	if err != nil {
		return nil, plain(s.files.Path(), err)
	}
	s.tapes[id] = c
	return c, nil
}

// Ambiguous lists the questions of all members that were put, but neither answered nor failed when the last process
// ended, and that the log does not settle: whether they were paid for is unknown. A session asks them again.
func (s *Session) Ambiguous() ([]council.AskID, error) {
	if s.err != nil {
		return nil, s.err
	}
	members, err := tape.Members(s.files)
	if err != nil {
		return nil, err
	}
	settled := map[council.AskID]bool{}
	for _, e := range s.entries {
		if a, ok := e.Answered(); ok {
			settled[a.Ask] = true
		}
	}
	var asks []council.AskID
	for _, m := range members {
		c, err := s.Conversation(m)
		if err != nil {
			return nil, err
		}
		asks = append(asks, slices.DeleteFunc(c.Ambiguous(), func(a council.AskID) bool { return settled[a] })...)
	}
	return asks, nil
}
