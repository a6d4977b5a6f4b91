// Package curator does what follows when a session closes: its step in memory's journal, the books, its episode and
// its turns, the index. All of it follows from the session's log, so it is done again until it is done: a session is
// marked in its workspace when it begins, and the mark is taken away when nothing is left to do.
//
// It is also where a session that begins gets what memory has for it: see [Curator.Remind] and [Curator.Recall].
package curator

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/together"
	"github.com/council-engine/council/memory/chronicle/episodes"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/memory/store"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/index"
)

// Curator is a record with the memory that belongs to it.
type Curator struct {
	Root      *recorder.Root
	Store     *store.Store
	Chronicle *episodes.Files
	options   []store.Option
	closes    *together.Queue[*ending]
	closing   chan struct{} // has one for each close in hand
}

// Open returns the workspace of a record and a folder of memory. It changes nothing; the root stays the caller's.
func Open(root *recorder.Root, memoryDir string, options ...store.Option) (*Curator, error) {
	options = append([]store.Option{store.Sessions(root.Read)}, options...)
	s, err := openStore(root, memoryDir, options)
	if err != nil {
		return nil, err
	}
	return &Curator{Root: root, Store: s, Chronicle: episodes.New(root.Files()), options: options,
		closes: new(together.Queue[*ending]), closing: make(chan struct{}, mostClosing)}, nil
}

// openStore opens the memory in a folder, unless a link leads there from the folder of the record.
func openStore(root *recorder.Root, dir string, options []store.Option) (*store.Store, error) {
	if err := atomicfile.Unlinked(root.Path(), dir); err != nil {
		return nil, fmt.Errorf("cannot open memory: %w; "+
			"put the folder itself there, or name its whole path in storage.memoryDir", err)
	}
	if inside, ok := within(root.Path(), dir); ok {
		return nil, fmt.Errorf("cannot open memory: %s is in %s, where the record keeps files of its own; "+
			"name another folder in storage.memoryDir",
			filepath.ToSlash(dir), filepath.ToSlash(inside))
	}
	return store.Open(dir, options...)
}

// within reports whether dir is, or is in, a folder that the record in root keeps for itself, and which one.
func within(root, dir string) (string, bool) {
	for _, name := range []string{recorder.SessionsFolder, recorder.LocksFolder, recorder.ArchiveFolder, "open", "turns",
		"episodes", roundtable.Folder} {
		inside := filepath.Join(root, name)
		if rel, err := filepath.Rel(absolutePath(inside), absolutePath(dir)); err == nil && filepath.IsLocal(rel) {
			return inside, true
		}
	}
	return "", false
}

// MemoryDir returns where the memory of a charter is when its record is in root: memory that lay in the folder of the
// record went with it when that was moved or named in another way.
func MemoryDir(s council.Storage, root string) string {
	in, err := filepath.Rel(s.RootDir, s.MemoryDir)
	if err != nil || in == ".." || strings.HasPrefix(in, ".."+string(filepath.Separator)) {
		return s.MemoryDir
	}
	return filepath.Join(root, in)
}

// database returns the path of the index.
func (w *Curator) database() string { return filepath.Join(w.Root.Path(), index.File) }
