package episodes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
)

// Episode reads the episode of a session. [ErrUnknown], [ErrUnreadable], [ErrNewer].
func (c *Files) Episode(id council.SessionID) (chronicle.Episode, error) {
	at, err := episodeOf(id)
	if err != nil {
		return chronicle.Episode{}, err
	}
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
	s, err := c.openTurns(session, false)
	if err != nil {
		return chronicle.Turn{}, err
	}
	t, err := s.turn(id)
	return t, errors.Join(err, s.Close())
}

// Turns reads all turns of an episode in order. The error names those that cannot be read, and says how many are
// missing; the others are returned.
func (c *Files) Turns(e chronicle.Episode) ([]chronicle.Turn, error) {
	s, err := c.openTurns(e.ID, false)
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
		files, problems := c.paths(episodes)
		for _, file := range slices.Backward(files) {
			id := council.SessionID(strings.TrimSuffix(path.Base(file), ".json"))
			e, err := c.Episode(id)
			if e.ID = id; !yield(e, err) {
				return
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
func (c *Files) Check() (problems []error) {
	for _, t := range []tree{episodes, turns} {
		files, failed := c.paths(t)
		problems = append(problems, failed...)
		for _, file := range files {
			problems = append(problems, c.checkFile(t, path.Base(file))...)
		}
	}
	return problems
}

func (c *Files) checkFile(t tree, file string) (problems []error) {
	var err error
	switch name, ext := strings.TrimSuffix(file, path.Ext(file)), path.Ext(file); {
	case t == episodes:
		_, err = c.Episode(council.SessionID(name))
	case ext == packExt:
		var s *turnFiles
		if s, err = c.openTurns(council.SessionID(name), false); err == nil {
			_, problems = s.unpackAll()
			err = s.Close()
		}
	default:
		if _, err = c.Turn(name); errors.Is(err, ErrUnknown) {
			err = nil
		}
	}
	if err != nil {
		problems = append(problems, err)
	}
	return problems
}

const packExt = ".zip"

// turnFiles has the turns of one session: the folder of its day, and its pack. Names in a pack are compared and never
// used as paths, and sizes are counted.
type turnFiles struct {
	session council.SessionID
	episode string           // the path of its episode
	day     string           // "turns/2026/11/21"
	folder  atomicfile.Files // nil if there is none

	pack   atomicfile.File
	packed func() (map[string]*zip.File, error) // the files in the pack by name, which is opened once; nil without one
}

// openTurns opens the turns of a session, and makes the folder for writing. The caller closes it. [ErrUnknown]: it is
// not an id.
func (c *Files) openTurns(session council.SessionID, write bool) (*turnFiles, error) {
	day, err := dayOf(turns, session)
	if err != nil {
		return nil, err
	}
	s := &turnFiles{session: session, day: day}
	s.episode, _ = episodeOf(session) // the id is valid
	s.packed = sync.OnceValues(s.openPack)
	if write {
		s.folder, err = c.makeFolder(day)
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
func (s *turnFiles) Close() error {
	err := s.closePack()
	if s.folder != nil {
		err = errors.Join(err, s.folder.Close())
	}
	return err
}

func (s *turnFiles) closePack() error {
	if s.pack == nil {
		return nil
	}
	err := s.pack.Close()
	s.pack = nil
	return err
}

func (s *turnFiles) packName() string { return string(s.session) + packExt }

func (s *turnFiles) openPack() (in map[string]*zip.File, err error) {
	if s.folder == nil {
		return nil, nil
	}
	s.pack, err = s.folder.Open(s.packName())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		in, err = s.readPack()
	}
	if err != nil {
		return nil, errors.Join(unreadable(path.Join(s.day, s.packName()), err), s.closePack())
	}
	return in, nil
}

// readPack returns the files in the pack by name. A pack with anything but turns of the session, each once, is refused.
func (s *turnFiles) readPack() (map[string]*zip.File, error) {
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

// readTurn returns the file of a turn, or else that in the pack, and its path. [ErrUnknown], [ErrUnreadable].
func (s *turnFiles) readTurn(name string) (data []byte, from string, err error) {
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

func (s *turnFiles) unpack(name string) ([]byte, error) {
	in, err := s.packed()
	if err != nil {
		return nil, err
	}
	f := in[name]
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
func (s *turnFiles) unpackAll() (held map[string][]byte, problems []error) {
	held = map[string][]byte{}
	in, err := s.packed()
	if err != nil {
		return held, []error{err}
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
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

func (s *turnFiles) turn(id string) (chronicle.Turn, error) {
	data, from, err := s.readTurn(id + ".json")
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(from, data)
}

// Packing is the result of packing the turns of one session.
type Packing struct {
	Pack     string  // "turns/2026/11/21/<session>.zip"
	Files    int     // the number of files that it replaces
	Bytes    int64   // in these files
	Problems []error // unreadable files: then the session is not packed
}

// Pack packs the turns of each session of a day before the given one, in UTC. Without apply it changes nothing and
// returns the plan. Sessions without anything to pack are left out.
//
// A pack is durable and read back before the first file is removed. After a kill everything can be read, and the next
// Pack completes it. The error is the disk's, or [atomicfile.ErrLocked].
func (c *Files) Pack(before time.Time, apply bool) (all []Packing, err error) {
	if !apply {
		return c.pack(before, false)
	}
	err = c.withLock(func() error {
		all, err = c.pack(before, true)
		return err
	})
	return all, err
}

func (c *Files) pack(before time.Time, apply bool) (all []Packing, err error) {
	files, problems := c.paths(turns)
	limit := path.Join(string(turns), before.UTC().Format("2006/01/02"))
	for len(files) > 0 { // those of a session are neighbours
		day, n := path.Dir(files[0]), 1
		session := sessionOf(turns, day, path.Base(files[0]))
		for n < len(files) && path.Dir(files[n]) == day && sessionOf(turns, day, path.Base(files[n])) == session {
			n++
		}
		if day < limit && !strings.HasSuffix(day, undated) && (n > 1 || path.Ext(files[0]) != packExt) {
			p, err := c.packSession(session, files[:n], apply)
			if err != nil {
				return all, fmt.Errorf("cannot pack %s: %w", p.Pack, err)
			}
			all = append(all, p)
		}
		files = files[n:]
	}
	if len(problems) > 0 {
		all = append(all, Packing{Pack: string(turns), Problems: problems})
	}
	return all, nil
}

// packSession packs the files of a session by their paths, of which one may be its pack, or returns the plan.
func (c *Files) packSession(session council.SessionID, files []string, apply bool) (p Packing, err error) {
	s, err := c.openTurns(session, false)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p.Pack = path.Join(s.day, s.packName())
	held, problems := s.unpackAll()
	files = slices.DeleteFunc(files, func(file string) bool { return file == p.Pack })
	for _, file := range files {
		name := path.Base(file)
		data, from, err := s.readTurn(name)
		if err == nil {
			_, err = parseTurn(from, data)
		}
		if err != nil {
			problems = append(problems, err)
		}
		held[name] = data
		p.Files++
		p.Bytes += int64(len(data))
	}
	if len(problems) > 0 {
		return Packing{Pack: p.Pack, Problems: problems}, nil
	}
	if !apply {
		return p, nil
	}
	if err := errors.Join(s.closePack(), atomicfile.Tidy(s.folder)); err != nil { // temporary files after a kill
		return p, err
	}
	if err := zipfile.Write(s.folder, s.packName(), held, maxFile); err != nil {
		return p, err
	}
	for _, file := range files {
		if err := s.folder.Remove(path.Base(file)); err != nil {
			return p, err
		}
	}
	return p, nil
}
