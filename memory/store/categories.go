package store

import (
	"errors"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

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
