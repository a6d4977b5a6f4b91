package documents

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// leftOut are folders that nothing brings along, besides hidden ones: a person may still name them.
var leftOut = []string{"node_modules", "__pycache__"}

// walk is the search through one folder for what is wanted.
type walk struct {
	*loader
	given   string                // as the person named it
	wants   func(rel string) bool // by the path below the base, with forward slashes
	depth   int                   // folders below the base to go down to; -1: all
	hidden  bool                  // whether hidden names may be brought along
	entries int
	taken   int // documents, those loaded before included
	left    int // what was skipped
}

// folder loads a folder with all below it.
func (l *loader) folder(path string) error {
	if resolved, err := resolve(path); err == nil && (looksSecret(path) || looksSecret(resolved)) {
		r := secretRefusal()
		return &Error{Path: path, Problem: strings.Replace(r.problem, "a file", "a folder", 1), Advice: r.advice}
	}
	w := &walk{loader: l, given: path, wants: func(string) bool { return true }, depth: -1}
	return w.run(path, "the folder holds no text that council can read")
}

func isPattern(path string) bool { return strings.ContainsAny(path, "*?[{") }

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
	if err := w.visit(base, ""); err != nil {
		return err
	}
	if w.taken > 0 {
		return nil
	}
	problem := nothing
	if w.left > 0 {
		first := w.skipped[len(w.skipped)-w.left]
		problem += fmt.Sprintf(" (%d skipped; the first is %q: %s)", w.left, first.Name, first.Reason)
	}
	return &Error{Path: w.given, Problem: problem, Advice: "Name text files."}
}

// visit goes through one folder in sorted order. What cannot be used is skipped.
func (w *walk) visit(base, below string) error {
	entries, err := os.ReadDir(filepath.Join(base, filepath.FromSlash(below)))
	if err != nil {
		w.leave(filepath.Join(base, filepath.FromSlash(below)), unreadable(err).problem)
		return nil
	}
	if w.entries += len(entries); w.entries > w.limits.Entries {
		return &Error{Path: w.given, Problem: fmt.Sprintf("there are more than %d names to look at", w.limits.Entries),
			Advice: "Name a smaller folder."}
	}
	for _, e := range entries {
		rel := strings.TrimPrefix(below+"/"+e.Name(), "/")
		if err := w.entry(base, rel, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(base, rel string, e fs.DirEntry) error {
	path := filepath.Join(base, filepath.FromSlash(rel))
	deeper := w.depth < 0 || strings.Count(rel, "/") < w.depth
	switch {
	case e.IsDir() && !deeper, !e.IsDir() && !w.wants(rel):
		return nil
	case strings.HasPrefix(e.Name(), ".") && !w.hidden:
		w.leave(path, "it is hidden")
	case looksSecret(rel):
		w.leave(path, secretRefusal().problem)
	case e.IsDir() && slices.Contains(leftOut, e.Name()):
		w.leave(path, "folders of this name are left out")
	case e.IsDir():
		return w.visit(base, rel)
	case e.Type() == fs.ModeSymlink:
		w.leave(path, "it is a symbolic link, which is not followed here")
	case !e.Type().IsRegular():
		w.leave(path, "it is no regular file")
	default:
		return w.take(path)
	}
	return nil
}

// take loads one file that was brought along.
func (w *walk) take(path string) error {
	before := len(w.skipped)
	r, err := w.file(path)
	if r != nil {
		w.leave(path, r.problem)
		return nil
	}
	if empty := len(w.skipped) - before; empty > 0 {
		w.left += empty
		return err
	}
	if w.taken++; w.taken > w.limits.Files {
		return &Error{Path: w.given, Problem: fmt.Sprintf("it brings more than %d files, the limit for one folder or pattern", w.limits.Files),
			Advice: "Name a smaller folder, or a pattern such as docs/**/*.md."}
	}
	return err
}

func (w *walk) leave(path, reason string) {
	w.left++
	w.skip(w.name(path), reason)
}
