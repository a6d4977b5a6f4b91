package councils

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/internal/fileerror"
	"github.com/council-engine/council/templates"
)

// folder is where people keep councils, in the workspace and in their own folder of configurations.
const folder = "councils"

// Places are where councils are found by name, the nearest first: the workspace, the user's folder, this program.
type Places struct {
	Root   string // of the workspace; empty: the usual one
	Getenv func(string) string
}

// Council is one that was found by its name.
type Council struct {
	Name  string
	Path  string   // of its file; empty for a ready-made one
	Hides []string // what else has the name, in words
	Own   bool     // ready-made, or from the user's own folder: nobody else's repository brought it
	Doc   []byte   // its configuration
}

// From says in words where the council comes from.
func (c Council) From() string {
	if c.Path == "" {
		return "ready-made council " + c.Name
	}
	words := "council " + c.Name + " of " + filepath.ToSlash(c.Path)
	if len(c.Hides) > 0 {
		words += ", in place of " + strings.Join(c.Hides, " and ")
	}
	return words
}

// Of is what its configuration is called in an error.
func (c Council) Of() string {
	if c.Path == "" {
		return "council " + c.Name
	}
	return filepath.ToSlash(c.Path)
}

// plainName is what a council can be called. It is not a path.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// Find reads a council by its name. A file of the user's that cannot be read is an error: the ready-made council of its
// name is not what was asked for.
func (p Places) Find(name string) (Council, error) {
	c, ok, err := p.find(name)
	if err != nil || ok {
		return c, err
	}
	known, err := p.names()
	if err != nil {
		return Council{}, err
	}
	hint := desk.DidYouMean(name, known, "There are: "+strings.Join(known, ", ")+".")
	if strings.ContainsAny(name, `./\`) {
		hint = "A council is named without its folder and without .json; a file is named with --config. " + hint
	}
	return Council{}, desk.Refuse("there is no council "+desk.Quote(name), hint)
}

func (p Places) find(name string) (c Council, ok bool, err error) {
	if !plainName.MatchString(name) {
		return Council{}, false, nil
	}
	c.Name = name
	for i, in := range p.folders() {
		path := filepath.Join(in, name+".json")
		if c.Path != "" {
			if _, err := os.Stat(path); err == nil {
				c.Hides = append(c.Hides, filepath.ToSlash(path))
			}
			continue
		}
		doc, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Council{}, false, err
		}
		c.Path, c.Doc, c.Own = path, doc, i > 0 && filepath.IsAbs(in)
	}
	doc, ready := templates.Council(name)
	switch {
	case !ready:
	case c.Path != "":
		c.Hides = append(c.Hides, "the ready-made one")
	default:
		c.Doc, c.Own = doc, true
	}
	return c, c.Doc != nil, nil
}

// folders are those of the user's own councils.
func (p Places) folders() []string {
	root := p.Root
	if root == "" {
		root = desk.DefaultRoot
	}
	all := []string{filepath.Join(root, folder)}
	if own := desk.ConfigFolder(p.Getenv); own != "" {
		all = append(all, filepath.Join(own, folder))
	}
	return all
}

// names lists the councils: the ready-made, then the user's own in the order of their names.
func (p Places) names() ([]string, error) {
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

// files are what the user keeps where councils are kept, those included that no council can be called by.
func (p Places) files() ([]string, error) {
	var all []string
	for _, in := range p.folders() {
		entries, err := os.ReadDir(in)
		if err != nil && !nowhere(err) {
			return nil, fmt.Errorf("the councils in %s cannot be listed: %w", filepath.ToSlash(in), fileerror.Of(err))
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".json") {
				all = append(all, filepath.Join(in, e.Name()))
			}
		}
	}
	return all, nil
}

// read reads a file that is not longer than a configuration may be, or little longer: the parser then says so.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, config.MaxSize+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	if doc == nil {
		doc = []byte{} // an empty file is there, and wrong
	}
	return doc, nil
}

// absent is the path of a file that is not there.
type absent string

func (a absent) Error() string        { return "there is no file " + string(a) }
func (a absent) Is(target error) bool { return target == fs.ErrNotExist }

func unreadable(path string, err error) error {
	if nowhere(err) {
		return absent(filepath.ToSlash(path))
	}
	return fmt.Errorf("%s cannot be read: %w", filepath.ToSlash(path), fileerror.Of(err))
}

// nowhere reports whether there is no such file or folder, and none that it could lie in.
func nowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
