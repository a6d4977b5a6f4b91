package episodes

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
)

// Check reads everything, and names what cannot be read. It changes nothing.
func (c *Files) Check() []error {
	var all []error
	for _, t := range []tree{episodes, turns} {
		months, problems := c.months(t)
		all = append(all, problems...)
		for _, name := range months {
			all = append(all, c.checkMonth(t, name)...)
		}
	}
	return all
}

func (c *Files) checkMonth(t tree, name string) []error {
	m, problems := c.open(t, name, "")
	for _, file := range m.names() {
		data, from, err := m.read(file)
		if err == nil {
			err = m.whole(file, data, from)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	problems = append(problems, m.packProblems()...)
	if err := m.close(); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// packProblems names what is wrong with a pack as such, and with what stands in it behind a file of its own.
func (m *month) packProblems() []error {
	if m.pack == nil {
		return nil
	}
	var problems []error
	if err := m.pack.sound(); err != nil {
		problems = append(problems, err)
	}
	for _, name := range slices.Sorted(maps.Keys(m.in)) {
		if m.alone[name] == "" {
			continue // it was read already
		}
		if _, err := m.pack.read(m.in[name]); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// SetAside gives every pack that cannot be read, or in which anything cannot be, another name beside its own, and
// returns the new names. What it held is made again by [Files.Write] for each session: that is how a damaged pack is
// mended.
func (c *Files) SetAside(at time.Time) (kept []string, err error) {
	err = c.hold(func() error {
		for _, t := range []tree{episodes, turns} {
			months, _ := c.months(t) // a folder that cannot be read has no pack that could be renamed
			for _, name := range months {
				one, err := c.setAside(t, name, at)
				if err != nil {
					return err
				}
				if one != "" {
					kept = append(kept, one)
				}
			}
		}
		return nil
	})
	return kept, err
}

func (c *Files) setAside(t tree, month string, at time.Time) (string, error) {
	m, _ := c.open(t, month, "")
	bad := m.broken != nil
	for _, f := range m.in {
		if _, err := m.pack.read(f); err != nil {
			bad = true
			break
		}
	}
	bad = bad || m.pack != nil && m.pack.sound() != nil
	if err := m.close(); err != nil || !bad {
		return "", err
	}
	year, name := path.Split(packPath(t, month))
	folder, err := c.enter(year)
	if err != nil {
		return "", err
	}
	kept, err := atomicfile.Aside(folder, name, atomicfile.Damaged, at)
	if err = errors.Join(err, folder.Close()); err != nil {
		return "", fmt.Errorf("cannot set %s aside: %w", packPath(t, month), err)
	}
	return path.Join(year, kept), nil
}
