// Package atomicfile is the file layer: every operation by which council changes the disk passes its interfaces, so
// that a test can fail, halve or cut short any one of them.
//
// There are two ways to write. [Write] replaces a whole file, or leaves the old one: a temporary file in the same
// folder, fsync, rename, fsync of the folder. ([Stream] does so piece by piece; [WriteUnsynced] without the fsyncs.) A
// [Tail] grows a file at its end by one WriteAt each, followed by an fsync where the bytes must last. Nothing is tried
// again after a failed fsync: the kernel may have dropped the pages.
//
// A [Lock] keeps other processes from writing, and [Explain] puts errors of files into plain words.
package atomicfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// ErrStale: a layer has refused a write, because the file was changed elsewhere since it was read. Read it again.
var ErrStale = errors.New("the file was changed elsewhere meanwhile")

// Files is one folder, and all that may be done in it. Names use forward slashes and never lead out of the folder, by
// ".." or by a symlink. Errors are of type [fs.PathError] where the operating system gave them. It is safe for
// concurrent use.
type Files interface {
	// Open opens an existing regular file for reading. A symlink is refused with [ErrLink].
	Open(name string) (File, error)
	// Create makes a new file of mode 0600, for reading and writing. It fails with [fs.ErrExist] if there is one.
	Create(name string) (File, error)
	// Edit opens an existing regular file for reading and writing. A symlink is refused with [ErrLink].
	Edit(name string) (File, error)
	// Mkdir makes a folder of mode 0700.
	Mkdir(name string) error
	// Folder opens a folder within this one, to be closed. It refuses a symlink ([ErrLink]) and files ([fs.ErrInvalid]).
	Folder(name string) (Files, error)
	// Rename renames a file, replacing another one, in the same folder; a folder may also move to another path.
	Rename(from, to string) error
	// Remove deletes a file or an empty folder.
	Remove(name string) error
	// Sync makes files created, renamed and removed directly in this folder durable.
	Sync() error
	// Lstat describes a file without following a symlink.
	Lstat(name string) (fs.FileInfo, error)
	// List returns the entries of this folder, sorted by name.
	List() ([]fs.DirEntry, error)
	// Path is the folder's path for messages to people.
	Path() string
	// Close releases the folder. Files opened in it stay open.
	Close() error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	// Truncate cuts the file to size bytes.
	Truncate(size int64) error
	// Sync makes the writes durable.
	Sync() error
	// Size is the file's length in bytes.
	Size() (int64, error)
	Close() error
}

// Within runs do in a folder of another.
func Within(files Files, name string, do func(Files) error) error {
	folder, err := files.Folder(name)
	if err != nil {
		return err
	}
	return errors.Join(do(folder), folder.Close())
}

// WithinMade is Within for a folder that is made, as by [EnsureFolder], if there is none.
func WithinMade(files Files, name string, do func(Files) error) error {
	if err := EnsureFolder(files, name); err != nil {
		return err
	}
	return Within(files, name, do)
}

// WithinAny is Within, except that it does nothing when the folder does not exist.
func WithinAny(files Files, name string, do func(Files) error) error {
	found := false
	err := Within(files, name, func(folder Files) error {
		found = true
		return do(folder)
	})
	if !found && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ListFolder lists a folder within another; a missing one is empty.
func ListFolder(files Files, name string) (entries []fs.DirEntry, err error) {
	err = WithinAny(files, name, func(folder Files) error {
		entries, err = folder.List()
		return err
	})
	return entries, err
}

// InMemory returns an open file that holds data and cannot be written.
func InMemory(data []byte) File { return memoryFile{text: bytes.NewReader(data)} }

type memoryFile struct {
	File // nil: it cannot be written
	text *bytes.Reader
}

func (h memoryFile) ReadAt(p []byte, at int64) (int, error) { return h.text.ReadAt(p, at) }
func (h memoryFile) Size() (int64, error)                   { return h.text.Size(), nil }
func (h memoryFile) Close() error                           { return nil }

// ErrLink is returned for a symlink where a file or folder of our own is expected. Nothing behind it was opened.
var ErrLink = errors.New("it is a symbolic link, and those are not followed")

// OpenDir opens a folder of the operating system, to be closed. A symlink is followed here, and none below.
func OpenDir(path string) (Files, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		if info, failed := os.Stat(path); failed == nil && !info.IsDir() { // it says so in words of its own
			err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
		}
		return nil, err
	}
	return &dir{root}, nil
}

type dir struct{ root *os.Root }

func (d *dir) Open(name string) (File, error) { return d.open(name, os.O_RDONLY) }
func (d *dir) Edit(name string) (File, error) { return d.open(name, os.O_RDWR) }

// open refuses anything but a regular file. os.Root keeps a symlink that appears after the check within the folder.
func (d *dir) open(name string, flag int) (File, error) {
	info, err := LookUp(d.root, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, refusal(d.root, name, fs.ErrInvalid)
	}
	return d.openFile(name, flag, 0)
}

