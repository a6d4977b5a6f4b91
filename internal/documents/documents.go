// Package documents loads the context documents that people name on the command line: files, folders, patterns and
// standard input.
//
// What a person names must be readable, or Load fails with an [Error] that says what to do. What a folder or a pattern
// merely brings along is skipped when it cannot be used, and listed. Hidden files, dependency folders and our own
// record are brought along by nothing; what looks like a secret is never loaded, because documents are sent to model
// providers.
package documents

import (
	"fmt"
	"io"
	"os"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Limits bound what [Load] takes. A zero field means its default.
type Limits struct {
	File    int64 // bytes of one document; 512 KiB by default
	Total   int64 // bytes of all documents; 2 MiB by default
	Files   int   // documents that one folder or pattern may bring; 200 by default
	Entries int   // names looked at for one folder or pattern, so that / fails soon; 20,000 by default
}

func (l Limits) filled() Limits {
	if l.File <= 0 {
		l.File = 512 << 10
	}
	if l.Total <= 0 {
		l.Total = 2 << 20
	}
	if l.Files <= 0 {
		l.Files = 200
	}
	if l.Entries <= 0 {
		l.Entries = 20_000
	}
	return l
}

// Skipped is a file or folder that was left out, and why.
type Skipped struct {
	Name   string // as a document's would be, on one line and fit to print
	Reason string // a clause without an end: "it is not UTF-8 text"
}

// Error says why a path cannot be context and what to do.
type Error struct {
	Path    string // as given, or "standard input"
	Problem string // a clause: what is wrong, with the limit where there is one
	Advice  string // a sentence: what to do
	Err     error  // the system's error, if one was the cause
}

func (e *Error) Error() string { return fmt.Sprintf("context %q: %s. %s", e.Path, e.Problem, e.Advice) }

// Unwrap returns the system's error, such as fs.ErrNotExist, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Load reads what the paths name, in their order: a file, a folder with all below it in sorted order, a pattern with
// *, ?, [], {} or **, or "-" for stdin. Every document is UTF-8 text without a byte order mark and with LF line ends;
// one that is reached twice is loaded once. Empty files are skipped. Every error is an [*Error].
func Load(paths []string, stdin io.Reader, limits Limits) ([]council.Document, []Skipped, error) {
	// Without a working directory absolute names stay as they are: nothing else depends on it.
	dir, _ := os.Getwd()
	l := &loader{limits: limits.filled(), dir: dir, seen: map[string]bool{}, names: map[string]bool{}}
	for _, path := range paths {
		if err := l.load(path, stdin); err != nil {
			return nil, nil, err
		}
	}
	return l.docs, l.skipped, nil
}

// loader is one call of Load.
type loader struct {
	limits  Limits
	dir     string
	seen    map[string]bool // resolved paths of what was loaded
	names   map[string]bool // of the documents: members quote by them
	docs    []council.Document
	skipped []Skipped
	total   int64
}

// add keeps a document, unless it is empty, too much or called like another.
func (l *loader) add(name, text string) error {
	if blank(text) {
		l.skip(name, "it is empty")
		return nil
	}
	if l.names[name] {
		return &Error{Path: name, Problem: "two documents have this name, and members quote by it",
			Advice: "Give one of them another name."}
	}
	if l.total += int64(len(text)); l.total > l.limits.Total {
		return &Error{Path: name,
			Problem: fmt.Sprintf("with it the context has %s, and the limit is %s in all", size(l.total), size(l.limits.Total)),
			Advice:  "Name fewer or smaller files."}
	}
	l.names[name] = true
	l.docs = append(l.docs, council.NewDocument(name, text))
	return nil
}

func (l *loader) skip(name, reason string) {
	l.skipped = append(l.skipped, Skipped{Name: hostile.Line(name), Reason: reason})
}
