package episodes

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
)

// maxPack is the size of the largest pack that is opened or written, in bytes: some 300,000 turns.
const maxPack = 1 << 30

// pack is the archive of one month of one tree, open for reading. What an archive says of itself is not believed: names
// in it are compared and never used as paths, and sizes are counted.
type pack struct {
	tree    tree
	month   string
	path    string
	file    atomicfile.File
	entries []*zip.File
}

// packPath returns where the pack of a month stands: "turns/2026/11.zip".
func packPath(t tree, month string) string { return path.Join(string(t), month) + ".zip" }

// openPack opens the pack of a month. [fs.ErrNotExist]: the month has none. [ErrUnreadable] names it.
func (c *Files) openPack(t tree, month string) (*pack, error) {
	z := &pack{tree: t, month: month, path: packPath(t, month)}
	f, err := c.root.Open(z.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, unreadable(z.path, err)
	}
	if z.entries, err = directory(f); err != nil {
		return nil, unreadable(z.path, errors.Join(err, f.Close()))
	}
	z.file = f
	return z, nil
}

// directory reads the directory of an archive.
func directory(f atomicfile.File) ([]*zip.File, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > maxPack {
		return nil, errTooLarge
	}
	r, err := zip.NewReader(f, size)
	if err != nil {
		return nil, errors.New("it is not an archive, or not a whole one")
	}
	return r.File, nil
}

// Close closes the archive.
func (z *pack) Close() error { return z.file.Close() }

// within names an entry in messages.
func (z *pack) within(name string) string { return z.path + ", " + name }

// read returns what an entry holds.
func (z *pack) read(f *zip.File) ([]byte, error) {
	data, err := unpack(f)
	if err != nil {
		return nil, unreadable(z.within(f.Name), err)
	}
	return data, nil
}

// unpack reads one entry to its end, and so checks its sum.
func unpack(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// sound returns an error unless the archive holds files of ours only, each once and in order: what is written again
// must not carry on what a stranger put there.
func (z *pack) sound() error {
	for i, f := range z.entries {
		if _, ours := idOf(z.tree, z.month, f.Name); !ours {
			return unreadable(z.path, fmt.Errorf("it holds %.120q, which council did not write", f.Name))
		}
		if i > 0 && z.entries[i-1].Name >= f.Name {
			return unreadable(z.path, fmt.Errorf("it holds %s twice or out of order", f.Name))
		}
	}
	return nil
}

// source is one file that a new archive is to hold: an entry of the old one, or the bytes that load returns.
type source struct {
	name string
	old  *zip.File
	load func() ([]byte, error)
}

// sortSources puts them in the order in which an archive holds them.
func sortSources(all []source) {
	slices.SortFunc(all, func(a, b source) int { return strings.Compare(a.name, b.name) })
}

// stamp is the time of every file in an archive: the same files make the same archive.
var stamp = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writePack writes the archive of a month, with the sources in the order of their names, and reads it back before it
// takes the place of the old one. [ErrUnreadable]: something does not come back, such as what was damaged in the old
// one.
func (c *Files) writePack(t tree, month string, sources []source) error {
	sortSources(sources)
	year, name := path.Split(packPath(t, month))
	folder, err := c.enter(year)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := atomicfile.Tidy(folder); err != nil { // what was left by one that was killed
		return err
	}
	sums := make(map[string]uint32, len(sources))
	fill := func(w io.Writer) error { return fillArchive(zip.NewWriter(w), sources, sums) }
	return atomicfile.Stream(folder, name, fill, func(f atomicfile.File) error { return recheck(f, sums) })
}

// fillArchive writes the sources and notes what each of them sums to.
func fillArchive(w *zip.Writer, sources []source, sums map[string]uint32) error {
	for _, from := range sources {
		if from.old != nil {
			sums[from.name] = from.old.CRC32
			if err := w.Copy(from.old); err != nil {
				return err
			}
			continue
		}
		data, err := from.load()
		if err != nil {
			return err
		}
		sums[from.name] = crc32.ChecksumIEEE(data)
		entry, err := w.CreateHeader(&zip.FileHeader{Name: from.name, Method: zip.Deflate, Modified: stamp})
		if err != nil {
			return err
		}
		if _, err := io.Copy(entry, bytes.NewReader(data)); err != nil {
			return err
		}
	}
	return w.Close()
}

// recheck reads an archive that was written and compares it with what went in.
func recheck(f atomicfile.File, sums map[string]uint32) error {
	entries, err := directory(f)
	if err != nil {
		return err
	}
	if len(entries) != len(sums) {
		return fmt.Errorf("%d files went into the pack and %d came back", len(sums), len(entries))
	}
	for _, e := range entries {
		data, err := unpack(e)
		if err != nil {
			return unreadable("the new pack, "+e.Name, err)
		}
		if sum, ok := sums[e.Name]; !ok || crc32.ChecksumIEEE(data) != sum {
			return unreadable("the new pack, "+e.Name, errors.New("it does not come back as it went in"))
		}
	}
	return nil
}
