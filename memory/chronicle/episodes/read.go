package episodes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
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

// Turn reads one turn. It opens one file: that of the turn, or the pack, of which it reads the directory and the turn.
// [ErrUnknown], [ErrUnreadable], [ErrNewer].
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

// Turns reads all turns of an episode in order. The error names those that cannot be read, and says how many are
// missing; the others are returned.
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
		case errors.Is(err, ErrUnknown): // an event without a turn, or it is missing
			continue
		case !slices.Contains(problems, err): // an unreadable pack fails once
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

// All yields every episode, the newest session first, reading one at a time. Unreadable episodes and folders are
// yielded as errors, with the id of the episode if there is one.
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

// Check reads everything, and returns errors for unreadable files.
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

// packed ends the name of a pack.
const packed = ".zip"

// said has the turns of one session: the folder of its day, and its pack. Names in a pack are compared and never used
// as paths, and sizes are counted.
type said struct {
	session council.SessionID
	day     string           // "turns/2026/11/21"
	folder  atomicfile.Files // nil if there is none

	looked bool // for the pack
	pack   atomicfile.File
	in     map[string]*zip.File
	broken error // why the pack cannot be read
}

// said opens the turns of a session, and makes the folder for writing. The caller closes it. [ErrUnknown]: it is not an
// id.
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

func (s *said) packName() string { return string(s.session) + packed }

// look opens the pack, once, if there is one. [ErrUnreadable].
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

// contents returns the files in the pack by name. A pack with anything but turns of the session, each once, is refused.
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

// read returns the file of a turn, or else that in the pack, and its path. [ErrUnknown], [ErrUnreadable].
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

// unpack returns a file in the pack.
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

// unpackAll returns all turns in the pack by name, and errors for unreadable ones.
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

func (s *said) turn(id string) (chronicle.Turn, error) {
	data, from, err := s.read(id + ".json")
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(from, data)
}
