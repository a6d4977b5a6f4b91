// Package documents loads the context documents of a command line: files, folders, patterns, standard input, diffs.
//
// A named path must be readable and must fit, or Load fails with an [Error]. The contents of a folder or a pattern are
// skipped when they cannot be used or do not fit, and counted by reason. Hidden and ignored files, dependency folders,
// our own record and files named like a secret are never loaded from a folder: documents are sent to providers.
package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/council-engine/council/council"
)

// Limits bound [Load]. A zero field means its default.
type Limits struct {
	File    int64 // bytes of one document; 512 KiB by default
	Total   int64 // bytes of all documents; 2 MiB by default
	Files   int   // documents that all folders and patterns may bring; 200 by default
	Entries int   // names looked at for one folder or pattern, so that / fails soon; 200,000 by default
}

// Request is the context of a command line.
type Request struct {
	Paths  []string  // files, folders, patterns with *, ?, [], {} or **, and "-" for Stdin
	Diffs  []string  // revisions of the git work tree to compare with
	Stdin  io.Reader // may be nil when no path is "-"
	Limits Limits
}

// Error says why a path cannot be context and names the remedy.
type Error struct {
	Path    string // as given, or "standard input", or "the diff to REV"
	Ours    bool   // the path is in our words, and no name
	Problem string // a clause, with the limit where there is one
	Advice  string // a sentence
	Err     error  // the system's error, if one was the cause
}

func (e *Error) Error() string {
	path := e.Path
	if !e.Ours {
		path = fmt.Sprintf("context %q", e.Path)
	}
	return fmt.Sprintf("%s: %s. %s", path, e.Problem, e.Advice)
}

// Unwrap returns the system's error, such as fs.ErrNotExist, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Load reads diffs first and then the paths in their order, a folder by name, and returns the left-out files. Every
// document is UTF-8 text without a byte order mark and with LF line ends; a file that is reached twice is loaded once.
// Named files have room before the contents of folders. Every error is an [*Error], or that of the context.
func Load(ctx context.Context, r Request) ([]council.Document, []council.Skipped, error) {
	l := newLoader(ctx, r.Limits)
	for _, rev := range r.Diffs {
		if err := l.diff(rev); err != nil {
			return nil, nil, err
		}
	}
	diffs := l.docs
	// Results by path, so that named files can be read first and keep their place.
	given := make([][]council.Document, len(r.Paths))
	for _, inside := range []bool{false, true} {
		for i, path := range r.Paths {
			l.docs = nil
			if err := l.load(path, r.Stdin, inside); err != nil {
				return nil, nil, err
			}
			given[i] = append(given[i], l.docs...)
		}
	}
	return slices.Concat(append([][]council.Document{diffs}, given...)...), l.skipped, nil
}

// loader is one call of Load.
type loader struct {
	ctx          context.Context
	limits       Limits
	dir          string
	seen         map[string]bool // resolved paths of loaded files
	names        map[string]bool // of the documents: members quote by them
	docs         []council.Document
	skipped      skipped
	total        int64
	brought      int   // documents that folders and patterns brought
	counted      int64 // bytes of left-out files whose lines were counted
	countedFiles int
}

func newLoader(ctx context.Context, limits Limits) *loader {
	dir, _ := os.Getwd() // without it absolute names stay as they are: nothing else depends on it
	limits = Limits{File: cmp.Or(limits.File, 512<<10), Total: cmp.Or(limits.Total, 2<<20),
		Files: cmp.Or(limits.Files, 200), Entries: cmp.Or(limits.Entries, 200_000)}
	return &loader{ctx: ctx, limits: limits, dir: dir, seen: map[string]bool{}, names: map[string]bool{}}
}

