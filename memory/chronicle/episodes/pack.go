package episodes

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/zipfile"
)

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
	size, err := f.Size()
	var r *zip.Reader
	if err == nil {
		r, err = zipfile.Open(f, size)
	}
	if err != nil {
		return nil, unreadable(z.path, errors.Join(err, f.Close()))
	}
	z.file, z.entries = f, r.File
	return z, nil
}

// Close closes the archive.
func (z *pack) Close() error { return z.file.Close() }

// within names an entry in messages.
func (z *pack) within(name string) string { return z.path + ", " + name }

// read returns what an entry holds.
func (z *pack) read(f *zip.File) ([]byte, error) {
	data, err := zipfile.Read(f, maxFile)
	if err != nil {
		return nil, unreadable(z.within(f.Name), err)
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

// writePack writes the archive of a month, with the sources in the order of their names, and reads it back before it
// takes the place of the old one. [ErrUnreadable]: something does not come back, such as what was damaged in the old
// one.
func (c *Files) writePack(t tree, month string, sources []zipfile.Source) error {
	year, name := path.Split(packPath(t, month))
	folder, err := c.enter(year)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := atomicfile.Tidy(folder); err != nil { // what was left by one that was killed
		return err
	}
	err = zipfile.Write(folder, name, sources, maxFile)
	if errors.Is(err, zipfile.ErrDiffers) || errors.Is(err, zipfile.ErrLarge) {
		return unreadable("the new pack", err)
	}
	return err
}
