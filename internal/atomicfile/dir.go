package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// ErrLink is returned for a symlink where a file or folder of our own is expected. Nothing behind it was opened.
var ErrLink = errors.New("it is a symbolic link, and those are not followed")

// OpenDir opens a folder of the operating system. A symlink to a folder is followed here, because the user named it;
// none is followed below. The caller closes it.
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

// dir is a folder of the operating system.
type dir struct{ root *os.Root }

func (d *dir) Open(name string) (File, error) { return d.open(name, os.O_RDONLY) }
func (d *dir) Edit(name string) (File, error) { return d.open(name, os.O_RDWR) }

// open refuses what is not a regular file. os.Root keeps a symlink that appears after the check within the folder.
func (d *dir) open(name string, flag int) (File, error) {
	info, err := d.look(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, d.refuse(name, fs.ErrInvalid)
	}
	f, err := d.root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

// look describes a file, and refuses a symlink anywhere on the way to it.
func (d *dir) look(name string) (info fs.FileInfo, err error) {
	steps := strings.Split(name, "/")
	for i := range steps {
		if info, err = d.root.Lstat(strings.Join(steps[:i+1], "/")); err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, d.refuse(name, ErrLink)
		}
	}
	return info, nil
}

func (d *dir) refuse(name string, why error) error {
	return &fs.PathError{Op: "open", Path: filepath.Join(d.Path(), name), Err: why}
}

func (d *dir) Create(name string) (File, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
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
	info, err := d.look(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, d.refuse(name, fs.ErrInvalid)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	// What was opened must be what was looked at: a symlink may have taken its place meanwhile.
	opened, err := root.Stat(".")
	if err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(d.refuse(name, ErrLink), root.Close())
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
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// file is a file of the operating system.
type file struct{ *os.File }

func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
