package episodes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
)

// Write makes the files of a session what [chronicle.Of] returned: it writes what differs, and takes away the turns that the log
// no longer yields. The turns come first and the episode last, so an episode that was written has all its turns. Killed
// anywhere, it is done again by the same call, which leaves nothing behind of the first.
//
// In a month that is packed, what is new stands beside the pack and wins until the month is packed again. What is not so
// any more is taken out of the pack at once: forgotten words are nowhere.
//
// [ErrUnreadable]: the pack of the month cannot be read, so that nobody knows what it still holds of the session. All
// else has been done. [atomicfile.ErrLocked]: somebody else writes, and has not finished in ten seconds.
func (c *Files) Write(ep chronicle.Episode, all []chronicle.Turn) error {
	return c.hold(func() error { return c.write(ep, all) })
}

func (c *Files) write(ep chronicle.Episode, all []chronicle.Turn) error {
	wanted := map[string][]byte{}
	for _, t := range all {
		session, _, err := chronicle.ParseTurnID(t.ID)
		if err != nil || session != ep.ID {
			return fmt.Errorf("%w: turn %.120q is not one of episode %.120q", ErrUnknown, t.ID, ep.ID)
		}
		if wanted[t.ID+".json"], err = encode(t); err != nil {
			return err
		}
	}
	var gone []string
	for seq := 1; seq <= ep.Events; seq++ {
		if name := chronicle.TurnID(ep.ID, council.Seq(seq)) + ".json"; wanted[name] == nil {
			gone = append(gone, name)
		}
	}
	told := c.settle(turns, ep.ID, wanted, gone)
	if told != nil && !errors.Is(told, ErrUnreadable) {
		return told
	}
	episode, err := encode(ep)
	if err != nil {
		return err
	}
	return errors.Join(told, c.settle(episodes, ep.ID, map[string][]byte{string(ep.ID) + ".json": episode}, nil))
}

// Remove takes a session's episode and turns away, the episode first. Errors are those of [Files.Write].
func (c *Files) Remove(id council.SessionID) error {
	return c.hold(func() error { return c.remove(id) })
}

func (c *Files) remove(id council.SessionID) error {
	told := c.settle(episodes, id, nil, []string{string(id) + ".json"})
	if told != nil && !errors.Is(told, ErrUnreadable) {
		return told
	}
	gone, err := c.standing(turns, id)
	if err != nil {
		return errors.Join(told, err)
	}
	return errors.Join(told, c.settle(turns, id, nil, gone))
}

// settle makes the files of a session in one tree what is wanted, by their names, and takes away those that are gone.
func (c *Files) settle(t tree, id council.SessionID, wanted map[string][]byte, gone []string) error {
	p, err := placeOf(t, id, string(id))
	if err != nil {
		return err
	}
	z, told := c.openPack(t, p.month)
	if errors.Is(told, fs.ErrNotExist) {
		told = nil
	}
	var packed map[string][]byte
	if z != nil {
		defer z.Close()
		packed, told = z.of(t, id)
	}
	if err := c.putAll(p, wanted, packed); err != nil {
		return err
	}
	if err := c.takeAway(p, gone); err != nil {
		return err
	}
	var stale []string
	for name, data := range packed {
		if !bytes.Equal(data, wanted[name]) {
			stale = append(stale, p.day+"/"+name)
		}
	}
	if told == nil && len(stale) > 0 {
		return c.cutPack(z, stale)
	}
	return told
}

// of returns what a pack holds of a session, by the names of the files.
func (z *pack) of(t tree, id council.SessionID) (map[string][]byte, error) {
	if err := z.sound(); err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	_, day := dayOf(id)
	for _, f := range z.entries {
		name, ok := strings.CutPrefix(f.Name, day+"/")
		if !ok || !belongs(t, id, name) {
			continue
		}
		data, err := z.read(f)
		if err != nil {
			return nil, err
		}
		found[name] = data
	}
	return found, nil
}

// belongs reports whether a file is a session's. No session's id is the beginning of another's up to a dot.
func belongs(t tree, id council.SessionID, name string) bool {
	if t == episodes {
		return name == string(id)+".json"
	}
	return strings.HasPrefix(name, string(id)+".e") && strings.HasSuffix(name, ".json")
}

// putAll writes the wanted files that are not there yet as they should be, each in the order of their names.
func (c *Files) putAll(p place, wanted, packed map[string][]byte) error {
	var folder atomicfile.Files
	day := &month{files: c}
	defer day.close()
	for _, name := range sorted(wanted) {
		at := place{p.tree, p.month, p.day, name}
		there, err := day.loose(at.packed(), at.file())
		if err == nil && bytes.Equal(there, wanted[name]) {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) && bytes.Equal(packed[name], wanted[name]) {
			continue
		}
		if folder == nil {
			if folder, err = c.make(path.Dir(at.file())); err != nil {
				return err
			}
			defer folder.Close()
		}
		if err := atomicfile.Put(folder, name, wanted[name]); err != nil {
			return fmt.Errorf("%s: %w", path.Dir(at.file()), err)
		}
	}
	return nil
}

// takeAway removes the files of these names that stand alone, if they are there.
func (c *Files) takeAway(p place, gone []string) error {
	folder, err := c.enter(path.Dir(p.file()))
	if errors.Is(err, fs.ErrNotExist) || len(gone) == 0 {
		return closed(folder)
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, name := range gone {
		if err := atomicfile.Discard(folder, name); err != nil {
			return err
		}
	}
	return nil
}

// cutPack writes a pack again without the entries of these names, or removes it when nothing is left.
func (c *Files) cutPack(z *pack, names []string) error {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	var kept []source
	for _, f := range z.entries {
		if !out[f.Name] {
			kept = append(kept, source{name: f.Name, old: f})
		}
	}
	if len(kept) > 0 {
		return c.writePack(z.tree, z.month, kept)
	}
	year, name := path.Split(z.path)
	folder, err := c.enter(year)
	if err != nil {
		return err
	}
	return errors.Join(folder.Remove(name), folder.Close())
}
