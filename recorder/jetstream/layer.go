package jetstream

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/atomicfile"
)

// Layer returns the layer to put between a recorder, a ledger and a store of memory and the workspace in a folder. What
// lies outside of that is left alone. Only one process of a machine may use it for a folder.
//
// Every change of a file that is the truth is acknowledged by the cluster before the disk has it. Where the cluster has
// what this machine has not seen, the write is refused with [atomicfile.ErrStale]; where the session is another's, with
// [ErrLost]. To open a file that several machines append to is to read what they have appended.
func (c *Cluster) Layer(workspace string) func(atomicfile.Files) atomicfile.Files {
	base, failed := filepath.Abs(workspace)
	return func(files atomicfile.Files) atomicfile.Files {
		full, err := filepath.Abs(files.Path())
		if err = cmp.Or(failed, err); err == nil {
			full, err = filepath.Rel(base, full)
		}
		if err != nil || !filepath.IsLocal(full) {
			return files
		}
		return &folder{files, c, strings.TrimPrefix(filepath.ToSlash(full), ".")}
	}
}

// folder is a folder of a workspace whose truth the cluster has.
type folder struct {
	atomicfile.Files
	cluster *Cluster
	at      string // its path in the workspace
}

// truth returns the path in the workspace of a file of the folder, and whether the cluster keeps it.
func (f *folder) truth(name string) (string, bool) {
	full := path.Join(f.at, name)
	return full, truth.MatchString(full)
}

func (f *folder) Folder(name string) (atomicfile.Files, error) {
	if f.at == "" && slices.Contains(shares, name) {
		if err := f.cluster.catchUp(f, name); err != nil {
			return nil, err
		}
	}
	inner, err := f.Files.Folder(name)
	if err != nil {
		return nil, err
	}
	return &folder{inner, f.cluster, path.Join(f.at, name)}, nil
}

func (f *folder) Open(name string) (atomicfile.File, error) {
	if full, ok := f.truth(name); ok && shared(full) {
		if err := f.cluster.catchUp(f, path.Dir(full)); err != nil {
			return nil, err
		}
	}
	return f.Files.Open(name)
}

func (f *folder) Create(name string) (atomicfile.File, error) { return f.file(name, f.Files.Create) }
func (f *folder) Edit(name string) (atomicfile.File, error)   { return f.file(name, f.Files.Edit) }

func (f *folder) file(name string, open func(string) (atomicfile.File, error)) (atomicfile.File, error) {
	opened, err := open(name)
	full, ok := f.truth(name)
	if err != nil || !ok {
		return opened, err
	}
	return &file{opened, f.cluster, full}, nil
}

// Rename publishes the whole of a file that becomes one of the cluster's.
func (f *folder) Rename(from, to string) error {
	full, ok := f.truth(to)
	if !ok {
		return f.Files.Rename(from, to)
	}
	data, err := atomicfile.Read(f.Files, from)
	if err != nil {
		return err
	}
	was, moved := f.truth(from)
	return f.cluster.change(full, 0, data, true, func() error {
		if err := f.Files.Rename(from, to); err != nil || !moved {
			return err
		}
		if u := f.cluster.unit(was); u.files[was] != nil { // what follows begins the file again
			u.files[was].size = 0
		}
		return nil
	})
}

// file is a file of which the cluster has the truth.
type file struct {
	atomicfile.File
	cluster *Cluster
	path    string
}

func (f *file) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.cluster.change(f.path, at, p, false, func() (err error) { n, err = f.File.WriteAt(p, at); return err })
	return n, err
}

// Truncate needs no message where the file has no more than that.
func (f *file) Truncate(size int64) error {
	return f.cluster.change(f.path, size, nil, false, func() error { return f.File.Truncate(size) })
}

// state is a file as this machine knows it.
type state struct {
	seq  uint64 // of its last message; 0: it has none
	size int64
}

// change publishes that a file keeps its first bytes and goes on with others, and then does the same on disk. whole
// says that the bytes are the whole file.
func (c *Cluster) change(file string, at int64, data []byte, whole bool, onDisk func() error) error {
	u := c.unit(file)
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.files[file]
	if s == nil {
		s = new(state)
		u.files[file] = s
	}
	if err := c.mayWrite(file); err != nil {
		return err
	}
	if len(data) == 0 && at == s.size {
		return onDisk()
	}
	if shared(file) && at != s.size && !(len(data) == 0 && at < s.size) {
		return fmt.Errorf("%w: %s", atomicfile.ErrStale, file)
	}
	most := int(c.conn.MaxPayload()) - 1<<10
	if whole && len(data) > most {
		return fmt.Errorf("%w: %s has %d bytes; raise max_payload of the server, which is %d bytes", ErrTooLarge, file,
			len(data), c.conn.MaxPayload())
	}
	for first := true; first || len(data) > 0; first = false {
		piece := data[:min(len(data), most)]
		seq, err := c.publish(c.subject(file), s.seq, at, piece, whole)
		if err != nil && whole && shared(file) && c.is(file, data) { // two machines found it full
			return onDisk()
		}
		if err != nil {
			return err
		}
		at, data = at+int64(len(piece)), data[len(piece):]
		s.seq, s.size = seq, at
		u.seen = max(u.seen, seq)
	}
	return onDisk()
}

// is reports whether the cluster has a file whose whole content is one message with these bytes.
func (c *Cluster) is(file string, data []byte) bool {
	m, err := c.next(c.ctx, c.subject(file), 1)
	return err == nil && m != nil && string(m.Data) == string(data)
}

// mayWrite asks whether a file's session is ours to write. Files of no session are everybody's.
func (c *Cluster) mayWrite(file string) error {
	if shared(file) {
		return nil
	}
	c.mu.Lock()
	held := c.held[strings.Split(file, "/")[1]]
	c.mu.Unlock()
	if held == nil {
		return nil
	}
	return held()
}
