package episodes

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
	"github.com/council-engine/council/memory/chronicle"
)

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

type tree string

const (
	episodes tree = "episodes"
	turns    tree = "turns"
)

const undated = "0000/00/00"

// dayOf returns the folder of the files of a session, "turns/2026/11/21", by its id. [ErrUnknown]: it is not an id.
func dayOf(t tree, session council.SessionID) (string, error) {
	if err := chronicle.CheckEpisodeID(session); err != nil {
		return "", err
	}
	day := undated
	date, _, dashed := strings.Cut(string(session), "-")
	if at, err := time.Parse("20060102", date); dashed && err == nil && at.Format("20060102") == date {
		day = at.Format("2006/01/02")
	}
	return path.Join(string(t), day), nil
}

// sessionOf returns the session of a file in the folder of a day, or "" for a foreign file. Ids are lower case, so no
// two share a file even on a disk that ignores case.
func sessionOf(t tree, day, file string) council.SessionID {
	ext := path.Ext(file)
	session := council.SessionID(strings.TrimSuffix(file, ext))
	if t == turns && ext == ".json" {
		session, _, _ = chronicle.ParseTurnID(string(session))
	} else if (t == episodes) != (ext == ".json") || ext != ".json" && ext != packExt {
		return ""
	}
	if at, err := dayOf(t, session); err != nil || at != day {
		return ""
	}
	return session
}

// makeFolder opens a folder of the record, and makes it if there is none. The caller closes it.
func (c *Files) makeFolder(name string) (atomicfile.Files, error) {
	folder, err := c.root.Folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = atomicfile.EnsureFolder(c.root, name); err == nil {
			folder, err = c.root.Folder(name)
		}
	}
	return folder, err
}

var years, monthsAndDays = regexp.MustCompile(`^[0-9]{4}$`), regexp.MustCompile(`^[0-9]{2}$`)

// paths lists our files in a tree, those of the oldest day first, and errors for folders that cannot be listed.
func (c *Files) paths(t tree) (all []string, problems []error) {
	all = []string{string(t)}
	for _, form := range []*regexp.Regexp{years, monthsAndDays, monthsAndDays, nil} { // of folders, then files
		var below []string
		for _, folder := range all {
			entries, err := atomicfile.ListFolder(c.root, folder)
			if err != nil {
				problems = append(problems, unreadable(folder, err))
			}
			for _, e := range entries {
				if e.IsDir() && form != nil && form.MatchString(e.Name()) ||
					!e.IsDir() && form == nil && sessionOf(t, folder, e.Name()) != "" {
					below = append(below, path.Join(folder, e.Name()))
				}
			}
		}
		all = below
	}
	return all, problems
}