func (d *dir) openFile(name string, flag int, mode fs.FileMode) (File, error) {
	f, err := d.root.OpenFile(name, flag, mode)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

// LookUp describes a file of a folder. It refuses a symlink anywhere on the way to it with [ErrLink].
func LookUp(root *os.Root, name string) (info fs.FileInfo, err error) {
	steps := strings.Split(name, "/")
	for i := range steps {
		if info, err = root.Lstat(strings.Join(steps[:i+1], "/")); err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, refusal(root, name, ErrLink)
		}
	}
	return info, nil
}

func refusal(root *os.Root, name string, why error) error {
	return &fs.PathError{Op: "open", Path: filepath.Join(root.Name(), name), Err: why}
}

func (d *dir) Create(name string) (File, error) {
	return d.openFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d *dir) Mkdir(name string) error                { return d.root.Mkdir(name, 0o700) }
func (d *dir) Rename(from, to string) error           { return d.root.Rename(from, to) }
func (d *dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
func (d *dir) Path() string                           { return d.root.Name() }
func (d *dir) Close() error                           { return d.root.Close() }

// Remove falls back to the file's path where Windows has no deletion by handle: some file systems there, such as those
// of network drives and of Wine, answer it with ERROR_INVALID_FUNCTION.
func (d *dir) Remove(name string) error {
	const invalidFunction = syscall.Errno(1)
	err := d.root.Remove(name)
	if runtime.GOOS == "windows" && errors.Is(err, invalidFunction) {
		return os.Remove(filepath.Join(d.Path(), name))
	}
	return err
}

func (d *dir) Folder(name string) (Files, error) {
	info, err := LookUp(d.root, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, refusal(d.root, name, fs.ErrInvalid)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	// The opened folder must be the checked one: a symlink may have taken its place meanwhile.
	opened, err := root.Stat(".")
	if err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(refusal(d.root, name, ErrLink), root.Close())
	}
	return &dir{root}, nil
}

func (d *dir) Sync() error {
	if runtime.GOOS == "windows" { // folders cannot be synced there; a rename is logged by the file system
		return nil
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *dir) List() ([]fs.DirEntry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	entries, err := readDir(f, d.root)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, f.Close())
}

type file struct{ *os.File }

func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// EnsurePath makes the missing folders of a path through the layer. With an error it returns the failed one.
func EnsurePath(path string, through func(Files) Files) (failed string, err error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return path, err
	}
	parent := filepath.Dir(full)
	if _, err := os.Stat(full); !errors.Is(err, fs.ErrNotExist) || parent == full {
		return "", nil
	}
	if failed, err := EnsurePath(parent, through); err != nil {
		return failed, err
	}
	dir, err := OpenDir(parent)
	if err == nil {
		err = errors.Join(EnsureFolder(through(dir), filepath.Base(full)), dir.Close())
	}
	return full, err
}

// RefuseLinks returns an [ErrLink] when an existing step of the path below the folder base is a symlink.
func RefuseLinks(base, path string) error {
	base, err := filepath.Abs(base)
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	below, err := filepath.Rel(base, path)
	if err != nil || !filepath.IsLocal(below) || below == "." {
		return nil
	}
	for step := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		base = filepath.Join(base, step)
		info, err := os.Lstat(base)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return &fs.PathError{Op: "open", Path: base, Err: ErrLink}
		}
	}
	return nil
}

// explanations explain the system's errors. The first that matches counts.
var explanations = []struct {
	is   error
	says string
}{
	{fs.ErrNotExist, "there is no such file or folder"},
	{fs.ErrPermission, "this user may not read it"},
	{syscall.EISDIR, "it is a folder, not a file"},
	{syscall.ENOTDIR, "a part of its path is a file, not a folder"},
	{syscall.ENAMETOOLONG, "its name is too long for this system"},
	{syscall.EINVAL, "its name is not one that this system allows"},
}

// Explain returns in plain words why a file could not be read, without its path, or decoded as JSON. It wraps no other
// error.
func Explain(err error) error {
	for _, w := range explanations {
		if errors.Is(err, w.is) {
			return errors.New(w.says)
		}
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := "it"
		if kind.Field != "" {
			field = fmt.Sprintf("%q", kind.Field)
		}
		return fmt.Errorf("%s takes %s, not %s", field, cmp.Or(kindWords[kind.Type.Kind().String()], "a whole number"),
			cmp.Or(kindWords[kind.Value], kind.Value))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("it is not JSON: %v (byte %d)", syntax, syntax.Offset)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends before its JSON is whole")
	}
	if field, ok := strings.CutPrefix(fmt.Sprint(err), "json: unknown field "); ok {
		return fmt.Errorf("there is no field %s", field)
	}
	return err
}

// kindWords are people's words for the decoder's kinds of values, and for Go's kinds of fields. Others take a whole
// number.
var kindWords = map[string]string{
	"string": "a text", "bool": "true or false", "number": "a number", "float32": "a number", "float64": "a number",
	"array": "a list", "slice": "a list", "object": "an object", "struct": "an object", "map": "an object",
}
