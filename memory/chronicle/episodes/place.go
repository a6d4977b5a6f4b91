package episodes

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
)

// tree is one of the two folders under that of the record.
type tree string

const (
	episodes tree = "episodes"
	turns    tree = "turns"
)

// undated is the month of sessions whose id begins with no date. No real month is called so, and it never passes.
const undated = "0000/00"

// place is where the file of one id belongs. It follows from the id alone. Two ids never share one: the name is the id,
// and ids are lower case, so that also a disk that ignores case tells them apart.
type place struct {
	tree  tree
	month string // "2026/11"
	day   string // "21"
	name  string // "<id>.json"
}

// file returns the path of the file that stands alone.
func (p place) file() string { return path.Join(string(p.tree), p.month, p.day, p.name) }

// packed is its name within the pack of its month.
func (p place) packed() string { return p.day + "/" + p.name }

// placeOf returns the place of a session's episode or of a turn of it. [ErrUnknown]: it is not an id.
func placeOf(t tree, session council.SessionID, id string) (place, error) {
	if err := chronicle.CheckEpisodeID(session); err != nil {
		return place{}, err
	}
	month, day := dayOf(session)
	return place{tree: t, month: month, day: day, name: id + ".json"}, nil
}

// dayOf reads the date that a session's id begins with.
func dayOf(session council.SessionID) (month, day string) {
	date, _, dashed := strings.Cut(string(session), "-")
	if t, err := time.Parse("20060102", date); dashed && err == nil && t.Format("20060102") == date {
		return t.Format("2006/01"), t.Format("02")
	}
	return undated, "00"
}

// idOf returns the id whose file has the name within a month, "21/<id>.json". It reports whether there is such an id
// and whether its file belongs there.
func idOf(t tree, month, name string) (string, bool) {
	_, file, _ := strings.Cut(name, "/")
	id, ok := strings.CutSuffix(file, ".json")
	if !ok {
		return "", false
	}
	session := council.SessionID(id)
	if t == turns {
		var err error
		if session, _, err = chronicle.ParseTurnID(id); err != nil {
			return "", false
		}
	}
	p, err := placeOf(t, session, id)
	return id, err == nil && p.month == month && p.packed() == name
}

// enter opens a folder below that of the record, step by step, so that no link is followed. The caller closes it.
func (c *Files) enter(name string) (atomicfile.Files, error) { return c.walk(name, false) }

// make is enter, except that it makes what is missing. What is made can be made again, so it is not synced.
func (c *Files) make(name string) (atomicfile.Files, error) { return c.walk(name, true) }

func (c *Files) walk(name string, missing bool) (atomicfile.Files, error) {
	here := c.root
	for step := range strings.SplitSeq(path.Clean(name), "/") {
		next, err := here.Folder(step)
		if missing && errors.Is(err, fs.ErrNotExist) {
			if err = here.Mkdir(step); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = here.Folder(step)
			}
		}
		if here != c.root {
			err = errors.Join(err, here.Close())
		}
		if err != nil {
			return nil, err
		}
		here = next
	}
	return here, nil
}

// list returns the entries of a folder; none, if there is no such folder.
func (c *Files) list(name string) ([]fs.DirEntry, error) {
	folder, err := c.enter(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	entries, err := folder.List()
	if err := errors.Join(err, folder.Close()); err != nil {
		return nil, unreadable(name, err)
	}
	return entries, nil
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func closed(folder atomicfile.Files) error {
	if folder == nil {
		return nil
	}
	return folder.Close()
}
