package episodes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/chronicle"
)

// month is the files of one tree in one month, alone and packed. They are named as within the pack: "21/<id>.json".
type month struct {
	files  *Files
	tree   tree
	name   string            // "2026/11"
	days   []string          // folders that hold something or once did
	alone  map[string]string // files that stand alone, with their paths
	pack   *pack             // nil: there is none, or it is broken
	broken error             // why the pack cannot be read
	in     map[string]*zip.File

	last string           // the day that was read last
	day  atomicfile.Files // its folder, so that not every file is sought from the folder of the record on
}

// open looks at a month, or at one day of it. What cannot be read of it is in the errors, and hides nothing else.
func (c *Files) open(t tree, name, day string) (*month, []error) {
	m := &month{files: c, tree: t, name: name, alone: map[string]string{}, in: map[string]*zip.File{}}
	var problems []error
	note := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	var err error
	if m.pack, err = c.openPack(t, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.broken = err
		note(err)
	}
	if m.pack != nil {
		for _, f := range m.pack.entries {
			if _, ours := idOf(t, name, f.Name); ours {
				m.in[f.Name] = f
			}
		}
	}
	if day != "" {
		m.days = []string{day}
	} else {
		m.days, err = c.below(path.Join(string(t), name), dayForm, true)
		note(err)
	}
	for _, day := range m.days {
		folder := path.Join(string(t), name, day)
		files, err := c.below(folder, nil, false)
		note(err)
		for _, file := range files {
			at := path.Join(day, file)
			if _, ours := idOf(t, name, at); ours {
				m.alone[at] = path.Join(folder, file)
			}
		}
	}
	return m, problems
}

// close closes the pack and the folder that is open.
func (m *month) close() error {
	err := closed(m.day)
	m.day = nil
	if m.pack != nil {
		err = errors.Join(err, m.pack.Close())
	}
	return err
}

// loose reads a file that stands alone. [fs.ErrNotExist], [ErrUnreadable].
func (m *month) loose(name, at string) ([]byte, error) {
	if day := path.Dir(name); m.day == nil || m.last != day {
		err := closed(m.day)
		if m.day = nil; err == nil {
			m.day, err = m.files.enter(path.Dir(at))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = unreadable(at, err)
		}
		if err != nil {
			return nil, err
		}
		m.last = day
	}
	return lone(m.day, path.Base(name), at)
}

// names are those of all files, in order.
func (m *month) names() []string {
	var all []string
	for name := range m.alone {
		all = append(all, name)
	}
	for name := range m.in {
		if m.alone[name] == "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// read returns what a file holds, and for messages where it is.
func (m *month) read(name string) (data []byte, from string, err error) {
	if at := m.alone[name]; at != "" {
		data, err := m.loose(name, at)
		return data, at, err
	}
	f := m.in[name]
	if f == nil {
		return nil, "", fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	data, err = m.pack.read(f)
	return data, m.pack.within(name), err
}

// episode reads one episode.
func (m *month) episode(name string) (chronicle.Episode, error) {
	data, from, err := m.read(name)
	if err != nil {
		return chronicle.Episode{}, err
	}
	return parseEpisode(m.place(name), from, data)
}

// turn reads one turn.
func (m *month) turn(name string) (chronicle.Turn, error) {
	data, from, err := m.read(name)
	if err != nil {
		return chronicle.Turn{}, err
	}
	return parseTurn(m.place(name), from, data)
}

// whole returns an error unless a file holds the episode or turn that its name says.
func (m *month) whole(name string, data []byte, from string) error {
	var err error
	if m.tree == episodes {
		_, err = parseEpisode(m.place(name), from, data)
	} else {
		_, err = parseTurn(m.place(name), from, data)
	}
	return err
}

func (m *month) place(name string) place {
	return place{m.tree, m.name, path.Dir(name), path.Base(name)}
}

var (
	yearForm  = regexp.MustCompile(`^[0-9]{4}$`)
	dayForm   = regexp.MustCompile(`^[0-9]{2}$`)
	monthForm = regexp.MustCompile(`^[0-9]{2}(\.zip)?$`)
)

// below lists the names in a folder that have the form: of folders, or of files.
func (c *Files) below(folder string, form *regexp.Regexp, folders bool) ([]string, error) {
	entries, err := c.list(folder)
	var names []string
	for _, e := range entries {
		if e.IsDir() == folders && (form == nil || form.MatchString(e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// months lists the months of a tree, alone or packed, oldest first. What cannot be read is in the errors.
func (c *Files) months(t tree) (all []string, problems []error) {
	years, err := c.below(string(t), yearForm, true)
	if err != nil {
		problems = append(problems, err)
	}
	for _, year := range years {
		entries, err := c.list(path.Join(string(t), year))
		if err != nil {
			problems = append(problems, err)
		}
		for _, e := range entries {
			if monthForm.MatchString(e.Name()) && e.IsDir() != strings.HasSuffix(e.Name(), ".zip") {
				all = append(all, path.Join(year, strings.TrimSuffix(e.Name(), ".zip")))
			}
		}
	}
	return slices.Compact(all), problems // the folder 11 and 11.zip come one after the other
}
