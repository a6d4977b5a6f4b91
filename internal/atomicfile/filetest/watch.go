package filetest

import "github.com/council-engine/council/internal/atomicfile"

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
	opened, err := f.Files.Open(name)
	return f.file(name, opened, err)
}

func (f *folder) Edit(name string) (atomicfile.File, error) {
	opened, err := f.Files.Edit(name)
	return f.file(name, opened, err)
}

// file puts the plan before an open file. A file that nobody was told of is closed.
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
	inner, err := f.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return &folder{inner, f.plan}, nil
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
