package episodes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory/chronicle"
)

// Compare holds the files of a session against what [chronicle.Of] returned. It names what is missing, and what can be read and
// is something else; what cannot be read is left to [Files.Check]. It changes nothing.
func (c *Files) Compare(ep chronicle.Episode, all []chronicle.Turn) ([]error, error) {
	said := map[string][]byte{}
	for _, t := range all {
		text, err := encode(t)
		if err != nil {
			return nil, err
		}
		said[t.ID+".json"] = text
	}
	episode, err := encode(ep)
	if err != nil {
		return nil, err
	}
	problems, err := c.compare(episodes, ep.ID, map[string][]byte{string(ep.ID) + ".json": episode})
	if err != nil {
		return nil, err
	}
	more, err := c.compare(turns, ep.ID, said)
	return append(problems, more...), err
}

// compare holds what one tree has of a session against what is wanted, by the names of the files.
func (c *Files) compare(t tree, id council.SessionID, wanted map[string][]byte) (problems []error, err error) {
	p, err := placeOf(t, id, string(id))
	if err != nil {
		return nil, err
	}
	z, hidden := c.openPack(t, p.month)
	if errors.Is(hidden, fs.ErrNotExist) {
		hidden = nil
	}
	var packed map[string][]byte
	if z != nil {
		defer z.Close()
		packed, hidden = z.of(t, id)
	}
	day := &month{files: c}
	defer day.close()
	for _, name := range sorted(wanted) {
		at := place{t, p.month, p.day, name}
		held, err := day.loose(at.packed(), at.file())
		if errors.Is(err, fs.ErrNotExist) {
			if held = packed[name]; held == nil && hidden == nil {
				problems = append(problems, &PathError{Path: at.file(), Err: fmt.Errorf("%w: it is missing", ErrDiffers)})
			}
		}
		if held != nil && !bytes.Equal(held, wanted[name]) && c.readable(at, held) {
			problems = append(problems, &PathError{Path: at.file(), Err: fmt.Errorf("%w: it was changed", ErrDiffers)})
		}
	}
	return problems, nil
}

// readable reports whether what is held is an episode or a turn at all.
func (c *Files) readable(p place, held []byte) bool {
	m := month{tree: p.tree, name: p.month}
	return m.whole(p.packed(), held, p.file()) == nil
}
