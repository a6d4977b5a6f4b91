// Package documents loads the context documents that people name on the command line: files, folders, patterns,
// standard input, and what changed since a revision.
//
// What a person names must be readable and must fit, or Load fails with an [Error] that says what to do. What a folder
// or a pattern merely brings along is skipped when it cannot be used or when there is no room left for it, and counted
// by reason. Hidden files, dependency folders, our own record and what .gitignore names are brought along by nothing;
// neither is what is named like a secret, because documents are sent to model providers.
package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Limits bound what [Load] takes. A zero field means its default.
type Limits struct {
	File    int64 // bytes of one document; 512 KiB by default
	Total   int64 // bytes of all documents; 2 MiB by default
	Files   int   // documents that all folders and patterns may bring; 200 by default
	Entries int   // names looked at for one folder or pattern, so that / fails soon; 200,000 by default
}

func (l Limits) filled() Limits {
	return Limits{File: cmp.Or(l.File, 512<<10), Total: cmp.Or(l.Total, 2<<20), Files: cmp.Or(l.Files, 200),
		Entries: cmp.Or(l.Entries, 200_000)}
}

// Request is what a person named.
type Request struct {
	Paths  []string  // files, folders, patterns with *, ?, [], {} or **, and "-" for Stdin
	Diffs  []string  // revisions: what the files of the git work tree are to each
	Stdin  io.Reader // may be nil when no path is "-"
	Limits Limits
}

// Error says why a path cannot be context and what to do.
type Error struct {
	Path    string // as given, or "standard input", or "the diff to REV"
	Ours    bool   // the path is in our words, and no name
	Problem string // a clause: what is wrong, with the limit where there is one
	Advice  string // a sentence: what to do
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

// Load reads what was named, diffs first and then the paths in their order, a folder in the order of names, and says
// what was left out. Every document is UTF-8 text without a byte order mark and with LF line ends; one that is reached
// twice is loaded once. What is named itself has room before what a folder brings. Every error is an [*Error], or that
// of the context.
func Load(ctx context.Context, r Request) ([]council.Document, []council.Skipped, error) {
	l := newLoader(ctx, r.Limits)
	for _, rev := range r.Diffs {
		if err := l.diff(rev); err != nil {
			return nil, nil, err
		}
	}
	diffs := l.docs
	// What each path gives, so that what is named can be read first and still stand in its place.
	given := make([][]council.Document, len(r.Paths))
	for _, brings := range []bool{false, true} {
		for i, path := range r.Paths {
			l.docs = nil
			if load, inside := l.way(path, r.Stdin); inside == brings {
				if err := load(); err != nil {
					return nil, nil, err
				}
				given[i] = l.docs
			}
		}
	}
	return slices.Concat(append([][]council.Document{diffs}, given...)...), l.skipped, nil
}

// loader is one call of Load.
type loader struct {
	ctx     context.Context
	limits  Limits
	dir     string
	seen    map[string]bool // resolved paths of what was loaded
	names   map[string]bool // of the documents: members quote by them
	docs    []council.Document
	skipped skipped
	total   int64
	brought int // documents that folders and patterns brought
}

func newLoader(ctx context.Context, limits Limits) *loader {
	dir, _ := os.Getwd() // without it absolute names stay as they are: nothing else depends on it
	return &loader{ctx: ctx, limits: limits.filled(), dir: dir, seen: map[string]bool{}, names: map[string]bool{}}
}

// add keeps a document, unless it is too much or called like another.
func (l *loader) add(name, text string) error {
	if l.names[name] {
		return &Error{Path: name, Problem: "two documents have this name, and members quote by it",
			Advice: "Give one of them another name."}
	}
	if with := l.total + int64(len(text)); with > l.limits.Total {
		return &Error{Path: name,
			Problem: fmt.Sprintf("with it the context has %s, and the limit is %s in all", size(with), size(l.limits.Total)),
			Advice:  "Name fewer or smaller files."}
	}
	l.total += int64(len(text))
	l.names[name] = true
	l.docs = append(l.docs, council.NewDocument(name, text))
	return nil
}

// blank reports whether there is nothing to read in a text.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// noteForm matches the files that are a person's own notes, by their paths within the folder of memory, and the folders
// that hold them.
var noteForm = regexp.MustCompile(`^(?:MEMORY\.md|items(?:/[^/]+\.md)?|daily(?:/\d{4}-\d{2}-\d{2}\.md)?)$`)

// noteLimits bound what is read of notes. Members are told far less: see package memory.
var noteLimits = Limits{Total: 16 << 20, Files: 4000}

// Notes reads the notes that a person keeps in a folder of memory: MEMORY.md, items/*.md and daily/YYYY-MM-DD.md, in
// this order, the files of a folder by name. What cannot be used is skipped and counted by reason: links, what is no
// UTF-8 text or too large, what is named like a secret, what cannot be read. An error is that of the context.
func Notes(ctx context.Context, dir string) ([]council.Document, []council.Skipped, error) {
	l := newLoader(ctx, noteLimits)
	w := &walk{loader: l, given: dir, base: dir, depth: 1, wants: noteForm.MatchString}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		w.leave(dir, unreadable(err).Problem, 0)
		return nil, l.skipped, nil
	}
	defer root.Close()
	w.root, w.fsys = root, root.FS()
	for _, name := range []string{"MEMORY.md", "items", "daily"} {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			w.leave(w.path(name), unreadable(err).Problem, 0)
		case name == "MEMORY.md" || !info.Mode().IsRegular():
			if err := w.entry(name, fs.FileInfoToDirEntry(info), nil); err != nil {
				return nil, nil, err
			}
		}
	}
	for i := range l.docs {
		l.docs[i].Note = &council.OwnNote{}
	}
	return l.docs, l.skipped, nil
}
