package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

const nothingInIt = "it is empty" // the problem of a blank file

// load loads a named path: with inside only a folder or a pattern, and without it only anything else.
func (l *loader) load(path string, stdin io.Reader, inside bool) error {
	stat, err := os.Stat(path)
	isFile := path != "" && path != "-" && !strings.Contains(path, "://")
	isPattern := isFile && errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?[{")
	isFolder := isFile && err == nil && stat.IsDir()
	switch {
	case inside != (isPattern || isFolder):
		return nil
	case isPattern:
		return l.pattern(path)
	case isFolder:
		return l.folder(path)
	case path == "":
		return &Error{Problem: "the path is empty", Advice: "Name a file, a folder, a pattern, or - for standard input."}
	case path == "-":
		return l.standardInput(stdin)
	case !isFile:
		return refuseURL(path)
	case err != nil:
		err = unreadableError(err)
	default:
		err = l.file(path, func() (*os.File, error) { return os.Open(path) })
	}
	if refused, ok := errors.AsType[*Error](err); ok && refused.Path == "" {
		refused.Path = path
	}
	return err
}

func (l *loader) standardInput(stdin io.Reader) error {
	if l.seen["-"] {
		return nil
	}
	l.seen["-"] = true
	text, r := readText(stdin, l.limits.File)
	if r == nil && isBlank(text) {
		r = &Error{Problem: "nothing came", Advice: "Pipe a text into council, or leave - out."}
	}
	if r != nil {
		return &Error{Path: "standard input", Ours: true, Problem: r.Problem, Advice: r.Advice, Err: r.Err}
	}
	return l.add("stdin", text)
}

// refuseURL shows only the host of a URL: the rest may contain a password or a token.
func refuseURL(path string) *Error {
	shown := "a URL"
	if u, err := url.Parse(path); err == nil && u.Host != "" {
		shown = u.Scheme + "://" + u.Host
	}
	return &Error{Path: shown, Problem: "it is a URL, and council does not fetch",
		Advice: "Download it and name the file."}
}

// file loads one file. An [Error] without a path says why it cannot be used; any other error ends the load.
//
// A name like that of a secret is refused only behind a link: otherwise the person gave it.
func (l *loader) file(path string, open func() (*os.File, error)) error {
	name := l.name(path)
	if hostile.Line(name) != name {
		return &Error{Problem: "its name holds characters that do not print", Advice: "Rename it."}
	}
	resolved, err := resolve(path)
	switch {
	case err != nil:
		return unreadableError(err)
	case Secret(resolved) && !Secret(path):
		return secretRefusal()
	case l.seen[resolved]:
		return nil
	}
	f, err := open()
	if err != nil {
		return unreadableError(err)
	}
	defer f.Close()
	if stat, err := f.Stat(); err != nil {
		return unreadableError(err)
	} else if kind := stat.Mode().Type(); kind != 0 && kind != fs.ModeNamedPipe { // a device could answer for ever
		return &Error{Problem: "it is not a regular file", Advice: "Name a text file, or - for standard input."}
	}
	text, r := readText(f, l.limits.File)
	switch {
	case r != nil:
		return r
	case isBlank(text):
		return &Error{Problem: nothingInIt, Advice: "Leave it out, or name a file that holds text."}
	}
	l.seen[resolved] = true
	return l.add(name, text)
}

func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// name returns the name that members quote: the path with forward slashes, relative below the working directory.
func (l *loader) name(path string) string {
	path = filepath.Clean(path)
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(l.dir, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// readText reads a text of at most limit bytes and normalises it.
func readText(r io.Reader, limit int64) (string, *Error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return "", unreadableError(err)
	case int64(len(raw)) > limit && bytes.IndexByte(raw, 0) < 0:
		return "", &Error{Problem: fmt.Sprintf("it is larger than %s, the limit for one document%s", formatSize(limit),
			sizeInWords(r)), Advice: "Cut it down to what the council needs."}
	}
	return normalise(raw)
}

// sizeInWords returns the size of a file in words, where the system knows it.
func sizeInWords(r io.Reader) string {
	if f, ok := r.(fs.File); ok {
		if stat, err := f.Stat(); err == nil && stat.Mode().IsRegular() {
			return fmt.Sprintf(" (it has %s)", formatSize(stat.Size()))
		}
	}
	return ""
}

// normalise decodes a text: UTF-8 without a byte order mark, lines ended by LF.
func normalise(raw []byte) (string, *Error) {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}), bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return "", &Error{Problem: "it is UTF-16, not UTF-8 text", Advice: "Convert it to UTF-8."}
	case bytes.IndexByte(raw, 0) >= 0:
		return "", &Error{Problem: "it is binary, not UTF-8 text", Advice: "Name a text file, or convert it to one."}
	case !utf8.Valid(raw):
		return "", &Error{Problem: "it is not UTF-8 text", Advice: "Convert it to UTF-8, or name another file."}
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

func unreadableError(err error) *Error {
	cause := err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		cause = path.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Problem: "it does not exist", Advice: "Check the path.", Err: err}
	}
	return &Error{Problem: "it cannot be read: " + cause.Error(), Advice: "Check the path and its permissions.", Err: err}
}

// formatSize formats a number of bytes: exact, in the largest unit that divides it.
func formatSize(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// DecodeText decodes a file as text: UTF-8 without a byte order mark, lines ended by LF. The error is a clause.
func DecodeText(raw []byte) (string, error) {
	text, r := normalise(raw)
	if r != nil {
		return "", errors.New(r.Problem)
	}
	return text, nil
}
