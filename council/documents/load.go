package documents

import (
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/internal/hostile"
)

// nothingInIt is what is wrong with a file that holds spaces at most.
const nothingInIt = "it is empty"

// way returns how to take one path as a person named it, and whether it stands for what lies in it, not for itself.
func (l *loader) way(path string, stdin io.Reader) (load func() error, brings bool) {
	refuse := func(e *Error) (func() error, bool) { return func() error { return e }, false }
	switch {
	case path == "":
		return refuse(&Error{Problem: "the path is empty",
			Advice: "Name a file, a folder, a pattern, or - for standard input."})
	case path == "-":
		return func() error { return l.standardInput(stdin) }, false
	case strings.Contains(path, "://"):
		return refuse(refuseURL(path))
	}
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isPattern(path):
		return func() error { return l.pattern(path) }, true
	case err != nil:
		r := unreadable(err)
		r.Path = path
		return refuse(r)
	case stat.IsDir():
		return func() error { return l.folder(path) }, true
	}
	return func() error {
		err := l.file(path, func() (*os.File, error) { return os.Open(path) })
		var refused *Error
		if errors.As(err, &refused) && refused.Path == "" {
			refused.Path = path
		}
		return err
	}, false
}

func (l *loader) standardInput(stdin io.Reader) error {
	const name = "stdin"
	if l.seen["-"] {
		return nil
	}
	l.seen["-"] = true
	text, r := readText(stdin, l.limits.File)
	if r == nil && blank(text) {
		r = &Error{Problem: "nothing came", Advice: "Pipe a text into council, or leave - out."}
	}
	if r != nil {
		return &Error{Path: "standard input", Ours: true, Problem: r.Problem, Advice: r.Advice, Err: r.Err}
	}
	return l.add(name, text)
}

// refuseURL names only the host of a URL: the rest may hold a password or a token.
func refuseURL(path string) *Error {
	shown := "a URL"
	if u, err := url.Parse(path); err == nil && u.Host != "" {
		shown = u.Scheme + "://" + u.Host
	}
	return &Error{Path: shown, Problem: "it is a URL, and council does not fetch",
		Advice: "Download it and name the file."}
}

// file loads one file. An [Error] without a path says why it cannot be used; any other error stops the whole load.
//
// A name like that of a secret is refused only where the person did not give it: behind a link.
func (l *loader) file(path string, open func() (*os.File, error)) error {
	name := l.name(path)
	if hostile.Line(name) != name {
		return &Error{Problem: "its name holds characters that do not print", Advice: "Rename it."}
	}
	resolved, err := resolve(path)
	switch {
	case err != nil:
		return unreadable(err)
	case Secret(resolved) && !Secret(path):
		return secretRefusal()
	case l.seen[resolved]:
		return nil
	}
	f, err := open()
	if err != nil {
		return unreadable(err)
	}
	defer f.Close()
	if stat, err := f.Stat(); err != nil {
		return unreadable(err)
	} else if kind := stat.Mode().Type(); kind != 0 && kind != fs.ModeNamedPipe { // a device could answer for ever
		return &Error{Problem: "it is not a regular file", Advice: "Name a text file, or - for standard input."}
	}
	text, r := readText(f, l.limits.File)
	switch {
	case r != nil:
		return r
	case blank(text):
		return &Error{Problem: nothingInIt, Advice: "Leave it out, or name a file that holds text."}
	}
	l.seen[resolved] = true
	return l.add(name, text)
}

// resolve returns the one path under which a file is known, however it was reached.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// name returns what members quote: the path with forward slashes, relative where it lies below the working directory.
func (l *loader) name(path string) string {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(l.dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}
