package episodes

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/council-engine/council/council"
)

// Check reads everything, and names what cannot be read. It changes nothing.
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
