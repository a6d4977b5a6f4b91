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
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
)

// Write makes the files of a session what [chronicle.Of] returned: it writes what differs, and takes away the turns
// that the log no longer yields. The turns come first and the episode last, so an episode that was written has all its
// turns. Killed anywhere, it is done again by the same call, which leaves nothing behind of the first.
//
// In a month that is packed, what is new stands beside the pack and wins until the month is packed again. What is not
// so any more is taken out of the pack at once: forgotten words are nowhere.
//
// [ErrUnreadable]: the pack of the month cannot be read, so it is unknown what it still holds of the session. All
// else has been done. [atomicfile.ErrLocked]: another process writes, and has not finished in ten seconds.
func (c *Files) Write(ep chronicle.Episode, all []chronicle.Turn) error {
	return c.hold(func() error { return c.write(ep, all) })
}

func (c *Files) write(ep chronicle.Episode, all []chronicle.Turn) error {
	episode, wanted, err := filesOf(ep, all)
	if err != nil {
		return err
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
	return errors.Join(told, c.settle(episodes, ep.ID, episode, nil))
}

// filesOf returns what the files of an episode and of its turns hold, by their names. [ErrUnknown]: a turn is not one
// of the episode.
func filesOf(ep chronicle.Episode, all []chronicle.Turn) (episode, turns map[string][]byte, err error) {
	text, err := encode(ep)
	if err != nil {
		return nil, nil, err
	}
	turns = map[string][]byte{}
	for _, t := range all {
		if session, _, err := chronicle.ParseTurnID(t.ID); err != nil || session != ep.ID {
			return nil, nil, fmt.Errorf("%w: turn %.120q is not one of episode %.120q", ErrUnknown, t.ID, ep.ID)
		}
		if turns[t.ID+".json"], err = encode(t); err != nil {
			return nil, nil, err
		}
	}
	return map[string][]byte{string(ep.ID) + ".json": text}, turns, nil
}

// settle makes the files of a session in one tree what is wanted, by their names, and takes away those that are gone.
func (c *Files) settle(t tree, id council.SessionID, wanted map[string][]byte, gone []string) error {
	p, err := placeOf(t, id, string(id))
	if err != nil {
		return err
	}
	z, packed, told := c.packed(p, id)
	if z != nil {
		defer z.Close()
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

// packed opens the pack of a place, nil if there is none, and returns what it holds of a session, by the names of the
// files. The caller closes it.
func (c *Files) packed(p place, id council.SessionID) (*pack, map[string][]byte, error) {
	z, err := c.openPack(p.tree, p.month)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err == nil {
		err = z.sound()
	}
	if err != nil {
		return z, nil, err
	}
	found := map[string][]byte{}
	for _, f := range z.entries {
		name, ok := strings.CutPrefix(f.Name, p.day+"/")
		if !ok || !belongs(p.tree, id, name) {
			continue
		}
		if found[name], err = z.read(f); err != nil {
			return z, nil, err
		}
	}
	return z, found, nil
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
	var kept []zipfile.Source
	for _, f := range z.entries {
		if !out[f.Name] {
			kept = append(kept, zipfile.Source{Name: f.Name, Old: f})
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

// Compare holds the files of a session against what [chronicle.Of] returned. It names what is missing, and what can be
// read and is something else; what cannot be read is left to [Files.Check]. It changes nothing.
func (c *Files) Compare(ep chronicle.Episode, all []chronicle.Turn) ([]error, error) {
	episode, said, err := filesOf(ep, all)
	if err != nil {
		return nil, err
	}
	problems, err := c.compare(episodes, ep.ID, episode)
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
	z, packed, hidden := c.packed(p, id)
	if z != nil {
		defer z.Close()
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
