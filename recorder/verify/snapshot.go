package verify

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/render"
	"github.com/council-engine/council/recorder/wire"
)

// snapshot is a folder as it was read at one time: its list of files, and the content of those that are compared. No
// other file can be opened, and nothing can be written.
type snapshot struct {
	atomicfile.Files
	entries       []fs.DirEntry
	listed        error
	held          map[string]content
	conversations *snapshot // nil when their folder could not be opened, with failed
	failed        error
}

// content holds what a file held, or the error of reading it.
type content struct {
	data []byte
	err  error
}

// take reads everything in a session's folder that is compared with the log.
func take(files atomicfile.Files) *snapshot {
	s := list(files, func(name string) bool { return render.Derived(name) || name == anchor.File })
	folder, err := files.Folder(conversation.Folder)
	if err == nil {
		s.conversations = list(folder, func(string) bool { return true })
		err = folder.Close()
	}
	s.failed = err
	return s
}

// list reads the files of one folder that are wanted.
func list(files atomicfile.Files, wanted func(name string) bool) *snapshot {
	s := &snapshot{Files: files, held: map[string]content{}}
	s.entries, s.listed = files.List()
	for _, e := range s.entries {
		if wanted(e.Name()) {
			data, err := atomicfile.Read(files, e.Name())
			s.held[e.Name()] = content{data, errors.Unwrap(err)}
		}
	}
	return s
}

// List returns the entries as they were listed.
func (s *snapshot) List() ([]fs.DirEntry, error) { return s.entries, s.listed }

// Folder returns the conversations.
func (s *snapshot) Folder(string) (atomicfile.Files, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	return s.conversations, nil
}

// Open opens a file as it was read.
func (s *snapshot) Open(name string) (atomicfile.File, error) {
	switch c, ok := s.held[name]; {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case c.err != nil:
		return nil, c.err
	default:
		return atomicfile.Held(c.data), nil
	}
}

// Close does nothing: whoever opened the folder closes it.
func (s *snapshot) Close() error { return nil }

// earlier returns how many events of a log stood there when it was first read, before the files of the session were.
// extends reports whether the log begins with them.
func earlier(log *wire.Log, now, before []byte) (events int, extends bool) {
	if bytes.Equal(now, before) {
		return len(log.Entries), true
	}
	first, _ := wire.Scan(log.Session, before) // what comes before damage is enough
	n := len(first.Entries)
	return n, n == 0 || n <= len(log.Entries) && log.Entries[n-1].Sum == first.Entries[n-1].Sum
}
