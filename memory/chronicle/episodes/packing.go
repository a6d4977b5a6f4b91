package episodes

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
)

// Packing is the result of packing one month of one tree.
type Packing struct {
	Pack     string  // the archive: "turns/2026/11.zip"
	Files    int     // that stand alone and go
	Folders  int     // that go with them
	Bytes    int64   // in these files
	Problems []error // what cannot be read is named and stays as it is
}

// Pack takes the files of each month before the given one, in UTC, together into one archive a month; the months that
// have nothing to pack are not in the result. Unless apply is set it changes nothing and returns what it would do.
//
// The archive is durable and was read back before the first of its files is removed, and the files are as before until
// then. Killed anywhere, everything can be read as before, and the next Pack ends what this one began.
//
// What cannot be read is among the problems of its month, and the other months are packed. The error is the disk's, or
// [atomicfile.ErrLocked].
func (c *Files) Pack(before time.Time, apply bool) (all []Packing, err error) {
	if !apply {
		return c.pack(before, false)
	}
	err = c.hold(func() error {
		all, err = c.pack(before, true)
		return err
	})
	return all, err
}

func (c *Files) pack(before time.Time, apply bool) ([]Packing, error) {
	var all []Packing
	limit := before.UTC().Format("2006/01")
	for _, t := range []tree{episodes, turns} {
		months, problems := c.months(t)
		if len(problems) > 0 {
			all = append(all, Packing{Pack: string(t), Problems: problems})
		}
		for _, name := range months {
			if name >= limit || name == undated {
				continue
			}
			p, err := c.packMonth(t, name, apply)
			if p.Files > 0 || p.Folders > 0 || len(p.Problems) > 0 {
				all = append(all, p)
			}
			if err != nil {
				return all, fmt.Errorf("cannot pack %s: %w", p.Pack, err)
			}
		}
	}
	return all, nil
}

// packMonth packs one month, or returns what that would do.
func (c *Files) packMonth(t tree, name string, apply bool) (p Packing, err error) {
	if apply {
		if err := c.tidyMonth(t, name); err != nil {
			return Packing{Pack: packPath(t, name)}, err
		}
	}
	m, problems := c.open(t, name, "")
	defer func() { err = errors.Join(err, m.close()) }()
	p = Packing{Pack: packPath(t, name), Problems: problems}
	if m.broken == nil && m.pack != nil {
		if m.broken = m.pack.sound(); m.broken != nil {
			p.Problems = append(p.Problems, m.broken)
		}
	}
	if m.broken != nil {
		return p, nil // nothing is added to a pack that is not understood, and nothing taken from it
	}
	good, fresh := m.judge(&p)
	p.Folders = m.folders(good)
	if !apply {
		return p, nil
	}
	if fresh {
		err := c.writePack(t, name, m.sources(good))
		if errors.Is(err, ErrUnreadable) {
			p.Problems = append(p.Problems, fmt.Errorf("%s: %w", p.Pack, err))
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
	return p, m.clear(good)
}

// judge reads every file that stands alone. It returns what the good ones sum to, and whether one of them is not in the
// pack as it is.
func (m *month) judge(p *Packing) (good map[string]uint32, fresh bool) {
	good = map[string]uint32{}
	for _, name := range sorted(m.alone) {
		data, from, err := m.read(name)
		if err == nil {
			err = m.whole(name, data, from)
		}
		if err != nil {
			p.Problems = append(p.Problems, err)
			continue
		}
		good[name] = crc32.ChecksumIEEE(data)
		p.Files++
		p.Bytes += int64(len(data))
		if f := m.in[name]; f == nil {
			fresh = true
		} else if packed, err := m.pack.read(f); err != nil || !bytes.Equal(packed, data) {
			fresh = true
		}
	}
	return good, fresh
}

// sources returns the contents of the new archive of a month: those of the old one, and the good files that stand alone
// instead of theirs.
func (m *month) sources(good map[string]uint32) []zipfile.Source {
	var all []zipfile.Source
	for name, f := range m.in {
		if _, newer := good[name]; !newer {
			all = append(all, zipfile.Source{Name: name, Old: f})
		}
	}
	for name := range good {
		all = append(all, zipfile.Source{Name: name, Load: func() ([]byte, error) {
			data, _, err := m.read(name)
			return data, err
		}})
	}
	return all
}

// folders returns how many folders are empty when the good files are gone.
func (m *month) folders(good map[string]uint32) int {
	n := 0
	for _, day := range m.days {
		entries, err := m.files.list(path.Join(m.folder(), day))
		stays := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			_, goes := good[path.Join(day, e.Name())]
			return !goes && !atomicfile.Temporary(e.Name())
		})
		if err == nil && !stays {
			n++
		}
	}
	if entries, err := m.files.list(m.folder()); err == nil && n == len(entries) && m.stands() {
		n++
	}
	return n
}

// folder returns where the days of the month stand.
func (m *month) folder() string { return path.Join(string(m.tree), m.name) }

// stands reports whether the month has a folder: one that is packed has none.
func (m *month) stands() bool {
	_, err := m.files.root.Lstat(m.folder())
	return err == nil
}

// clear removes what is packed and stands alone as well, and the folders that are empty then.
func (m *month) clear(good map[string]uint32) error {
	for _, day := range m.days {
		folder, err := m.files.enter(path.Join(m.folder(), day))
		if err != nil {
			return err
		}
		for _, name := range sorted(good) {
			file, ok := strings.CutPrefix(name, day+"/")
			if !ok {
				continue
			}
			// What was written anew meanwhile is not what was packed.
			if data, err := readBounded(folder, file); err != nil || crc32.ChecksumIEEE(data) != good[name] {
				continue
			}
			if err := folder.Remove(file); err != nil {
				return errors.Join(err, folder.Close())
			}
		}
		if err := folder.Close(); err != nil {
			return err
		}
		if err := m.files.removeEmpty(m.folder(), day); err != nil {
			return err
		}
	}
	return m.files.removeEmpty(path.Split(m.folder()))
}

// removeEmpty removes a folder if nothing is in it.
func (c *Files) removeEmpty(in, name string) error {
	entries, err := c.list(path.Join(in, name))
	if err != nil || len(entries) > 0 {
		return nil // what cannot be listed was named before
	}
	folder, err := c.enter(in)
	if err != nil {
		return err
	}
	err = folder.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// tidyMonth removes what writes that were killed left in a month and beside its pack.
func (c *Files) tidyMonth(t tree, name string) error {
	m, _ := c.open(t, name, "")
	folders := []string{path.Dir(packPath(t, name))}
	for _, day := range m.days {
		folders = append(folders, path.Join(string(t), name, day))
	}
	if err := m.close(); err != nil {
		return err
	}
	for _, at := range folders {
		folder, err := c.enter(at)
		if err != nil {
			continue // what cannot be entered is named when it is looked at
		}
		if err := errors.Join(atomicfile.Tidy(folder), folder.Close()); err != nil {
			return err
		}
	}
	return nil
}
