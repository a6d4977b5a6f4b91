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

// Conversation opens the conversation of a member and repairs its end if a crash tore it. The session closes it.
// [ErrDamaged].
func (s *Session) Conversation(id council.MemberID) (*conversation.CallLog, error) {
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
		return nil, explainDisk(s.files.Path(), err)
	}
	s.tapes[id] = c
	return c, nil
}

// Ambiguous lists the questions without an answer or fault, neither on the tapes nor in the log, when the last process
// ended: whether they were paid for is unknown. The session asks them again.
func (s *Session) Ambiguous() ([]council.AskID, error) {
	if s.err != nil {
		return nil, s.err
	}
	members, err := conversation.Members(s.files)
	if err != nil {
		return nil, err
	}
	settled := heardIn(s.Minutes().Events)
	var asks []council.AskID
	for _, m := range members {
		c, err := s.Conversation(m)
		if err != nil {
			return nil, err
		}
		asks = append(asks, slices.DeleteFunc(c.Opened.Unanswered(), settled)...)
	}
	return asks, nil
}

// heardIn returns a function that reports whether a question has its answer, or its fault, among events.
func heardIn(events []council.Event) func(council.AskID) bool {
	heard := map[council.AskID]bool{}
	for _, e := range events {
		if a, ok := e.Heard(); ok {
			heard[a.Ask] = true
		}
	}
	return func(ask council.AskID) bool { return heard[ask] }
}

// Unrecorded is the cost of questions whose answers are in no event of a session's log. It depends on timing and on
// crashes, so it is evidence and not part of the record.
type Unrecorded struct {
	Paid   map[council.AskID]council.Usage // of the replies to a question, all tries together
	Failed map[council.AskID]council.Usage // of failed calls that may be made again
	Cut    map[council.AskID]int           // how often a question was put without an answer: it may have been billed
}

// Replied returns those of the open asks that were replied to: they are recorded when the session goes on.
func (u Unrecorded) Replied(open []council.Ask) []council.Ask {
	return slices.DeleteFunc(slices.Clone(open), func(a council.Ask) bool {
		_, replied := u.Paid[a.ID]
		return !replied
	})
}

// Unrecorded reads the conversations of a session whose log has these events. Nothing is locked or changed.
func (r *Root) Unrecorded(id council.SessionID, events []council.Event) (b Unrecorded, err error) {
	recorded := heardIn(events)
	return b, r.inFolder(id, func(files atomicfile.Files) error {
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

const maxDoubts = 1000

// Doubts returns how often each question was put again whose answer a crash had cut off.
func (s *Session) Doubts() (map[council.AskID]int, error) {
	if s.err != nil {
		return nil, s.err
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
		return nil, explainDisk(files.Path(), err)
	case json.Unmarshal(doc, &counts) != nil || counts == nil: // it only makes a budget more careful
		return map[council.AskID]int{}, nil
	}
	for ask, times := range counts {
		counts[ask] = min(max(0, times), maxDoubts)
	}
	return counts, nil
}

// CountRepeat counts, durably, a question that is put again because a crash cut off its answer. Any goroutine may call
// it.
func (s *Session) CountRepeat(ask council.AskID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tapes == nil {
		return ErrClosed
	}
	counts, err := readDoubts(s.files)
	if err != nil {
		return err
	}
	counts[ask]++
	doc, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return explainDisk(s.files.Path(), atomicfile.Write(s.files, conversation.Doubts, append(doc, '\n')))
}

// ErrNoConversation: the name matches no conversation after a close, or several. List the conversations.
var ErrNoConversation = errors.New("there is no such conversation")

// Conversations are those that people had with members after the close of sessions.
type Conversations struct{ root *Root }

// List reads all conversations, the last used one first. The Err of one says why it cannot be read.
func (c Conversations) List() (all []conversation.After, err error) {
	files, err := fs.Glob(os.DirFS(c.root.path), conversation.AfterFolder+"/*/*/*"+conversation.AfterSuffix)
	for _, file := range files {
		err = errors.Join(err, atomicfile.Within(c.root.files, path.Dir(file), func(folder atomicfile.Files) error {
			if a, ok := conversation.ReadAfter(folder, file); ok {
				all = append(all, a)
			}
			return nil
		}))
	}
	slices.SortStableFunc(all, func(a, b conversation.After) int {
		return cmp.Or(strings.Compare(b.Updated, a.Updated), strings.Compare(a.ID, b.ID))
	})
	return all, explainDisk(c.root.path, err)
}

// Find reads the conversation with an id, or a prefix that only its id has. [ErrNoConversation]; [ErrDamaged],
// [ErrNewer].
func (c Conversations) Find(name string) (conversation.After, error) {
	all, err := c.List()
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

// With opens a conversation under the lock of its session, and repairs its end if a crash tore it. [ErrLocked];
// [ErrDamaged].
func (c Conversations) With(a conversation.After, now func() time.Time, do func(*conversation.CallLog) error) error {
	return c.change(a, func() error {
		folder, err := atomicfile.OpenFolder(c.root.files, path.Dir(a.Path()))
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

// Remove removes a conversation, with the files kept aside of it. [ErrLocked].
func (c Conversations) Remove(a conversation.After) error {
	return c.change(a, func() error { return c.remove(a.Path()) })
}

func (c Conversations) remove(prefix string) error {
	return atomicfile.Within(c.root.files, path.Dir(prefix), func(folder atomicfile.Files) error {
		err := atomicfile.Sweep(folder, func(name string) bool { return strings.HasPrefix(name, path.Base(prefix)) })
		return errors.Join(err, folder.Sync())
	})
}

// change runs do under the lock of a conversation's session, and then lists the conversations anew.
func (c Conversations) change(a conversation.After, do func() error) error {
	return c.root.withLock(a.Session, c.root.takeLock, func() error { return errors.Join(do(), c.writeList()) })
}

// writeList writes the list of all conversations, for other programs. It is derived.
func (c Conversations) writeList() error {
	all, err := c.List()
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(a conversation.After) bool { return a.Err != nil })
	doc, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WithinAny(c.root.files, conversation.AfterFolder, func(folder atomicfile.Files) error {
		return atomicfile.WriteUnsynced(folder, conversation.AfterIndex, append(doc, '\n'))
	})
}
