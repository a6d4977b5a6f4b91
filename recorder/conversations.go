package recorder

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/conversation"
)

// Conversation keeps what was sent to one member and what came back. It is the Tape that package member asks for.
type Conversation = conversation.Tape

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
	c, err := conversation.Open(s.files, s.id, id, s.in.Now)
	if err != nil {
		return nil, plain(s.files.Path(), err)
	}
	s.tapes[id] = c
	return c, nil
}

// Replied lists those of the open asks of a session to which a reply is on the tape already: they go on the log when the
// session goes on. It locks and changes nothing.
func (r *Root) Replied(id council.SessionID, open []council.Ask) ([]council.Ask, error) {
	files, err := r.folder(id)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	var replied []council.Ask
	for _, a := range open {
		found, err := conversation.Read(files, id, a.Member)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was not asked yet
		}
		if err != nil {
			return nil, plain(files.Path(), err)
		}
		if slices.ContainsFunc(found.Lines, func(l conversation.Line) bool { return l.Role == conversation.RoleAssistant && l.Ask == a.ID }) {
			replied = append(replied, a)
		}
	}
	return replied, nil
}

// Ambiguous lists the questions of all members that were put, but neither answered nor failed when the last process
// ended, and that the log does not settle: whether they were paid for is unknown. A session asks them again.
func (s *Session) Ambiguous() ([]council.AskID, error) {
	if s.err != nil {
		return nil, s.err
	}
	members, err := conversation.Members(s.files)
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
