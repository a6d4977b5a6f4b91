package episodes

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
)

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
