package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Temporary files are named ".<name>.<pid>-<n>.tmp": hidden, beside the file that they become, and never shared.
const temporarySuffix = ".tmp"

var temporaries atomic.Uint64

// Temporary reports whether name is that of an unfinished [Write].
func Temporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, temporarySuffix)
}

// begun matches the names of temporary files that have the number of a process.
var begun = regexp.MustCompile(`^\..*\.(\d{1,9})-\d+\` + temporarySuffix + `$`)

// Writer returns the process that began an unfinished [Write], by the name of its temporary file, or 0.
func Writer(temporary string) (pid int) {
	if found := begun.FindStringSubmatch(temporary); found != nil {
		pid, _ = strconv.Atoi(found[1]) // of digits
	}
	return pid
}

// Write makes data the content of the file, durably, or leaves the file as it was. name lies directly in the folder.
func Write(files Files, name string, data []byte) error {
	return replace(files, name, true, func(f File) error { return writeAll(f, data) })
}

// WriteUnsynced is Write without the fsyncs, for derived files with one writer at a time. Killed, it leaves the old
// file or the new one, and a temporary file that the next call replaces; a loss of power may leave the file empty.
func WriteUnsynced(files Files, name string, data []byte) error {
	return replace(files, name, false, func(f File) error { return writeAll(f, data) })
}

// unsyncedTemporary returns the name of the temporary file of [WriteUnsynced].
func unsyncedTemporary(name string) string { return "." + name + temporarySuffix }

// Discard removes a file that [WriteUnsynced] wrote, if it is there, and its temporary file.
func Discard(files Files, name string) error {
	for _, name := range []string{name, unsyncedTemporary(name)} {
		_, err := files.Lstat(name)
		if err == nil {
			err = files.Remove(name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap("remove", name, err)
		}
	}
	return nil
}

// Stream is Write for a large file: fill writes it piece by piece, and check reads it back before it gets its name.
func Stream(files Files, name string, fill func(io.Writer) error, check func(File) error) error {
	return replace(files, name, true, func(f File) error {
		const piece = 1 << 20 // bytes
		w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), piece)
		err := fill(w)
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			err = check(f)
		}
		return err
	})
}

func writeAll(f File, data []byte) error {
	_, err := f.WriteAt(data, 0)
	return err
}

// replace makes and fills a temporary file, closes it and renames it. One that lasts is synced.
func replace(files Files, name string, lasts bool, fill func(File) error) error {
	f, temporary, err := create(files, name, lasts)
	if err != nil {
		return wrap("write", name, err)
	}
	err = fill(f)
	if err == nil && lasts {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = files.Rename(temporary, name)
	}
	if err != nil {
		// Tidy removes the file otherwise.
		_ = files.Remove(temporary)
	} else if lasts {
		err = files.Sync()
	}
	return wrap("write", name, err)
}

// create makes a temporary file. For [WriteUnsynced] each name has one, so that the next call finds it.
func create(files Files, name string, lasts bool) (File, string, error) {
	for {
		temporary := unsyncedTemporary(name)
		if lasts {
			temporary = fmt.Sprintf(".%s.%d-%d%s", name, os.Getpid(), temporaries.Add(1), temporarySuffix)
		}
		f, err := files.Create(temporary)
		// Another process may have our number, in another container that shares the folder.
		if !errors.Is(err, fs.ErrExist) {
			return f, temporary, err
		}
		if !lasts {
			if err := files.Remove(temporary); err != nil {
				return nil, "", err
			}
		}
	}
}

// Tidy removes the temporary files of unfinished writes. No other process may be writing in the folder.
func Tidy(files Files) error { return Sweep(files, Temporary) }

// Sweep removes the regular files of a folder whose names are meant.
func Sweep(files Files, meant func(name string) bool) error {
	entries, err := files.List()
	if err != nil {
		return wrap("read", files.Path(), err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && meant(e.Name()) {
			if err := files.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return wrap("remove", e.Name(), err)
			}
		}
	}
	return nil
}

// Mark makes an empty file that lasts, unless it is there already.
func Mark(files Files, name string) error {
	f, err := files.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), files.Sync())
}

// OpenFolder opens a folder within another, which is made, as by [EnsureFolder], if there is none.
func OpenFolder(files Files, name string) (Files, error) {
	if err := EnsureFolder(files, name); err != nil {
		return nil, err
	}
	return files.Folder(name)
}

// EnsureFolder makes a folder that lasts, and those that its path leads through, unless they are there already.
func EnsureFolder(files Files, name string) error {
	first, rest, deeper := strings.Cut(name, "/")
	err := files.Mkdir(first)
	if err == nil {
		err = files.Sync()
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err != nil || !deeper {
		return err
	}
	return Within(files, first, func(in Files) error { return EnsureFolder(in, rest) })
}

// ReadOrdinary reads an ordinary file, which is no pipe, up to most bytes and one more. in is nil for a whole path.
func ReadOrdinary(in *os.Root, name string, most int64) ([]byte, error) {
	stat, open := os.Stat, os.Open
	if in != nil {
		stat, open = in.Stat, in.Open
	}
	info, err := stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not an ordinary file")
	}
	if err != nil {
		return nil, err
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Read returns the content of the file at its present length: a later append is not seen in part.
func Read(files Files, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, wrap("read", name, err)
	}
	data, err := ReadFrom(f, 0)
	return data, wrap("read", name, errors.Join(err, f.Close()))
}

// ReadFrom is Read for an open file from an offset on; nil where the file is shorter.
func ReadFrom(f File, at int64) ([]byte, error) {
	size, err := f.Size()
	if err != nil || size < at {
		return nil, err
	}
	data := make([]byte, size-at)
	n, err := f.ReadAt(data, at)
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

// The kinds of files that are kept aside: edits of people, unreadable content, and torn ends.
const (
	Edited  = "edited"
	Damaged = "damaged"
	Torn    = "torn"
)

// asideName matches the names that [SetAside], [KeepCopy] and [MendEnd] give. The kind is in one of the two groups.
var asideName = regexp.MustCompile(`\.(?:(` + Torn + `)-\d+|(` + Edited + `|` + Damaged + `)-\d{8}T\d{6}Z(?:-\d+)?)$`)

// IsAside reports whether a name is like those of [SetAside] and [MendEnd].
func IsAside(name string) bool { return asideName.MatchString(name) }

// AsideAs returns the kind in a name that [SetAside] or [MendEnd] gave; "" for other names.
func AsideAs(name string) string {
	kinds := asideName.FindStringSubmatch(name)
	if kinds == nil {
		return ""
	}
	return kinds[1] + kinds[2]
}

// SetAside renames a file to <name>.<kind>-<time in UTC>, with a number if that is taken, and returns the new name.
func SetAside(files Files, name, kind string, at time.Time) (string, error) {
	kept, err := freeAsideName(files, name, kind, at)
	if err == nil {
		err = files.Rename(name, kept)
	}
	if err != nil {
		return "", err
	}
	return kept, files.Sync()
}

// KeepCopy writes a copy of a file's content under the name that [SetAside] would give it.
func KeepCopy(files Files, name, kind string, held []byte, at time.Time) (string, error) {
	kept, err := freeAsideName(files, name, kind, at)
	if err != nil {
		return "", err
	}
	return kept, Write(files, kept, held)
}

func freeAsideName(files Files, name, kind string, at time.Time) (string, error) {
	stem := name + "." + kind + "-" + at.UTC().Format("20060102T150405Z")
	kept := stem
	for n := 2; ; n++ {
		if _, err := files.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			return kept, nil
		} else if err != nil {
			return "", err
		}
		kept = fmt.Sprintf("%s-%d", stem, n)
	}
}

// CreateFile writes a file of the user, which must not exist. A part of it that could be written is removed again.
func CreateFile(path string, doc []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and was left as it is", filepath.ToSlash(path))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
