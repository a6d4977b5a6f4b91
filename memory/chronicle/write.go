package chronicle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// Write makes the files of a session what [Of] returned: it writes what differs, and takes away the turns that the log
// no longer yields. The turns come first and the episode last, so an episode that was written has all its turns. Killed
// anywhere, it is done again by the same call; see also [Store.Tidy].
//
// In a month that is packed, what is new stands beside the pack and wins until the month is packed again. What is not so
// any more is taken out of the pack at once: forgotten words are nowhere.
//
// [ErrUnreadable]: the pack of the month cannot be read, so that nobody knows what it still holds of the session. All
// else has been done. [lockfile.ErrHeld]: somebody else writes, and has not finished in ten seconds.
func (s *Store) Write(ep Episode, all []Turn) error {
	return s.hold(func() error { return s.write(ep, all) })
}

func (s *Store) write(ep Episode, all []Turn) error {
	wanted := map[string][]byte{}
	for _, t := range all {
		session, _, err := ParseTurnID(t.ID)
		if err != nil || session != ep.ID {
			return fmt.Errorf("%w: turn %.120q is not one of episode %.120q", ErrUnknown, t.ID, ep.ID)
		}
		if wanted[t.ID+".json"], err = encode(t); err != nil {
			return err
		}
	}
	var gone []string
	for seq := 1; seq <= ep.Events; seq++ {
		if name := TurnID(ep.ID, council.Seq(seq)) + ".json"; wanted[name] == nil {
			gone = append(gone, name)
		}
	}
	told := s.settle(turns, ep.ID, wanted, gone)
	if told != nil && !errors.Is(told, ErrUnreadable) {
		return told
	}
	episode, err := encode(ep)
	if err != nil {
		return err
	}
	return errors.Join(told, s.settle(episodes, ep.ID, map[string][]byte{string(ep.ID) + ".json": episode}, nil))
}

// Remove takes a session's episode and turns away, the episode first. Errors are those of [Store.Write].
func (s *Store) Remove(id council.SessionID) error {
	return s.hold(func() error { return s.remove(id) })
}

func (s *Store) remove(id council.SessionID) error {
	told := s.settle(episodes, id, nil, []string{string(id) + ".json"})
	if told != nil && !errors.Is(told, ErrUnreadable) {
		return told
	}
	gone, err := s.standing(turns, id)
	if err != nil {
		return errors.Join(told, err)
	}
	return errors.Join(told, s.settle(turns, id, nil, gone))
}

// Tidy removes what a Write of the session that was killed left half done, before it is done again.
func (s *Store) Tidy(id council.SessionID) error {
	return s.hold(func() error { return s.tidy(id) })
}

func (s *Store) tidy(id council.SessionID) error {
	for _, t := range []tree{turns, episodes} {
		p, err := placeOf(t, id, string(id))
		if err != nil {
			return err
		}
		for _, folder := range []string{path.Dir(p.file()), path.Dir(packPath(t, p.month))} {
			files, err := s.enter(folder)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if err := errors.Join(atomicfile.Tidy(files), files.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle makes the files of a session in one tree what is wanted, by their names, and takes away those that are gone.
func (s *Store) settle(t tree, id council.SessionID, wanted map[string][]byte, gone []string) error {
	p, err := placeOf(t, id, string(id))
	if err != nil {
		return err
	}
	z, told := s.openPack(t, p.month)
	if errors.Is(told, fs.ErrNotExist) {
		told = nil
	}
	var packed map[string][]byte
	if z != nil {
		defer z.Close()
		packed, told = z.of(t, id)
	}
	if err := s.putAll(p, wanted, packed); err != nil {
		return err
	}
	if err := s.takeAway(p, gone); err != nil {
		return err
	}
	var stale []string
	for name, data := range packed {
		if !bytes.Equal(data, wanted[name]) {
			stale = append(stale, p.day+"/"+name)
		}
	}
	if told == nil && len(stale) > 0 {
		return s.cutPack(z, stale)
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
func (s *Store) putAll(p place, wanted, packed map[string][]byte) error {
	var folder atomicfile.Files
	for _, name := range sorted(wanted) {
		at := place{p.tree, p.month, p.day, name}
		there, err := s.alone(at.file())
		if err == nil && bytes.Equal(there, wanted[name]) {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) && bytes.Equal(packed[name], wanted[name]) {
			continue
		}
		if folder == nil {
			if folder, err = s.make(path.Dir(at.file())); err != nil {
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
func (s *Store) takeAway(p place, gone []string) error {
	folder, err := s.enter(path.Dir(p.file()))
	if errors.Is(err, fs.ErrNotExist) || len(gone) == 0 {
		return closed(folder)
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, name := range gone {
		if _, err := folder.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := folder.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// cutPack writes a pack again without the entries of these names, or removes it when nothing is left.
func (s *Store) cutPack(z *pack, names []string) error {
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
		return s.writePack(z.tree, z.month, kept)
	}
	year, name := path.Split(z.path)
	folder, err := s.enter(year)
	if err != nil {
		return err
	}
	return errors.Join(folder.Remove(name), folder.Close())
}
