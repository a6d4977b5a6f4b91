package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

// temporary files are named ".<name>.<pid>-<n>.tmp": hidden, next to what they become, and never shared.
const temporarySuffix = ".tmp"

var temporaries atomic.Uint64

// Temporary reports whether name is that of an unfinished [Write].
func Temporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, temporarySuffix)
}

// Write makes data the content of the file, durably, or leaves the file as it was. name lies directly in the folder.
func Write(files Files, name string, data []byte) error {
	temporary, err := fill(files, name, data)
	if err == nil {
		if err = files.Rename(temporary, name); err == nil {
			return wrap("write", name, files.Sync())
		}
	}
	if temporary != "" {
		// The write has failed already; what is left behind is cleared by Tidy.
		_ = files.Remove(temporary)
	}
	return wrap("write", name, err)
}

// fill writes data to a new temporary file and returns its name.
func fill(files Files, name string, data []byte) (string, error) {
	f, temporary, err := createTemporary(files, name)
	if err != nil {
		return "", err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	return temporary, errors.Join(err, f.Close())
}

func createTemporary(files Files, name string) (File, string, error) {
	for {
		temporary := fmt.Sprintf(".%s.%d-%d%s", name, os.Getpid(), temporaries.Add(1), temporarySuffix)
		f, err := files.Create(temporary)
		// Another process may have our number, in another container that shares the folder.
		if !errors.Is(err, fs.ErrExist) {
			return f, temporary, err
		}
	}
}

// Tidy removes what unfinished writes have left in the folder. Nobody else may be writing there.
func Tidy(files Files) error {
	entries, err := files.List()
	if err != nil {
		return wrap("read", files.Path(), err)
	}
	for _, e := range entries {
		if Temporary(e.Name()) && e.Type().IsRegular() {
			if err := files.Remove(e.Name()); err != nil {
				return wrap("remove", e.Name(), err)
			}
		}
	}
	return nil
}

// EnsureFolder makes a folder that lasts, unless it is there already.
func EnsureFolder(files Files, name string) error {
	err := files.Mkdir(name)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = files.Sync()
	}
	return err
}

// Read returns the content of the file as long as it is at the moment of the call: what is appended while it reads is
// not seen in part.
func Read(files Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, wrap("read", name, err)
	}
	data, err := readAll(f)
	return data, wrap("read", name, errors.Join(err, f.Close()))
}

func readAll(f File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) { // at the very end, or shortened meanwhile
		err = nil
	}
	return data[:n], err
}

func wrap(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot %s %s: %w", verb, name, err)
}
