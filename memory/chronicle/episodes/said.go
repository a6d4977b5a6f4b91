package episodes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
)

// packed ends the name of a pack.
const packed = ".zip"

// said is where the turns of one session are kept: the folder of its day, and its pack. What an archive says of itself
// is not believed: names in it are compared and never used as paths, and sizes are counted.
type said struct {
	session council.SessionID
	day     string           // "turns/2026/11/21"
	folder  atomicfile.Files // nil: there is none

	looked bool // for the pack: the following is known
	pack   atomicfile.File
	in     map[string]*zip.File
	broken error // why the pack cannot be read
}

// said opens where the turns of a session are kept, and makes the folder if they are to be written. The caller closes
// it. [ErrUnknown]: it is not an id.
func (c *Files) said(session council.SessionID, write bool) (*said, error) {
	day, err := dayOf(turns, session)
	if err != nil {
		return nil, err
	}
	s := &said{session: session, day: day}
	if write {
		s.folder, err = c.make(day)
		return s, err
	}
	s.folder, err = c.root.Folder(day)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		err = unreadable(day, err)
	}
	return s, err
}

// Close closes the folder and the pack.
func (s *said) Close() error {
	err := s.shut()
	if s.folder != nil {
		err = errors.Join(err, s.folder.Close())
	}
	return err
}

// shut closes the pack, so that it can be replaced.
func (s *said) shut() error {
	if s.pack == nil {
		return nil
	}
	err := s.pack.Close()
	s.pack, s.in = nil, nil
	return err
}

// packName is the name of the pack in its folder.
func (s *said) packName() string { return string(s.session) + packed }

// look opens the pack, once. Without one it returns nothing. [ErrUnreadable].
func (s *said) look() error {
	if s.looked || s.folder == nil {
		return s.broken
	}
	s.looked = true
	f, err := s.folder.Open(s.packName())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		s.pack = f
		s.in, err = s.contents()
	}
	if err != nil {
		s.broken = errors.Join(unreadable(path.Join(s.day, s.packName()), err), s.shut())
	}
	return s.broken
}

// contents returns the files in the pack by their names. A pack that holds anything but turns of the session, each
// once, is not one that council wrote.
func (s *said) contents() (map[string]*zip.File, error) {
	size, err := s.pack.Size()
	if err != nil {
		return nil, err
	}
	r, err := zipfile.Open(s.pack, size)
	if err != nil {
		return nil, err
	}
	in := map[string]*zip.File{}
	for _, f := range r.File {
		if path.Ext(f.Name) != ".json" || sessionOf(turns, s.day, f.Name) != s.session || in[f.Name] != nil {
			return nil, fmt.Errorf("it holds %.120q, which council did not write, or twice", f.Name)
		}
		in[f.Name] = f
	}
	return in, nil
}

// read returns what the file of a turn holds, and for messages where it is: alone, or else in the pack. [ErrUnknown],
// [ErrUnreadable].
func (s *said) read(name string) (data []byte, from string, err error) {
	from = path.Join(s.day, name)
	if s.folder == nil {
		return nil, from, fmt.Errorf("%w: %s", ErrUnknown, from)
	}
	data, err = readBounded(s.folder, name)
	if err == nil {
		return data, from, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, from, unreadable(from, err)
	}
	if data, err = s.unpack(name); errors.Is(err, ErrUnknown) { // the pack may have gone since
		if data, failed := readBounded(s.folder, name); failed == nil {
			return data, from, nil
		}
	}
	return data, from, err
}

// unpack returns what the pack holds of a turn.
func (s *said) unpack(name string) ([]byte, error) {
	if err := s.look(); err != nil {
		return nil, err
	}
	f := s.in[name]
	if f == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, path.Join(s.day, name))
	}
	data, err := zipfile.Read(f, maxFile)
	if err != nil {
		return nil, unreadable(path.Join(s.day, s.packName(), name), err)
	}
	return data, nil
}

// unpackAll returns all that the pack holds, by the names of the files; nothing, if there is none. What cannot be read
// is in the errors.
func (s *said) unpackAll() (held map[string][]byte, problems []error) {
	held = map[string][]byte{}
	if err := s.look(); err != nil {
		return held, []error{err}
	}
	for _, name := range sorted(s.in) {
		data, err := s.unpack(name)
		if err == nil {
			_, err = parseTurn(path.Join(s.day, s.packName(), name), data)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		held[name] = data
	}
	return held, problems
}

// turn reads one turn.
func (s *said) turn(id string) (chronicle.Turn, error) {
	data, from, err := s.read(id + ".json")
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(from, data)
}
