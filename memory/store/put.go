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

// put writes what a book has become: first what left it, then what is rendered, then the book. Where a file is in the
// way the book is left as it was, which the report says; the error is that of the disk.
func (w *writing) put(g *growth) (done bool, err error) {
	name, err := w.write(g)
	if err == nil {
		w.report.wrote(g.book.Member, g.caught, g.moved)
		return true, nil
	}
	for _, known := range []error{fs.ErrPermission, fs.ErrInvalid, atomicfile.ErrLink, syscall.ENOTDIR} {
		if errors.Is(err, known) {
			err = unread(name, err)
		}
	}
	if InTheWay(err) {
		w.report.leave(g.from.owner, name, err)
		return false, nil
	}
	return false, err
}

// write is put. With an error it names the file that it stopped at.
func (w *writing) write(g *growth) (name string, err error) {
	o, over := g.from.owner, g.caught > 0
	folder, err := w.folder(o)
	if err == nil {
		err = w.begin()
	}
	if err == nil && over {
		err = atomicfile.Sweep(folder, func(name string) bool { // what unfinished writes have left, and nothing of the user's
			return atomicfile.Temporary(name) && o.ours(name)
		})
	}
	if err != nil {
		return o.folder(), err
	}
	left := g.left()
	for _, year := range slices.Sorted(maps.Keys(left)) {
		if name, err := w.archive(g, folder, left[year], over); err != nil {
			return name, err
		}
	}
	files, err := g.files()
	if err != nil {
		return o.path(o.book()), err
	}
	for _, d := range files {
		if _, err := w.place(o.folder(), folder, d); err != nil {
			return o.path(d.name), err
		}
	}
	return "", nil
}

// place makes a derived file, in a folder of that name, what it should be, and reports whether it was not. What stands
// there is kept aside, unless it is ours or to be forgotten. One without a text should not be there.
func (w *writing) place(in string, folder atomicfile.Files, d derived) (changed bool, err error) {
	if err := w.removeAsides(folder, d.name); err != nil {
		return false, err
	}
	held, failed := atomicfile.Read(folder, d.name)
	absent := errors.Is(failed, fs.ErrNotExist)
	if absent && d.text == nil || failed == nil && d.text != nil && bytes.Equal(held, d.text) {
		return false, nil
	}
	err = w.begin()
	ours := failed == nil && d.ours(held) || w.forgetting || absent
	if err == nil && !ours {
		kind := atomicfile.Edited
		if failed != nil || d.damaged != nil && d.damaged(held) {
			kind = atomicfile.Damaged
		}
		err = w.aside(in, folder, d.name, kind)
	}
	if err == nil {
		err = d.write(folder, d.name, d.text)
	}
	return true, err
}

// aside keeps a file of a folder of that name under another name, which the report says.
func (w *writing) aside(in string, folder atomicfile.Files, name, kind string) error {
	kept, err := atomicfile.Aside(folder, name, kind, w.now())
	if err == nil {
		w.report.Asides = append(w.report.Asides, Aside{Path: path.Join(in, name), Kept: path.Join(in, kept)})
	}
	return err
}

// begin says on disk, before anything is written, that the pages of categories are behind, and that a rebuild is under
// way, so that a kill leaves that known.
func (w *writing) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	if summarized(w.files) {
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

// currentFile stands beside the pages while they are what the books yield.
const currentFile = ".current"

// summarized reports whether the pages are what the books yield.
func summarized(files atomicfile.Files) bool {
	_, err := files.Lstat(categoriesFolder + "/" + currentFile)
	return err == nil
}

// pages returns the pages by kind over the books that can be read; none when there is no such book.
func (s *Store) pages(files atomicfile.Files) (pages []derived, err error) {
	all, err := s.owned(files)
	var books []memory.Book
	for _, o := range all {
		if o.Err == nil {
			books = append(books, o.Book)
		}
	}
	for _, k := range memory.Kinds() {
		if len(books) > 0 {
			pages = append(pages, derived{string(k) + ".md", memory.CategoryPage(k, books), true, memory.Unedited, nil,
				atomicfile.Put})
		}
	}
	return pages, err
}

// categories writes the pages that differ from what the books yield, if they may. What somebody changed in one is kept
// aside. A book that cannot be read is left out of them until it can.
func (w *writing) categories() error {
	if !w.begun && summarized(w.files) {
		return nil
	}
	pages, err := w.pages(w.files)
	if err != nil || len(pages) == 0 {
		return err
	}
	return atomicfile.WithinMade(w.files, categoriesFolder, func(folder atomicfile.Files) (err error) {
		for _, p := range pages {
			_, failed := w.place(categoriesFolder, folder, p)
			err = errors.Join(err, failed)
		}
		if err == nil {
			err = atomicfile.Put(folder, currentFile, nil)
		}
		return err
	})
}