// add keeps a document, unless it does not fit or another has its name.
func (l *loader) add(name, text string) error {
	if l.names[name] {
		return &Error{Path: name, Problem: "two documents have this name, and members quote by it",
			Advice: "Give one of them another name."}
	}
	if with := l.total + int64(len(text)); with > l.limits.Total {
		return &Error{Path: name, Problem: fmt.Sprintf("with it the context has %s, and the limit is %s in all",
			formatSize(with), formatSize(l.limits.Total)), Advice: "Name fewer or smaller files."}
	}
	l.total += int64(len(text))
	l.names[name] = true
	l.docs = append(l.docs, council.NewDocument(name, text))
	return nil
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// noteForm matches a person's notes, by their paths within the folder of memory, and the folders of notes.
var noteForm = regexp.MustCompile(`^(?:MEMORY\.md|items(?:/[^/]+\.md)?|daily(?:/\d{4}-\d{2}-\d{2}\.md)?)$`)

// noteLimits bound the notes that are read. Members get far less: see package memory.
var noteLimits = Limits{Total: 16 << 20, Files: 4000}

// Notes reads a person's notes in a folder of memory: MEMORY.md, items/*.md and daily/YYYY-MM-DD.md, in this order, a
// folder by name. Unusable files are skipped and counted by reason. An error is that of the context.
func Notes(ctx context.Context, dir string) ([]council.Document, []council.Skipped, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	l := newLoader(ctx, noteLimits)
	w := &walk{loader: l, given: dir, depth: 1, wants: noteForm.MatchString}
	err := w.within(dir, func() error {
		for _, name := range []string{"MEMORY.md", "items", "daily"} {
			switch info, err := w.root.Lstat(name); {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				w.countLeftOut(name, nil, unreadableError(err).Problem)
			case name == "MEMORY.md" || !info.Mode().IsRegular():
				if err := w.entry(name, fs.FileInfoToDirEntry(info), nil); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for i := range l.docs {
		l.docs[i].Note = &council.OwnNote{}
	}
	for i := range l.skipped {
		l.skipped[i].Notes = true
	}
	return l.docs, l.skipped, err
}

// IsDependencyFolder reports whether a folder of this name holds dependencies, which are loaded only by name.
func IsDependencyFolder(folder string) bool {
	return folder == "node_modules" || folder == "__pycache__"
}

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
	first   string // the first skipped file, and why
}

func (l *loader) folder(path string) error {
	if resolved, err := resolve(path); err == nil && (Secret(path) || Secret(resolved)) {
		r := secretRefusal()
		return &Error{Path: path, Problem: strings.Replace(r.Problem, "a file", "a folder", 1),
			Advice: "Name a file in it if the council must see it."}
	}
	w := &walk{loader: l, given: path, wants: func(string) bool { return true }, depth: -1}
	return w.run(path, "the folder holds no text that council can read")
}

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

// within does something in a folder, its base. One that cannot be opened is left out.
func (w *walk) within(base string, do func() error) error {
	w.base = base
	root, err := os.OpenRoot(base)
	if err != nil {
		w.countLeftOut(".", nil, unreadableError(err).Problem)
		return nil
	}
	defer root.Close()
	w.root, w.fsys = root, root.FS()
	return do()
}

// run walks and fails when nothing was found.
func (w *walk) run(base, nothing string) error {
	before := w.skipped.count()
	if err := w.within(base, func() error { return w.visit(".", RulesOf(base)) }); err != nil {
		return err
	}
	if w.taken > 0 {
		return nil
	}
	if n := w.skipped.count() - before; n > 0 {
		nothing += fmt.Sprintf(" (%d skipped; the first is %s)", n, w.first)
	}
	return &Error{Path: w.given, Problem: nothing, Advice: "Name text files."}
}

// visit walks through one folder in sorted order. It skips files that cannot be used.
func (w *walk) visit(rel string, rules *Rules) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.fsys, rel)
	if err != nil {
		w.countLeftOut(rel, nil, unreadableError(err).Problem)
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

func (w *walk) path(rel string) string { return filepath.Join(w.base, filepath.FromSlash(rel)) }

func (w *walk) entry(rel string, e fs.DirEntry, rules *Rules) error {
	where := w.path(rel)
	switch deeper := w.depth < 0 || strings.Count(rel, "/") < w.depth; {
	case e.IsDir() && !deeper, !e.IsDir() && !w.wants(rel):
	case strings.HasPrefix(e.Name(), ".") && !w.hidden:
		w.countLeftOut(rel, e, "it is hidden")
	case Secret(where):
		w.countLeftOut(rel, e, secretRefusal().Problem)
	case e.IsDir() && IsDependencyFolder(e.Name()):
		w.countLeftOut(rel, e, "folders of this name are left out")
	case rules != nil && rules.Ignores(e.Name(), e.IsDir()):
		w.countLeftOut(rel, e, "a .gitignore names it")
	case e.IsDir():
		return w.visit(rel, rules.Below(e.Name(), w.fsys, rel))
	case e.Type() == fs.ModeSymlink:
		w.countLeftOut(rel, e, "it is a symbolic link, which is not followed here")
	case !e.Type().IsRegular():
		w.countLeftOut(rel, e, "it is not a regular file")
	default:
		return w.loadFile(where, rel, e)
	}
	return nil
}

func (w *walk) loadFile(where, rel string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		w.countLeftOut(rel, e, unreadableError(err).Problem)
		return nil
	}
	bytes := info.Size()
	if bytes > w.limits.File {
		w.countLeftOut(rel, e, "it is larger than "+formatSize(w.limits.File)+", the limit for one document")
		return nil
	}
	if w.brought >= w.limits.Files || w.total+bytes > w.limits.Total {
		if w.names[w.name(where)] { // it is there already
			w.taken++
			return nil
		}
		w.countLeftOut(rel, e, fmt.Sprintf(noRoomFor+": folders and patterns bring at most %d files, and all documents "+
			"have at most %s", w.limits.Files, formatSize(w.limits.Total)))
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
	default:
		w.countLeftOut(rel, e, refused.Problem)
	}
	return nil
}

// countLeftOut counts a left-out file or folder with its size. The entry may be nil.
func (w *walk) countLeftOut(rel string, e fs.DirEntry, reason string) {
	f := council.LeftFile{Name: w.name(w.path(rel))}
	if e != nil && e.Type().IsRegular() && reason != nothingInIt {
		if info, err := e.Info(); err == nil {
			f.Bytes = info.Size()
			f.Lines = w.countLines(w.fsys, rel, f.Bytes)
		}
	}
	w.skipped.add(reason, f)
	w.first = cmp.Or(w.first, fmt.Sprintf("%q: %s", f.Name, reason))
}
