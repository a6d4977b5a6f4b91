package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/site"
)

// councilsFolder is where people keep councils, in the workspace and in their own folder of configurations.
const councilsFolder = "councils"

// councilPlaces are the folders where councils are found by name, the nearest first: of the workspace, and of the user.
// What is in neither may be ready-made.
type councilPlaces []string

// councilPlaces returns the places of a workspace; "" is the usual one.
func placesOfCouncils(a *cli.Env, root string) councilPlaces {
	p := councilPlaces{filepath.Join(cmp.Or(root, site.Home()), councilsFolder)}
	if own := a.ConfigFolder(); own != "" {
		p = append(p, filepath.Join(own, councilsFolder))
	}
	return p
}

type foundCouncil struct {
	name  string
	path  string   // of its file; empty for a ready-made one
	hides []string // what else has the name, in words
	own   bool     // ready-made, or from the user's own folder: it did not come with a repository
	doc   []byte   // its configuration
}

func (c foundCouncil) from() string {
	if c.path == "" {
		return "ready-made council " + c.name
	}
	words := "council " + c.name + " of " + filepath.ToSlash(c.path)
	if len(c.hides) > 0 {
		words += ", in place of " + strings.Join(c.hides, " and ")
	}
	return words
}

// of returns the name of its configuration for error messages.
func (c foundCouncil) of() string {
	if c.path == "" {
		return "council " + c.name
	}
	return filepath.ToSlash(c.path)
}

// plainName matches the names that a council can have. None of them is a path.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// find reads a council by its name. A file of the user's that cannot be read is an error: the ready-made council of its
// name is not what was asked for.
func (p councilPlaces) find(name string) (foundCouncil, error) {
	c, ok, err := p.lookUp(name)
	if err != nil || ok {
		return c, err
	}
	known, err := p.names()
	if err != nil {
		return foundCouncil{}, err
	}
	hint := site.DidYouMean(name, known, "There are: "+strings.Join(known, ", ")+".")
	if strings.ContainsAny(name, `./\`) {
		hint = "A council is named without its folder and without .json; a file is named with --config. " + hint
	}
	return foundCouncil{}, site.Refuse("there is no council "+site.Quote(name), hint)
}

func (p councilPlaces) lookUp(name string) (c foundCouncil, ok bool, err error) {
	if !plainName.MatchString(name) {
		return foundCouncil{}, false, nil
	}
	c.name = name
	for i, in := range p {
		path := filepath.Join(in, name+".json")
		if c.path != "" {
			if _, err := os.Stat(path); err == nil {
				c.hides = append(c.hides, filepath.ToSlash(path))
			}
			continue
		}
		doc, err := readCouncil(path)
		if err == nil {
			c.path, c.doc, c.own = path, doc, i > 0 && filepath.IsAbs(in)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return foundCouncil{}, false, err
		}
	}
	if doc, ready := templates.Council(name); ready && c.path != "" {
		c.hides = append(c.hides, "the ready-made one")
	} else if ready {
		c.doc, c.own = doc, true
	}
	return c, c.doc != nil, nil
}

// names lists the councils: the ready-made, then the user's own in the order of their names.
func (p councilPlaces) names() ([]string, error) {
	all := templates.Councils()
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	var own []string
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if plainName.MatchString(name) && !slices.Contains(all, name) && !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	return append(all, own...), nil
}

// files returns the files in the folders of councils, also those whose names no council can have.
func (p councilPlaces) files() ([]string, error) {
	var all []string
	for _, in := range p {
		entries, err := os.ReadDir(in)
		if err != nil && !site.NoSuchPath(err) {
			return nil, fmt.Errorf("the councils in %s cannot be listed: %w", filepath.ToSlash(in), atomicfile.Explain(err))
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".json") {
				all = append(all, filepath.Join(in, e.Name()))
			}
		}
	}
	return all, nil
}

// readCouncil reads a file up to the size that a configuration may have, and a byte more, so that the parser refuses a
// longer one.
func readCouncil(path string) ([]byte, error) {
	doc, err := atomicfile.ReadOrdinary(nil, path, config.MaxSize)
	switch {
	case site.NoSuchPath(err):
		return nil, absentFile(filepath.ToSlash(path))
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.ToSlash(path), atomicfile.Explain(err))
	}
	return append([]byte{}, doc...), nil // an empty file is there, and wrong
}

// absentFile is the path of a file that is not there.
type absentFile string

func (a absentFile) Error() string        { return "there is no file " + string(a) }
func (a absentFile) Is(target error) bool { return target == fs.ErrNotExist }
