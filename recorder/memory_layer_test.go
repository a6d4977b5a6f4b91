package recorder_test

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/council-engine/council/internal/atomicfile"
)

// inMemory keeps the files of workspaces in memory; their folders and locks are on disk. It is the smallest layer that
// the contracts of a session can be kept by.
type inMemory struct {
	mu   sync.Mutex
	text map[string][]byte // by path
}

func (m *inMemory) layer(files atomicfile.Files) atomicfile.Files { return &memoryFolder{files, m} }

// tear cuts the last bytes off a file.
func (m *inMemory) tear(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.text[name] = m.text[name][:len(m.text[name])-3]
	return nil
}

type memoryFolder struct {
	atomicfile.Files
	m *inMemory
}

func (f *memoryFolder) path(name string) string { return filepath.Join(f.Path(), name) }

func (f *memoryFolder) Open(name string) (atomicfile.File, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if _, ok := f.m.text[f.path(name)]; !ok {
		return f.Files.Open(name) // a lock, or nothing
	}
	return &memoryFile{f.m, f.path(name)}, nil
}

func (f *memoryFolder) Edit(name string) (atomicfile.File, error) {
	if strings.HasSuffix(name, ".lock") {
		return f.Files.Edit(name)
	}
	return f.Open(name)
}

func (f *memoryFolder) Create(name string) (atomicfile.File, error) {
	if strings.HasSuffix(name, ".lock") {
		return f.Files.Create(name)
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if _, ok := f.m.text[f.path(name)]; ok {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	f.m.text[f.path(name)] = nil
	return &memoryFile{f.m, f.path(name)}, nil
}

func (f *memoryFolder) Folder(name string) (atomicfile.Files, error) {
	inner, err := f.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return &memoryFolder{inner, f.m}, nil
}

func (f *memoryFolder) Rename(from, to string) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.m.text[f.path(to)] = f.m.text[f.path(from)]
	delete(f.m.text, f.path(from))
	return nil
}

func (f *memoryFolder) Remove(name string) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if _, ok := f.m.text[f.path(name)]; !ok {
		return f.Files.Remove(name)
	}
	delete(f.m.text, f.path(name))
	return nil
}

func (f *memoryFolder) Lstat(name string) (fs.FileInfo, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if text, ok := f.m.text[f.path(name)]; ok {
		return fstest.MapFS{"f": {Data: text, Mode: 0o600}}.Stat("f")
	}
	return f.Files.Lstat(name)
}

func (f *memoryFolder) List() ([]fs.DirEntry, error) {
	entries, err := f.Files.List()
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	held := fstest.MapFS{}
	for name, text := range f.m.text {
		if filepath.Dir(name) == filepath.Clean(f.Path()) {
			held[filepath.Base(name)] = &fstest.MapFile{Data: text, Mode: 0o600}
		}
	}
	more, _ := held.ReadDir(".")
	return append(entries, more...), err
}

type memoryFile struct {
	m    *inMemory
	path string
}

func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return bytes.NewReader(f.m.text[f.path]).ReadAt(p, at)
}

func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	text := append([]byte(nil), f.m.text[f.path]...)
	if more := int(at) + len(p) - len(text); more > 0 {
		text = append(text, make([]byte, more)...)
	}
	f.m.text[f.path] = text
	return copy(text[at:], p), nil
}

func (f *memoryFile) Truncate(size int64) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	f.m.text[f.path] = f.m.text[f.path][:size]
	return nil
}

func (f *memoryFile) Sync() error { return nil }

func (f *memoryFile) Size() (int64, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return int64(len(f.m.text[f.path])), nil
}

func (f *memoryFile) Close() error { return nil }
