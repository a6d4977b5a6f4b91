package documents

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// leftOut are folders that nothing brings along, besides hidden ones: a person may still name them.
var leftOut = []string{"node_modules", "__pycache__"}

// LeftOut reports whether folders of this name are brought along by nothing: what is in them nobody here has written.
func LeftOut(folder string) bool { return slices.Contains(leftOut, folder) }

// walk is the search through one folder for what is wanted.
type walk struct {
	*loader
	given   string                // as the person named it
	wants   func(rel string) bool // by the path below the base, with forward slashes
	depth   int                   // folders below the base to go down to; -1: all
	hidden  bool                  // whether hidden names may be brought along
	base    string
	root    *os.Root // of the base: nothing outside of it can be reached, whatever changes meanwhile
	fsys    fs.FS    // of the root
	entries int
	taken   int    // documents, those loaded before included
	first   string // what was skipped first, and why
}

// folder loads a folder with all below it.
func (l *loader) folder(path string) error {
	if resolved, err := resolve(path); err == nil && (Secret(path) || Secret(resolved)) {
		r := secretRefusal()
		return &Error{Path: path, Problem: strings.Replace(r.Problem, "a file", "a folder", 1),
			Advice: "Name a file in it if the council must see it."}
	}
	w := &walk{loader: l, given: path, wants: func(string) bool { return true }, depth: -1}
	return w.run(path, "the folder holds no text that council can read")
}

// pattern loads the files that a pattern matches.
func (l *loader) pattern(path string) error {
	slashed := filepath.ToSlash(path)
	if !doublestar.ValidatePattern(slashed) {
		return &Error{Path: path, Problem: "the pattern is malformed", Advice: "Close its brackets and braces."}
	}
	base, rest := doublestar.SplitPattern(slashed)
	w := &walk{
		loader: l, given: path, depth: strings.Count(rest, "/"),
		wants:  func(rel string) bool { return doublestar.MatchUnvalidated(rest, rel) },
		hidden: strings.HasPrefix(rest, ".") || strings.Contains(rest, "/."),
	}
	if strings.Contains(rest, "**") {
		w.depth = -1
	}
	return w.run(filepath.FromSlash(base), "no file matches the pattern")
}

// run walks and fails when nothing was found: a person who names a folder or a pattern expects something of it.
func (w *walk) run(base, nothing string) error {
	before := w.skipped.count()
	if root, err := os.OpenRoot(base); err != nil {
		w.leave(base, unreadable(err).Problem, 0)
	} else {
		defer root.Close()
		w.base, w.root, w.fsys = base, root, root.FS()
		if err := w.visit(".", RulesOf(base)); err != nil {
			return err
		}
	}
	if w.taken > 0 {
		return nil
	}
	if n := w.skipped.count() - before; n > 0 {
		nothing += fmt.Sprintf(" (%d skipped; the first is %s)", n, w.first)
	}
	return &Error{Path: w.given, Problem: nothing, Advice: "Name text files."}
}

// visit goes through one folder in sorted order. What cannot be used is skipped.
func (w *walk) visit(rel string, rules *Rules) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.fsys, rel)
	if err != nil {
		w.leave(w.path(rel), unreadable(err).Problem, 0)
		return nil
	}
	if w.entries += len(entries); w.entries > w.limits.Entries {
		return &Error{Path: w.given, Problem: fmt.Sprintf("there are more than %d names to look at", w.limits.Entries),
			Advice: "Name a smaller folder."}
	}
	for _, e := range entries {
		if err := w.entry(path.Join(rel, e.Name()), e, rules); err != nil {
			return err
		}
	}
	return nil
}

// path returns where a name below the base lies.
func (w *walk) path(rel string) string { return filepath.Join(w.base, filepath.FromSlash(rel)) }

func (w *walk) entry(rel string, e fs.DirEntry, rules *Rules) error {
	where := w.path(rel)
	deeper := w.depth < 0 || strings.Count(rel, "/") < w.depth
	switch {
	case e.IsDir() && !deeper, !e.IsDir() && !w.wants(rel):
		return nil
	case strings.HasPrefix(e.Name(), ".") && !w.hidden:
		w.leave(where, "it is hidden", 0)
	case Secret(where):
		w.leave(where, secretRefusal().Problem, 0)
	case e.IsDir() && slices.Contains(leftOut, e.Name()):
		w.leave(where, "folders of this name are left out", 0)
	case rules != nil && rules.Ignores(e.Name(), e.IsDir()):
		w.leave(where, "a .gitignore names it", 0)
	case e.IsDir():
		return w.visit(rel, rules.Below(e.Name(), w.fsys, rel))
	case e.Type() == fs.ModeSymlink:
		w.leave(where, "it is a symbolic link, which is not followed here", 0)
	case !e.Type().IsRegular():
		w.leave(where, "it is not a regular file", 0)
	default:
		return w.take(where, rel, e)
	}
	return nil
}

// take loads one file that was brought along.
func (w *walk) take(where, rel string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		w.leave(where, unreadable(err).Problem, 0)
		return nil
	}
	bytes := info.Size()
	if bytes > w.limits.File {
		w.leave(where, "it is larger than "+size(w.limits.File)+", the limit for one document", bytes)
		return nil
	}
	if w.brought >= w.limits.Files || w.total+bytes > w.limits.Total {
		if w.names[w.name(where)] { // it is there already
			w.taken++
			return nil
		}
		w.leave(where, w.noRoom(), bytes)
		return nil
	}
	given := len(w.docs)
	err = w.file(where, func() (*os.File, error) { return w.root.Open(filepath.FromSlash(rel)) })
	var refused *Error
	switch {
	case err == nil:
		w.taken++
		w.brought += len(w.docs) - given
	case !errors.As(err, &refused) || refused.Path != "":
		return err
	case refused.Problem == nothingInIt:
		w.leave(where, nothingInIt, 0)
	default:
		w.leave(where, refused.Problem, bytes)
	}
	return nil
}

func (w *walk) leave(where, reason string, bytes int64) {
	name := w.name(where)
	w.skipped.add(name, reason, bytes)
	w.first = cmp.Or(w.first, fmt.Sprintf("%q: %s", name, reason))
}
