package episodes

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
)

// Packing is the result of packing the turns of one session.
type Packing struct {
	Pack     string  // the archive: "turns/2026/11/21/<session>.zip"
	Files    int     // that stand alone and go
	Bytes    int64   // in these files
	Problems []error // what cannot be read is named, and the session stays as it is
}

// Pack takes the turns of each session of a day before the given one, in UTC, together into one archive; sessions that
// have nothing to pack are not in the result. Unless apply is set it changes nothing and returns what it would do.
//
// The archive is durable and was read back before the first of its files is removed. Killed anywhere, everything can be
// read as before, and the next Pack ends what this one began. The error is the disk's, or [atomicfile.ErrLocked].
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

func (c *Files) pack(before time.Time, apply bool) (all []Packing, err error) {
	days, problems := c.days(turns)
	limit := path.Join(string(turns), before.UTC().Format("2006/01/02"))
	for _, day := range days {
		if day >= limit || strings.HasSuffix(day, undated) {
			continue
		}
		files, err := c.files(turns, day)
		if err != nil {
			problems = append(problems, err)
		}
		for len(files) > 0 { // those of a session come one after the other
			session, n := sessionOf(turns, day, files[0]), 1
			for n < len(files) && sessionOf(turns, day, files[n]) == session {
				n++
			}
			if n > 1 || path.Ext(files[0]) != packed {
				p, err := c.packSession(session, files[:n], apply)
				if err != nil {
					return all, fmt.Errorf("cannot pack %s: %w", p.Pack, err)
				}
				all = append(all, p)
			}
			files = files[n:]
		}
	}
	if len(problems) > 0 {
		all = append(all, Packing{Pack: string(turns), Problems: problems})
	}
	return all, nil
}

// packSession packs the files of a session, of which one may be its pack, or returns what that would do.
func (c *Files) packSession(session council.SessionID, files []string, apply bool) (p Packing, err error) {
	s, err := c.said(session, false)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p.Pack = path.Join(s.day, s.packName())
	held, problems := s.unpackAll()
	for _, name := range files {
		if name == s.packName() {
			continue
		}
		data, from, err := s.read(name)
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
	if err := errors.Join(s.shut(), atomicfile.Tidy(s.folder)); err != nil { // what one that was killed has left
		return p, err
	}
	var sources []zipfile.Source
	for name, data := range held {
		sources = append(sources, zipfile.Source{Name: name, Load: func() ([]byte, error) { return data, nil }})
	}
	if err := zipfile.Write(s.folder, s.packName(), sources, maxFile); err != nil {
		return p, err
	}
	for _, name := range files {
		if name != s.packName() {
			if err := s.folder.Remove(name); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}
