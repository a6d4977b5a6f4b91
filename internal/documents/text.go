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

// refusal says why something cannot be a document.
type refusal struct {
	problem string // a clause
	advice  string // a sentence
	err     error  // the system's, if one was the cause
}

// readText reads a whole text of at most limit bytes and normalises it.
func readText(r io.Reader, limit int64) (string, *refusal) {
	// What is binary is known by its beginning, however long it is.
	head := make([]byte, 8<<10)
	n, err := io.ReadFull(r, head)
	if err == nil && bytes.IndexByte(head, 0) >= 0 {
		return normalise(head)
	}
	raw := head[:n]
	if err == nil {
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(r, limit+1-int64(n)))
		raw = append(raw, rest...)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", unreadable(err)
	}
	if int64(len(raw)) > limit {
		return "", &refusal{
			problem: fmt.Sprintf("it is larger than %s, the limit for one document%s", size(limit), found(r)),
			advice:  "Cut it down to what the council needs.",
		}
	}
	return normalise(raw)
}

// found says how large a file is, where its system knows.
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
func normalise(raw []byte) (string, *refusal) {
	utf16 := bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff})
	switch {
	case utf16:
		return "", &refusal{problem: "it is UTF-16, not UTF-8 text", advice: "Convert it to UTF-8."}
	case bytes.IndexByte(raw, 0) >= 0:
		return "", &refusal{problem: "it is binary, not UTF-8 text", advice: "Name a text file, or convert it to one."}
	case !utf8.Valid(raw):
		return "", &refusal{problem: "it is not UTF-8 text", advice: "Convert it to UTF-8, or name another file."}
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

// unreadable puts a system's error into the words of a refusal.
func unreadable(err error) *refusal {
	cause := err
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &refusal{problem: "it does not exist", advice: "Check the path.", err: err}
	}
	return &refusal{problem: "it cannot be read: " + cause.Error(), advice: "Check the path and its permissions.", err: err}
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
