package episodes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
)

// Episode reads the episode of a session. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Episode(id council.SessionID) (chronicle.Episode, error) {
	p, err := placeOf(episodes, id, string(id))
	if err != nil {
		return chronicle.Episode{}, err
	}
	data, from, err := c.read(p)
	if err != nil {
		return chronicle.Episode{}, err
	}
	return parseEpisode(p, from, data)
}

// Turn reads one turn. It opens at most two files, packed or not. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Turn(id string) (chronicle.Turn, error) {
	session, _, err := chronicle.ParseTurnID(id)
	if err != nil {
		return chronicle.Turn{}, err
	}
	p, err := placeOf(turns, session, id)
	if err != nil {
		return chronicle.Turn{}, err
	}
	data, from, err := c.read(p)
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(p, from, data)
}

// read returns what the file of a place holds, and for messages where that was: alone, or in the pack of its month.
func (c *Files) read(p place) (data []byte, from string, err error) {
	data, err = c.alone(p.file())
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return data, p.file(), err
	}
	z, err := c.openPack(p.tree, p.month)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%w: %s", ErrUnknown, strings.TrimSuffix(p.name, ".json"))
	}
	if err != nil {
		return nil, "", err
	}
	defer z.Close()
	for _, f := range z.entries {
		if f.Name == p.packed() {
			data, err := z.read(f)
			return data, z.within(f.Name), err
		}
	}
	return nil, "", fmt.Errorf("%w: %s", ErrUnknown, strings.TrimSuffix(p.name, ".json"))
}

// alone reads a file that stands alone. [fs.ErrNotExist], [ErrUnreadable].
func (c *Files) alone(name string) ([]byte, error) {
	return lone(c.root, name, name)
}

// lone is alone for a file in any folder, which messages call by its path at.
func lone(in atomicfile.Files, name, at string) ([]byte, error) {
	data, err := readBounded(in, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(at, err)
	}
	return data, err
}

// Turns reads all turns of a session in the order in which they were said; none, if there are none. The error names
// those that cannot be read; the others are returned.
func (c *Files) Turns(id council.SessionID) ([]chronicle.Turn, error) {
	r := c.Reader()
	all, err := r.Turns(id)
	return all, errors.Join(err, r.Close())
}

// Reader reads the turns of many sessions. It looks at the folder of a day once for all sessions of the day that are
// read one after the other; what is written there meanwhile it may not see. It is for one goroutine.
type Reader struct {
	files    *Files
	of       string // the day that was looked at: "2026/11/21"
	month    *month // nil before the first
	problems []error
	turns    map[council.SessionID][]named
}

// named is a file of a turn.
type named struct {
	seq  council.Seq
	name string // within its month
}

// Reader returns a reader. The caller closes it.
func (c *Files) Reader() *Reader { return &Reader{files: c} }

// Close closes what the reader has open.
func (r *Reader) Close() error {
	if r.month == nil {
		return nil
	}
	err := r.month.close()
	r.month, r.of = nil, ""
	return err
}

// Turns is [Files.Turns].
func (r *Reader) Turns(id council.SessionID) ([]chronicle.Turn, error) {
	p, err := placeOf(turns, id, string(id))
	if err != nil {
		return nil, err
	}
	if err := r.look(p); err != nil {
		return nil, err
	}
	problems := slices.Clip(r.problems)
	var all []chronicle.Turn
	for _, one := range r.turns[id] {
		t, err := r.month.turn(one.name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all = append(all, t)
	}
	return all, errors.Join(problems...)
}

// look looks at the day of a place unless it did so last.
func (r *Reader) look(p place) error {
	day := path.Join(p.month, p.day)
	if day == r.of {
		return nil
	}
	if err := r.Close(); err != nil {
		return err
	}
	r.month, r.problems = r.files.open(turns, p.month, p.day)
	r.of, r.turns = day, map[council.SessionID][]named{}
	for _, name := range r.month.names() {
		if path.Dir(name) != p.day {
			continue // of the pack, which has the whole month
		}
		if session, seq, err := chronicle.ParseTurnID(strings.TrimSuffix(path.Base(name), ".json")); err == nil {
			r.turns[session] = append(r.turns[session], named{seq, name})
		}
	}
	for _, of := range r.turns {
		slices.SortFunc(of, func(a, b named) int { return cmp.Compare(a.seq, b.seq) })
	}
	return nil
}

// All yields every episode, the newest session first, reading one at a time. An episode, a pack or a folder that cannot
// be read is yielded as an error that names it, with the id of the episode where it has one, and hides no other.
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
