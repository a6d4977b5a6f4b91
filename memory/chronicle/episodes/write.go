package episodes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
)

// Write makes the files of a session what [chronicle.Of] returned: it writes what differs, and takes away the turns
// that the log no longer yields. What is new comes before the episode and what goes after it, so an episode that was
// written has all its turns. Killed anywhere, it is done again by the same call, which leaves nothing behind of the
// first.
//
// A pack that holds these very turns stays. Any other goes once the turns stand alone, so forgotten words are nowhere.
//
// [atomicfile.ErrLocked]: another process writes, and has not finished in ten seconds.
func (c *Files) Write(ep chronicle.Episode, all []chronicle.Turn) error {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return err
	}
	return c.hold(func() error {
		s, err := c.said(ep.ID, true)
		if err != nil {
			return err
		}
		held, problems := s.unpackAll()
		alone := wanted
		if len(problems) == 0 && maps.EqualFunc(held, wanted, bytes.Equal) {
			alone = nil // the pack has all
		}
		err = s.put(alone)
		if err == nil {
			err = c.putEpisode(ep.ID, episode)
		}
		if err == nil {
			err = s.takeAway(ep.Events, alone)
		}
		return errors.Join(err, s.Close())
	})
}

func (c *Files) putEpisode(id council.SessionID, data []byte) error {
	day, err := dayOf(episodes, id)
	if err != nil {
		return err
	}
	folder, err := c.make(day)
	if err != nil {
		return err
	}
	return errors.Join(put(folder, string(id)+".json", data), folder.Close())
}

// filesOf returns what the files of an episode and of its turns hold, those by their names. [ErrUnknown]: a turn is not
// one of the episode.
func filesOf(ep chronicle.Episode, all []chronicle.Turn) (episode []byte, turns map[string][]byte, err error) {
	turns = map[string][]byte{}
	for _, t := range all {
		if session, _, err := chronicle.ParseTurnID(t.ID); err != nil || session != ep.ID {
			return nil, nil, fmt.Errorf("%w: turn %.120q is not one of episode %.120q", ErrUnknown, t.ID, ep.ID)
		}
		if turns[t.ID+".json"], err = encode(t); err != nil {
			return nil, nil, err
		}
	}
	episode, err = encode(ep)
	return episode, turns, err
}

// put writes the turns that are to stand alone, in the order of their names.
func (s *said) put(alone map[string][]byte) error {
	for _, name := range sorted(alone) {
		if err := put(s.folder, name, alone[name]); err != nil {
			return fmt.Errorf("%s: %w", s.day, err)
		}
	}
	return nil
}

// takeAway removes the turns of so many events that are not to stand alone, and the pack if any are.
func (s *said) takeAway(events int, alone map[string][]byte) error {
	for seq := 1; seq <= events; seq++ {
		if name := chronicle.TurnID(s.session, council.Seq(seq)) + ".json"; alone[name] == nil {
			if err := atomicfile.Discard(s.folder, name); err != nil {
				return err
			}
		}
	}
	stands := s.in != nil || s.broken != nil
	if err := s.shut(); err != nil || alone == nil || !stands {
		return err
	}
	return s.folder.Remove(s.packName())
}

// put writes a file unless it holds the data already.
func put(folder atomicfile.Files, name string, data []byte) error {
	if there, err := readBounded(folder, name); err == nil && bytes.Equal(there, data) {
		return nil
	}
	return atomicfile.Put(folder, name, data)
}

// Compare holds the files of a session against what [chronicle.Of] returned. It names what is missing, and what can be
// read and is something else; what cannot be read is left to [Files.Check]. It changes nothing.
func (c *Files) Compare(ep chronicle.Episode, all []chronicle.Turn) (problems []error, err error) {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return nil, err
	}
	day, err := dayOf(episodes, ep.ID)
	if err != nil {
		return nil, err
	}
	s, err := c.said(ep.ID, false)
	if err != nil {
		return nil, err
	}
	at := path.Join(day, string(ep.ID)+".json")
	held, unread := readBounded(c.root, at)
	if unread == nil {
		_, unread = parseEpisode(at, held)
	}
	problems = compare(problems, at, held, episode, unread)
	for _, name := range sorted(wanted) {
		held, from, unread := s.read(name)
		if unread == nil {
			_, unread = parseTurn(from, held)
		}
		problems = compare(problems, path.Join(s.day, name), held, wanted[name], unread)
	}
	return problems, s.Close()
}

// compare adds what is wrong with a file that was read, or why it was not.
func compare(problems []error, at string, held, wanted []byte, unread error) []error {
	switch {
	case errors.Is(unread, fs.ErrNotExist) || errors.Is(unread, ErrUnknown):
		return append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it is missing", ErrDiffers)})
	case unread == nil && !bytes.Equal(held, wanted):
		return append(problems, &PathError{Path: at, Err: fmt.Errorf("%w: it was changed", ErrDiffers)})
	}
	return problems
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
