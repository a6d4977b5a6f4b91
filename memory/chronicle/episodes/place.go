package episodes

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
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

// undated is the day of sessions whose id begins with no date. No real day is called so, and it never passes.
const undated = "0000/00/00"

// dayOf returns the folder of the files of a session, "turns/2026/11/21". It follows from the id alone. [ErrUnknown]:
// it is not an id.
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

// sessionOf returns the session to which a file in the folder of a day belongs, or "" if council writes no such file
// there. Two ids never share a file: the name is the id, and ids are lower case, so that also a disk that ignores case
// tells them apart.
func sessionOf(t tree, day, file string) council.SessionID {
	ext := path.Ext(file)
	session := council.SessionID(strings.TrimSuffix(file, ext))
	if t == turns && ext == ".json" {
		session, _, _ = chronicle.ParseTurnID(string(session))
	} else if (t == episodes) != (ext == ".json") || ext != ".json" && ext != packed {
		return ""
	}
	if at, err := dayOf(t, session); err != nil || at != day {
		return ""
	}
	return session
}

// make opens a folder below that of the record, and makes it if there is none. The caller closes it.
func (c *Files) make(name string) (atomicfile.Files, error) {
	folder, err := c.root.Folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = atomicfile.EnsureFolder(c.root, name); err == nil {
			folder, err = c.root.Folder(name)
		}
	}
	return folder, err
}

// list returns the entries of a folder in order; none, if there is no such folder.
func (c *Files) list(name string) ([]fs.DirEntry, error) {
	entries, err := atomicfile.ListFolder(c.root, name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return entries, nil
}

var years, monthsAndDays = regexp.MustCompile(`^[0-9]{4}$`), regexp.MustCompile(`^[0-9]{2}$`)

// days lists the folders of the days of a tree, the oldest first. What cannot be listed is in the errors.
func (c *Files) days(t tree) (all []string, problems []error) {
	all = []string{string(t)}
	for _, form := range []*regexp.Regexp{years, monthsAndDays, monthsAndDays} {
		var below []string
		for _, folder := range all {
			entries, err := c.list(folder)
			if err != nil {
				problems = append(problems, err)
			}
			for _, e := range entries {
				if e.IsDir() && form.MatchString(e.Name()) {
					below = append(below, path.Join(folder, e.Name()))
				}
			}
		}
		all = below
	}
	return all, problems
}

// files lists our files in the folder of a day, in order.
func (c *Files) files(t tree, day string) (all []string, err error) {
	entries, err := c.list(day)
	for _, e := range entries {
		if !e.IsDir() && sessionOf(t, day, e.Name()) != "" {
			all = append(all, e.Name())
		}
	}
	return all, err
}
