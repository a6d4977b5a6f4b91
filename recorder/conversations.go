package recorder

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/conversation"
)

// Conversation opens the conversation of a member and repairs its end if a crash tore it. [ErrDamaged] if more than
// the end is wrong. The session closes it.
func (s *Session) Conversation(id council.MemberID) (*conversation.Tape, error) {
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

// Replied lists those of the open asks of a session to which a reply is on the tape already: they go on the log when
// the session goes on. It locks and changes nothing.
func (r *Root) Replied(id council.SessionID, open []council.Ask) ([]council.Ask, error) {
	kept, err := r.Unrecorded(id, nil)
	return slices.DeleteFunc(slices.Clone(open), func(a council.Ask) bool {
		_, replied := kept.Paid[a.ID]
		return !replied
	}), err
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

// Unrecorded is the cost of questions whose answers are in no event of a session's log. It depends on which of several
// members was faster, and on crashes, so it is evidence and not part of the record.
type Unrecorded struct {
	Paid   map[council.AskID]council.Usage // what the replies to a question took, all tries together
	Failed map[council.AskID]council.Usage // what the calls took that brought nothing and may be made again
	Cut    map[council.AskID]int           // how often a question was put without an answer: it may have been billed
}

// Unrecorded reads the conversations of a session whose log has these events. Nothing is locked or changed.
func (r *Root) Unrecorded(id council.SessionID, events []council.Event) (b Unrecorded, err error) {
	answered := map[council.AskID]bool{}
	for _, e := range events {
		if a, ok := e.Answered(); ok {
			answered[a.Ask] = true
		}
	}
	recorded := func(ask council.AskID) bool { return answered[ask] }
	return b, r.inside(id, func(files atomicfile.Files) error {
		if b.Cut, err = readDoubts(files); err != nil {
			return err
		}
		b.Paid, b.Failed = map[council.AskID]council.Usage{}, map[council.AskID]council.Usage{}
		members, err := conversation.Members(files)
		for _, m := range members {
			found, err := conversation.Read(files, id, m)
			if err != nil {
				return err
			}
			maps.Copy(b.Paid, found.Paid())
			maps.Copy(b.Failed, found.FailedCalls(events))
			for _, ask := range slices.DeleteFunc(found.Unanswered(), recorded) {
				b.Cut[ask]++
			}
		}
		maps.DeleteFunc(b.Paid, func(ask council.AskID, _ council.Usage) bool { return recorded(ask) })
		return err
	})
}

// maxDoubts is how often a question is believed to have been cut off.
const maxDoubts = 1000

// Doubts returns how often each question was put again whose answer a crash had cut off.
func (s *Session) Doubts() (map[council.AskID]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doubts()
}

func (s *Session) doubts() (map[council.AskID]int, error) {
	if s.tapes == nil {
		return nil, ErrClosed
	}
	return readDoubts(s.files)
}

func readDoubts(files atomicfile.Files) (map[council.AskID]int, error) {
	counts := map[council.AskID]int{}
	doc, err := atomicfile.Read(files, conversation.Doubts)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return counts, nil
	case err != nil:
		return nil, plain(files.Path(), err)
	case json.Unmarshal(doc, &counts) != nil || counts == nil: // it only makes a budget more careful
		return map[council.AskID]int{}, nil
	}
	for ask, times := range counts {
		counts[ask] = min(max(0, times), maxDoubts)
	}
	return counts, nil
}

// Again counts, durably, that a question whose answer a crash cut off is put again. Any goroutine may call it.
func (s *Session) Again(ask council.AskID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts, err := s.doubts()
	if err != nil {
		return err
	}
	counts[ask]++
	doc, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return plain(s.files.Path(), atomicfile.Write(s.files, conversation.Doubts, append(doc, '\n')))
}

// ErrNoConversation: no conversation after a close has that name, or several have. List the conversations.
var ErrNoConversation = errors.New("there is no such conversation")

// Conversations reads what members were asked after the close of their sessions, the one that was used last first. One
// that cannot be read says why, and hides no other.
func (r *Root) Conversations() (all []conversation.After, err error) {
	files, err := fs.Glob(os.DirFS(r.path), conversation.AfterFolder+"/*/*/*"+conversation.AfterSuffix)
	for _, file := range files {
		err = errors.Join(err, atomicfile.Within(r.files, path.Dir(file), func(folder atomicfile.Files) error {
			if a, ok := conversation.ReadAfter(folder, file); ok {
				all = append(all, a)
			}
			return nil
		}))
	}
	slices.SortStableFunc(all, func(a, b conversation.After) int {
		return cmp.Or(strings.Compare(b.Updated, a.Updated), strings.Compare(a.ID, b.ID))
	})
	return all, plain(r.path, err)
}

// Conversation reads the conversation that is meant by its id, or by a prefix that only it has. [ErrNoConversation];
// [ErrDamaged], [ErrNewer].
func (r *Root) Conversation(name string) (conversation.After, error) {
	all, err := r.Conversations()
	if err != nil {
		return conversation.After{}, err
	}
	found := slices.DeleteFunc(all, func(a conversation.After) bool { return !strings.HasPrefix(a.ID, name) })
	if len(found) != 1 {
		return conversation.After{}, fmt.Errorf("%w: %d have ids that begin with %s", ErrNoConversation, len(found),
			quoted(name))
	}
	return found[0], found[0].Err
}

// Converse opens a conversation after the close while this process has its session: nobody else asks in it, and nothing
// of the session is forgotten. Its end is repaired if a crash tore it. [ErrLocked]; [ErrDamaged].
func (r *Root) Converse(a conversation.After, now func() time.Time, do func(*conversation.Tape) error) error {
	return r.afterwards(a, func() error {
		folder, err := atomicfile.OpenFolder(r.files, path.Dir(a.Path()))
		if err != nil {
			return err
		}
		tape, err := conversation.OpenAfter(folder, a, now)
		if err != nil {
			return err
		}
		return errors.Join(do(tape), tape.Close())
	})
}

// RemoveConversation removes a conversation after the close, with what repairs put aside of it. [ErrLocked].
func (r *Root) RemoveConversation(a conversation.After) error {
	return r.afterwards(a, func() error { return r.removeAfter(a.Path()) })
}

// removeAfter removes the conversations after a close whose paths begin so, and what repairs put aside of them.
func (r *Root) removeAfter(prefix string) error {
	return atomicfile.Within(r.files, path.Dir(prefix), func(folder atomicfile.Files) error {
		err := atomicfile.Sweep(folder, func(name string) bool { return strings.HasPrefix(name, path.Base(prefix)) })
		return errors.Join(err, folder.Sync())
	})
}

// afterwards does something with a conversation under the lock of its session, and then lists the conversations anew.
func (r *Root) afterwards(a conversation.After, do func() error) error {
	return r.locked(a.Session, r.seize, func() error { return errors.Join(do(), r.listAfter()) })
}

// listAfter writes the list of all conversations after a close. It is derived: only other programs read it.
func (r *Root) listAfter() error {
	all, err := r.Conversations()
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(a conversation.After) bool { return a.Err != nil })
	doc, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WithinAny(r.files, conversation.AfterFolder, func(folder atomicfile.Files) error {
		return atomicfile.Put(folder, conversation.AfterIndex, append(doc, '\n'))
	})
}
