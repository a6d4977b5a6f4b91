package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Tail is a file that only grows. After the first error every call returns that error: the state of the disk is unknown
// until the file is read again. It belongs to one goroutine.
type Tail struct {
	name string
	file File
	end  int64
	err  error
}

// OpenTail opens an existing file for growing. end is its length in bytes.
func OpenTail(files Files, name string, end int64) (*Tail, error) {
	f, err := files.Edit(name)
	if err != nil {
		return nil, wrap("open", name, err)
	}
	return &Tail{name: name, file: f, end: end}, nil
}

// CreateTail opens a file for growing, with its content if it exists.
func CreateTail(files Files, name string) (*Tail, error) {
	f, made, err := createOrEdit(files, name)
	if err != nil {
		return nil, wrap("create", name, err)
	}
	t := &Tail{name: name, file: f}
	if made {
		err = files.Sync()
	} else {
		t.end, err = f.Size()
	}
	if err != nil {
		return nil, wrap("create", name, errors.Join(err, f.Close()))
	}
	return t, nil
}

// createOrEdit opens a file that is made if there is none, and reports whether it was.
func createOrEdit(files Files, name string) (f File, made bool, err error) {
	if f, err = files.Create(name); errors.Is(err, fs.ErrExist) {
		f, err = files.Edit(name)
		return f, false, err
	}
	return f, err == nil, err
}

// Append writes p over the last over bytes of the file, in one WriteAt, and returns when it lasts.
func (t *Tail) Append(p []byte, over int64) error {
	if err := t.Grow(p, over); err != nil {
		return err
	}
	t.err = wrap("sync", t.name, t.file.Sync())
	return t.err
}

// Grow is Append without the fsync, for derived files.
func (t *Tail) Grow(p []byte, over int64) error {
	if t.err != nil || len(p) == 0 {
		return t.err
	}
	at := t.end - over
	if _, err := t.file.WriteAt(p, at); err != nil {
		t.err = wrap("write", t.name, err)
		return t.err
	}
	t.end = at + int64(len(p))
	return nil
}

// Cut shortens the file to size bytes and returns when that lasts.
func (t *Tail) Cut(size int64) error {
	if t.err != nil {
		return t.err
	}
	err := t.file.Truncate(size)
	if err == nil {
		t.end = size
		err = t.file.Sync()
	}
	t.err = wrap("cut", t.name, err)
	return t.err
}

// End returns the length of the file in bytes.
func (t *Tail) End() int64 { return t.end }

// Close closes the file.
func (t *Tail) Close() error { return wrap("close", t.name, t.file.Close()) }

// MendEnd replaces the torn end of a file, cut, which follows its first good bytes, by end. Unless end begins with it,
// cut is kept in a file beside. It returns the length of the file. Killed at any point, it can be done again.
func MendEnd(files Files, name string, good int64, cut []byte, end string) (size int64, err error) {
	if said := bytes.TrimRight(cut, "\x00"); !strings.HasPrefix(end, string(said)) {
		if err := keepCut(files, name, cut); err != nil {
			return 0, err
		}
	}
	tail, err := OpenTail(files, name, good+int64(len(cut)))
	if err != nil {
		return 0, err
	}
	err = tail.Cut(good)
	if err == nil && end != "" {
		err = tail.Append([]byte(end), 0)
	}
	return tail.End(), errors.Join(err, tail.Close())
}

// keepCut writes a torn end to the first name of the form <name>.torn-<n> that is free or holds the same.
func keepCut(files Files, name string, cut []byte) error {
	for n := 1; ; n++ {
		beside := fmt.Sprintf("%s.%s-%d", name, Torn, n)
		held, err := Read(files, beside)
		if errors.Is(err, fs.ErrNotExist) {
			return Write(files, beside, cut)
		}
		if err != nil {
			return err
		}
		if bytes.Equal(held, cut) {
			return nil
		}
	}
}
