package episodes

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
)

// Episode reads the episode of a session. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Episode(id council.SessionID) (chronicle.Episode, error) {
	day, err := dayOf(episodes, id)
	if err != nil {
		return chronicle.Episode{}, err
	}
	at := path.Join(day, string(id)+".json")
	data, err := readBounded(c.root, at)
	if errors.Is(err, fs.ErrNotExist) {
		return chronicle.Episode{}, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	if err != nil {
		return chronicle.Episode{}, unreadable(at, err)
	}
	return parseEpisode(at, data)
}

// Turn reads one turn. It opens one file: that of the turn, or the pack of the session, of which it reads the directory
// and the turn. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Turn(id string) (chronicle.Turn, error) {
	session, _, err := chronicle.ParseTurnID(id)
	if err != nil {
		return chronicle.Turn{}, err
	}
	s, err := c.said(session, false)
	if err != nil {
		return chronicle.Turn{}, err
	}
	t, err := s.turn(id)
	return t, errors.Join(err, s.Close())
}

// Turns reads all turns that an episode names, in the order in which they were said. The error names those that cannot
// be read, and says if some are missing; the others are returned.
func (c *Files) Turns(e chronicle.Episode) ([]chronicle.Turn, error) {
	s, err := c.said(e.ID, false)
	if err != nil {
		return nil, err
	}
	var all []chronicle.Turn
	var problems []error
	missing := e.Turns
	for id := range e.Named() {
		t, err := s.turn(id)
		switch {
		case err == nil:
			all = append(all, t)
		case errors.Is(err, ErrUnknown): // nobody spoke, or it is missing
			continue
		case !slices.Contains(problems, err): // a pack that cannot be read fails all that are not alone
			problems = append(problems, err)
		}
		missing--
	}
	if missing > 0 {
		problems = append(problems, &PathError{Path: path.Join(s.day, string(e.ID)+".e*.json"),
			Err: fmt.Errorf("%w: of %d turns %d are missing", ErrDiffers, e.Turns, missing)})
	}
	return all, errors.Join(append(problems, s.Close())...)
}

// All yields every episode, the newest session first, reading one at a time. An episode or a folder that cannot be read
// is yielded as an error that names it, with the id of the episode where it has one, and hides no other.
func (c *Files) All() iter.Seq2[chronicle.Episode, error] {
	return func(yield func(chronicle.Episode, error) bool) {
		days, problems := c.days(episodes)
		for _, day := range slices.Backward(days) {
			files, err := c.files(episodes, day)
			if err != nil {
				problems = append(problems, err)
			}
			for _, file := range slices.Backward(files) {
				id := council.SessionID(strings.TrimSuffix(file, ".json"))
				e, err := c.Episode(id)
				if e.ID = id; !yield(e, err) {
					return
				}
			}
		}
		for _, err := range problems {
			if !yield(chronicle.Episode{}, err) {
				return
			}
		}
	}
}

// Check reads everything, and names what cannot be read. It changes nothing.
func (c *Files) Check() []error {
	var all []error
	for _, t := range []tree{episodes, turns} {
		days, problems := c.days(t)
		all = append(all, problems...)
		for _, day := range days {
			files, err := c.files(t, day)
			if err != nil {
				all = append(all, err)
			}
			for _, file := range files {
				all = append(all, c.checkFile(t, day, file)...)
			}
		}
	}
	return all
}

func (c *Files) checkFile(t tree, day, file string) (problems []error) {
	at := path.Join(day, file)
	switch name, ext := strings.TrimSuffix(file, path.Ext(file)), path.Ext(file); {
	case t == episodes:
		if _, err := c.Episode(council.SessionID(name)); err != nil {
			problems = append(problems, err)
		}
	case ext == packed:
		s, err := c.said(council.SessionID(name), false)
		if err != nil {
			return []error{err}
		}
		_, problems = s.unpackAll()
		if err := s.Close(); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", at, err))
		}
	default:
		if _, err := c.Turn(name); err != nil && !errors.Is(err, ErrUnknown) {
			problems = append(problems, err)
		}
	}
	return problems
}
