// Package atomicfile is the file layer: every operation by which council changes the disk passes its interfaces, so
// that a test can fail, halve or cut short any one of them.
//
// There are two ways to write. [Write] replaces a whole file, or leaves the old one: a temporary file in the same
// folder, fsync, rename, fsync of the folder. ([Stream] does so piece by piece; [Put] without the fsyncs.) A [Tail]
// grows a file at its end by one WriteAt each, followed by an fsync where the bytes must last. Nothing is tried again
// after a failed fsync: the kernel may have dropped the pages.
//
// A [Lock] is the right to write what several processes might, and [Explain] puts errors of files into plain words.
package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
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
	// Folder opens a folder within this one. A symlink is refused with [ErrLink], any other file with [fs.ErrInvalid].
	// The caller closes it.
	Folder(name string) (Files, error)
	// Rename gives a file a new name in the same folder and replaces what had it. A folder it may also move into another
	// one, by its path.
	Rename(from, to string) error
	// Remove deletes a file or an empty folder.
	Remove(name string) error
	// Sync makes what was created, renamed and removed directly in this folder last.
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
	// Sync makes what was written last.
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

// WithinAny is Within, except that nothing is done, and nothing returned, when the folder is not there.
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

// ListFolder lists a folder within another; nothing when it is not there.
func ListFolder(files Files, name string) (entries []fs.DirEntry, err error) {
	err = WithinAny(files, name, func(folder Files) error {
		entries, err = folder.List()
		return err
	})
	return entries, err
}

// Held returns an open file that holds data and cannot be written.
func Held(data []byte) File { return held{text: bytes.NewReader(data)} }

// held is an open file in memory.
type held struct {
	File // nil: it cannot be written
	text *bytes.Reader
}

func (h held) ReadAt(p []byte, at int64) (int, error) { return h.text.ReadAt(p, at) }
func (h held) Size() (int64, error)                   { return h.text.Size(), nil }
func (h held) Close() error                           { return nil }
