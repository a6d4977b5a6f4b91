package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// writeBook writes a book: first its archive, then its pages, then the book. If a file prevents that the book is left
// as it was, see [Report]; an error is that of the disk.
func (w *writer) writeBook(g *bookUpdate) (done bool, err error) {
	name, err := w.writeFiles(g)
	if err == nil {
		w.report.addWritten(g.book.Member, g.caughtUp, g.archived)
		return true, nil
	}
	for _, known := range []error{fs.ErrPermission, fs.ErrInvalid, atomicfile.ErrLink, syscall.ENOTDIR} {
		if errors.Is(err, known) {
			err = unreadable(name, err)
		}
	}
	if IsUnreadable(err) {
		w.report.addLeft(g.from.owner, name, err)
		return false, nil
	}
	return false, err
}

// writeFiles is put. With an error it returns the name of the file.
func (w *writer) writeFiles(g *bookUpdate) (name string, err error) {
	o, over := g.from.owner, g.caughtUp > 0
	folder, err := w.folder(o)
	if err == nil {
		err = w.markBegun()
	}
	if err == nil && over {
		err = atomicfile.Sweep(folder, func(name string) bool { // of unfinished writes
			return atomicfile.Temporary(name) && o.isOurs(name)
		})
	}
	if err != nil {
		return o.folder(), err
	}
	left := g.leftByYear()
	for _, year := range slices.Sorted(maps.Keys(left)) {
		if name, err := w.moveOut(g, folder, left[year], over); err != nil {
			return name, err
		}
	}
	files, err := g.files()
	if err != nil {
		return o.path(o.book()), err
	}
	for _, d := range files {
		if _, err := w.placeFile(o.folder(), folder, d); err != nil {
			return o.path(d.name), err
		}
	}
	return "", nil
}

// placeFile writes or removes a derived file in a folder of that name, and reports whether it changed. It keeps the
// file on disk aside, unless that is ours or to be forgotten. A file without a text must not exist.
func (w *writer) placeFile(in string, folder atomicfile.Files, d derivedFile) (changed bool, err error) {
	if err := w.removeAsides(folder, d.name); err != nil {
		return false, err
	}
	held, failed := atomicfile.Read(folder, d.name)
	absent := errors.Is(failed, fs.ErrNotExist)
	if absent && d.text == nil || failed == nil && d.text != nil && bytes.Equal(held, d.text) {
		return false, nil
	}
	err = w.markBegun()
	ours := failed == nil && d.ours(held) || w.forgetting || absent
	if err == nil && !ours {
		kind := atomicfile.Edited
		if failed != nil || d.damaged != nil && d.damaged(held) {
			kind = atomicfile.Damaged
		}
		err = w.keepAside(in, folder, d.name, kind)
	}
	if err == nil {
		err = d.write(folder, d.name, d.text)
	}
	return true, err
}

// keepAside keeps a file in a folder of that name under another name, and reports it.
func (w *writer) keepAside(in string, folder atomicfile.Files, name, kind string) error {
	kept, err := atomicfile.SetAside(folder, name, kind, w.now())
	if err == nil {
		w.report.Asides = append(w.report.Asides, Aside{Path: path.Join(in, name), Kept: path.Join(in, kept)})
	}
	return err
}

// markBegun marks on disk, before the first write, that the pages of categories are behind and that a rebuild is under
// way.
func (w *writer) markBegun() error {
	if w.begun {
		return nil
	}
	w.begun = true
	if hasCurrentPages(w.files) {
		if err := w.files.Remove(categoriesFolder + "/" + currentFile); err != nil {
			return err
		}
	}
	if _, err := w.files.Lstat(rebuildingFile); err == nil || !w.rebuilding {
		return nil
	}
	why := "rebuilding"
	if w.forgetting {
		why = forgettingMark
	}
	return atomicfile.Write(w.files, rebuildingFile, []byte(why+" since "+w.now().UTC().Format(time.RFC3339)+"\n"))
}

// categoriesFolder has a page of each kind of record, over all books.
const categoriesFolder = "categories"

// currentFile marks that the pages are up to date.
const currentFile = ".current"

func hasCurrentPages(files atomicfile.Files) bool {
	_, err := files.Lstat(categoriesFolder + "/" + currentFile)
	return err == nil
}

// categoryPages returns the pages by kind over the readable books; none without books.
func (s *Store) categoryPages(files atomicfile.Files) (pages []derivedFile, err error) {
	all, err := s.readOwned(files)
	var books []memory.Book
	for _, o := range all {
		if o.Err == nil {
			books = append(books, o.Book)
		}
	}
	for _, k := range memory.Kinds() {
		if len(books) > 0 {
			pages = append(pages, derivedFile{string(k) + ".md", memory.CategoryPage(k, books), true, memory.Unedited, nil,
				atomicfile.WriteUnsynced})
		}
	}
	return pages, err
}

// writeCategories writes the pages that differ from the books, and keeps edited ones aside. It leaves out unreadable
// books.
func (w *writer) writeCategories() error {
	if !w.begun && hasCurrentPages(w.files) {
		return nil
	}
	pages, err := w.categoryPages(w.files)
	if err != nil || len(pages) == 0 {
		return err
	}
	return atomicfile.WithinMade(w.files, categoriesFolder, func(folder atomicfile.Files) (err error) {
		for _, p := range pages {
			_, failed := w.placeFile(categoriesFolder, folder, p)
			err = errors.Join(err, failed)
		}
		if err == nil {
			err = atomicfile.WriteUnsynced(folder, currentFile, nil)
		}
		return err
	})
}
