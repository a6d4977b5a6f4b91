package store

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// categoriesFolder has a page of each kind of record, over all books.
const categoriesFolder = "categories"

// currentFile stands beside the pages while they are what the books yield.
const currentFile = ".current"

// category returns the name of a kind's page.
func category(k memory.Kind) string { return string(k) + ".md" }

// outdate says on disk, before a book is written, that the pages are behind, so that a kill leaves that known.
func (w *writing) outdate() error {
	if w.outdated {
		return nil
	}
	w.outdated = true
	if _, err := w.files.Lstat(categoriesFolder + "/" + currentFile); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	folder, err := w.files.Folder(categoriesFolder)
	if err != nil {
		return err
	}
	return errors.Join(folder.Remove(currentFile), folder.Close())
}

// summarized reports whether the pages are what the books yield.
func summarized(files atomicfile.Files) bool {
	_, err := files.Lstat(categoriesFolder + "/" + currentFile)
	return err == nil
}

// categories writes the pages that differ from what the books yield, if they may. What somebody changed in one is kept
// aside. A book that cannot be read is left out of them until it can.
func (w *writing) categories() error {
	if !w.outdated && !w.forgetting && summarized(w.files) {
		return nil
	}
	books, err := w.readable(w.files)
	if err != nil || len(books) == 0 {
		return err
	}
	if err := atomicfile.EnsureFolder(w.files, categoriesFolder); err != nil {
		return err
	}
	folder, err := w.files.Folder(categoriesFolder)
	if err != nil {
		return err
	}
	for _, k := range memory.Kinds() {
		err = errors.Join(err, w.category(folder, category(k), memory.CategoryPage(k, books)))
	}
	if err == nil {
		err = atomicfile.Put(folder, currentFile, nil)
	}
	return errors.Join(err, folder.Close())
}

// readable returns the books that can be read, the council's first and then by member.
func (s *Store) readable(files atomicfile.Files) (books []memory.Book, err error) {
	all, err := s.owned(files)
	for _, o := range all {
		if o.Err == nil {
			books = append(books, o.Book)
		}
	}
	return books, err
}

// categories holds the pages against the books as they are on disk.
func (c *checking) categories() error {
	books, err := c.readable(c.files)
	if err != nil || len(books) == 0 {
		return err
	}
	for _, k := range memory.Kinds() {
		name := categoriesFolder + "/" + category(k)
		held, err := atomicfile.Read(c.files, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.add("", name, Differs, "It is missing.")
		case err != nil:
			c.fail("", name, unread(name, err))
		case bytes.Equal(held, memory.CategoryPage(k, books)):
		case memory.IsCategoryPage(held):
			c.add("", name, Differs, "It is not what the books hold.")
		default:
			c.add("", name, Edited, "It was changed since it was written.")
		}
	}
	return nil
}

// category writes one page, and takes what is forgotten out of what was kept aside of it.
func (w *writing) category(folder atomicfile.Files, name string, text []byte) error {
	if w.forgetting {
		return errors.Join(w.disown(folder, name), atomicfile.Put(folder, name, text))
	}
	is, err := w.makeWay(categoriesFolder, folder, name, text, memory.IsCategoryPage)
	if err != nil || is {
		return err
	}
	return atomicfile.Put(folder, name, text)
}
