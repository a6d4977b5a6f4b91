package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// readText reads a whole text of at most limit bytes and normalises it.
func readText(r io.Reader, limit int64) (string, *Error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return "", unreadable(err)
	case int64(len(raw)) > limit && bytes.IndexByte(raw, 0) < 0:
		return "", &Error{
			Problem: fmt.Sprintf("it is larger than %s, the limit for one document%s", size(limit), found(r)),
			Advice:  "Cut it down to what the council needs.",
		}
	}
	return normalise(raw)
}

// found tells how large a file is, where its system knows.
func found(r io.Reader) string {
	f, ok := r.(fs.File)
	if !ok {
		return ""
	}
	stat, err := f.Stat()
	if err != nil || !stat.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf(" (it has %s)", size(stat.Size()))
}

// normalise makes text of bytes: UTF-8 without a byte order mark, lines ended by LF.
func normalise(raw []byte) (string, *Error) {
	utf16 := bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff})
	switch {
	case utf16:
		return "", &Error{Problem: "it is UTF-16, not UTF-8 text", Advice: "Convert it to UTF-8."}
	case bytes.IndexByte(raw, 0) >= 0:
		return "", &Error{Problem: "it is binary, not UTF-8 text", Advice: "Name a text file, or convert it to one."}
	case !utf8.Valid(raw):
		return "", &Error{Problem: "it is not UTF-8 text", Advice: "Convert it to UTF-8, or name another file."}
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// unreadable puts a system's error into the words of a refusal.
func unreadable(err error) *Error {
	cause := err
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Error{Problem: "it does not exist", Advice: "Check the path.", Err: err}
	}
	return &Error{Problem: "it cannot be read: " + cause.Error(), Advice: "Check the path and its permissions.", Err: err}
}

// size writes a number of bytes for people: exact, in the largest unit that divides it.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Plain makes text of the bytes of a file: UTF-8 without a byte order mark, lines ended by LF. The error says why it is
// none, in a clause.
func Plain(raw []byte) (string, error) {
	text, r := normalise(raw)
	if r != nil {
		return "", errors.New(r.Problem)
	}
	return text, nil
}
