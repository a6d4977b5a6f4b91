// Package filetest watches and breaks a file layer in tests.
package filetest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/council-engine/council/internal/atomicfile"
)

// ErrKilled is the error of every operation once the process counts as killed.
var ErrKilled = errors.New("killed in a test")

// Moment is where within an operation a Plan strikes.
type Moment int

// The moments: nothing of the operation is done; half of its write is; all of it is, but the caller gets an error. For
// operations that write nothing, half means nothing.
const (
	Before Moment = iota
	Half
	After
)

// Plan watches all changes to a tree of folders and may strike one of them. The zero Plan strikes none. It is safe for
// concurrent use; its fields must not change while it is in use.
type Plan struct {
	At      int    // the operation to strike, counted from 1; 0 strikes none
	On      string // the operation to strike, as [Plan.Operations] names it; for files that are written in parallel
	Moment  Moment // where within it
	Err     error  // of the operation; nil kills: it and all later ones return [ErrKilled]
	Forever bool   // with Err: later operations of the same kind return it too
	NoSync  bool   // syncs are counted and not done: the kernel keeps the writes of a process that dies
	// Ahead is called ahead of every operation on a file or folder, with its kind: those that change the disk, and open,
	// edit, folder, list and read. nil calls nothing.
	Ahead func(kind, name string)
	Read  atomic.Int64 // bytes so far

	mu      sync.Mutex
	names   []string
	nth     map[string]int
	count   int
	killed  bool
	struck  string // the kind of the operation that was struck
	what    string
	written int64
}

// Count returns the number of operations so far that change the disk.
func (p *Plan) Count() int { p.mu.Lock(); defer p.mu.Unlock(); return p.count }

// Written returns the number of bytes written so far.
func (p *Plan) Written() int64 { p.mu.Lock(); defer p.mu.Unlock(); return p.written }

// Operations names the operations so far, in order. An operation on one file has the same name in every run, also when
// several files are written in parallel.
func (p *Plan) Operations() []string { p.mu.Lock(); defer p.mu.Unlock(); return slices.Clone(p.names) }

// temporary matches the unique part of a temporary file's name.
var temporary = regexp.MustCompile(`\.\d+-\d+\.tmp$`)

// next counts an operation and names it.
func (p *Plan) next(kind, name string) string {
	p.count++
	if p.nth == nil {
		p.nth = map[string]int{}
	}
	name = kind + " " + temporary.ReplaceAllString(filepath.Base(name), ".tmp")
	p.nth[name]++
	name = fmt.Sprintf("%s #%d", name, p.nth[name])
	p.names = append(p.names, name)
	return name
}

// Struck describes the operation that was struck, or is empty.
func (p *Plan) Struck() string { p.mu.Lock(); defer p.mu.Unlock(); return p.what }

// Watch returns files with the plan in between.
func (p *Plan) Watch(files atomicfile.Files) atomicfile.Files { return &folder{files, p} }

func (p *Plan) ahead(kind, name string) {
	if p.Ahead != nil {
		p.Ahead(kind, name)
	}
}

// do runs one operation of the given kind, or fails as planned. half runs half of it and may be nil.
func (p *Plan) do(kind, name string, op, half func() error) error {
	p.ahead(kind, name)
	p.mu.Lock()
	defer p.mu.Unlock()
	named := p.next(kind, name)
	switch {
	case p.killed:
		return ErrKilled
	case p.count == p.At || named == p.On:
	case p.Err != nil && p.Forever && p.struck == kind:
		return p.Err
	default:
		return op()
	}
	p.struck, p.what = kind, fmt.Sprintf("%s %s", kind, name)
	p.killed = p.Err == nil
	switch {
	case p.Moment == After:
		if err := op(); err != nil {
			return err
		}
	case p.Moment == Half && half != nil:
		if err := half(); err != nil {
			return err
		}
	}
	if p.killed {
		return ErrKilled
	}
	return p.Err
}

// sync returns how a sync is done under the plan.
func (p *Plan) sync(real func() error) func() error {
	if p.NoSync {
		return func() error { return nil }
	}
	return real
}

// folder is a folder under a plan.
type folder struct {
	atomicfile.Files
	plan *Plan
}

func (f *folder) Create(name string) (atomicfile.File, error) {
	var made atomicfile.File
	err := f.plan.do("create", name, func() (err error) { made, err = f.Files.Create(name); return err }, nil)
	return f.file(name, made, err)
}

func (f *folder) Open(name string) (atomicfile.File, error) {
	f.plan.ahead("open", name)
	opened, err := f.Files.Open(name)
	return f.file(name, opened, err)
}

func (f *folder) Edit(name string) (atomicfile.File, error) {
	f.plan.ahead("edit", name)
	opened, err := f.Files.Edit(name)
	return f.file(name, opened, err)
}

// file puts the plan before an open file, and closes it if the caller gets an error.
func (f *folder) file(name string, opened atomicfile.File, err error) (atomicfile.File, error) {
	if err != nil {
		if opened != nil {
			_ = opened.Close()
		}
		return nil, err
	}
	return &file{opened, name, f.plan}, nil
}

func (f *folder) Mkdir(name string) error {
	return f.plan.do("mkdir", name, func() error { return f.Files.Mkdir(name) }, nil)
}

func (f *folder) Folder(name string) (atomicfile.Files, error) {
	f.plan.ahead("folder", name)
	inner, err := f.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return &folder{inner, f.plan}, nil
}

func (f *folder) List() ([]fs.DirEntry, error) {
	f.plan.ahead("list", f.Path())
	return f.Files.List()
}

func (f *folder) Rename(from, to string) error {
	return f.plan.do("rename", to, func() error { return f.Files.Rename(from, to) }, nil)
}

func (f *folder) Remove(name string) error {
	return f.plan.do("remove", name, func() error { return f.Files.Remove(name) }, nil)
}

func (f *folder) Sync() error {
	return f.plan.do("sync folder", f.Path(), f.plan.sync(f.Files.Sync), nil)
}

// file is a file under a plan.
type file struct {
	atomicfile.File
	name string
	plan *Plan
}

func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.plan.ahead("read", f.name)
	n, err := f.File.ReadAt(p, at)
	f.plan.Read.Add(int64(n))
	return n, err
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	n := 0
	write := func(p []byte) func() error {
		return func() (err error) {
			n, err = f.File.WriteAt(p, at)
			f.plan.written += int64(n)
			return err
		}
	}
	err := f.plan.do("write", f.name, write(p), write(p[:len(p)/2]))
	return n, err
}

func (f *file) Truncate(size int64) error {
	return f.plan.do("truncate", f.name, func() error { return f.File.Truncate(size) }, nil)
}

func (f *file) Sync() error { return f.plan.do("sync", f.name, f.plan.sync(f.File.Sync), nil) }
