package episodes

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

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

// list returns what a folder holds; nothing, if there is no such folder.
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

// standing lists the turns' files that a session has, alone or packed.
func (c *Files) standing(t tree, id council.SessionID) ([]string, error) {
	p, err := placeOf(t, id, string(id))
	if err != nil {
		return nil, err
	}
	m, problems := c.open(t, p.month, p.day)
	var names []string
	for _, name := range m.names() {
		if belongs(t, id, path.Base(name)) {
			names = append(names, path.Base(name))
		}
	}
	return names, errors.Join(append(problems, m.close())...)
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func closed(folder atomicfile.Files) error {
	if folder == nil {
		return nil
	}
	return folder.Close()
}
