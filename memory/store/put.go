package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// writeBook writes a book: first its archive, then its pages, then the book. If a file prevents that the book is left
// as it was, see [Report]; an error is that of the disk.
func (w *writer) writeBook(g *bookUpdate) (done bool, err error) {
	name := g.from.owner.folder()
	err = w.within(g.from.owner, func(folder atomicfile.Files) (err error) {
		name, err = w.writeFiles(g, folder)
		return err
	})
	if err == nil {
		moved := council.Map(g.archived, StoredRecord.record)
		w.report.Wrote = append(w.report.Wrote, Written{Member: g.book.Member, Moved: moved})
		return true, nil
	}
	for _, known := range []error{fs.ErrPermission, fs.ErrInvalid, atomicfile.ErrLink, syscall.ENOTDIR} {
		if errors.Is(err, known) {
			err = unreadable(name, err)
		}
	}
	if IsUnreadable(err) {
		w.report.addLeft(name, err)
		return false, nil
	}
	return false, err
}

// writeFiles is writeBook; with an error it returns the name of the file.
func (w *writer) writeFiles(g *bookUpdate, folder atomicfile.Files) (name string, err error) {
	o, over := g.from.owner, g.caughtUp > 0
	if over {
		unfinished := func(name string) bool { return atomicfile.Temporary(name) && o.isOurs(name) }
		if err := atomicfile.Sweep(folder, unfinished); err != nil {
			return o.folder(), err
		}
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
	_, name, err = w.placeFiles(o.folder(), folder, files)
	return name, err
}

// placeFiles places files in their order, and reports whether one changed. With an error it returns the file's name.
func (w *writer) placeFiles(in string, folder atomicfile.Files, files []derivedFile) (changed bool, name string,
	err error) {
	for _, d := range files {
		placed, err := w.placeFile(in, folder, d)
		if changed = changed || placed; err != nil {
			return changed, path.Join(in, d.name), err
		}
	}
	return changed, "", nil
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
	accepted := func(e Edit) bool { return bytes.Equal(e.text, held) }
	ours := failed == nil && (d.ours(held) || slices.ContainsFunc(w.accepted, accepted)) || w.forgetting || absent
	if err == nil && !ours {
		kind := atomicfile.Edited
		if failed != nil || d.damaged != nil && d.damaged(held) {
			kind = atomicfile.Damaged
		}
		var kept string
		if kept, err = atomicfile.SetAside(folder, d.name, kind, w.now()); err == nil {
			w.report.Asides = append(w.report.Asides, Aside{Path: path.Join(in, d.name), Kept: path.Join(in, kept)})
		}
	}
	if err == nil {
		err = d.write(folder, d.name, d.text)
	}
	return true, err
}

// markBegun marks on disk, before the first write of a rebuild, that it is under way.
func (w *writer) markBegun() error {
	if !w.rebuilding || w.begun {
		return nil
	}
	w.begun = true
	if _, err := w.files.Lstat(rebuildingFile); err == nil {
		return nil
	}
	why := "rebuilding"
	if w.forgetting {
		why = forgettingMark
	}
	return atomicfile.Write(w.files, rebuildingFile, []byte(why+" since "+w.now().UTC().Format(time.RFC3339)+"\n"))
}

const categoriesFolder = "categories"

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
	pages, err := w.categoryPages(w.files)
	if err != nil || len(pages) == 0 {
		return err
	}
	return atomicfile.WithinMade(w.files, categoriesFolder, func(folder atomicfile.Files) error {
		_, _, err := w.placeFiles(categoriesFolder, folder, pages)
		return err
	})
}

const (
	archiveOpening = "[\n"
	archiveLead    = "\n,"
	archiveClosing = "\n]"
)

// text returns the line of an archive for the record. It ends with a sum of the rest.
func (h StoredRecord) text() ([]byte, error) {
	h.Record = h.Clone()
	text, err := wire.JSON(h)
	if err != nil {
		return nil, err
	}
	sum := chain.Sum(chain.Seed("archive", ""), text)
	return append(bytes.TrimSuffix(text, []byte("}")), `,"sum":"`+sum+`"}`...), nil
}

func wholeArchive(member council.MemberID, year int, records []StoredRecord) (text, page []byte, err error) {
	text, page, err = archiveLines(member, records)
	return slices.Concat([]byte(archiveOpening), bytes.TrimPrefix(text, []byte(archiveLead)), []byte(archiveClosing)),
		append(memory.ArchivePageHead(member, year), page...), err
}

// archiveLines returns the JSON and the Markdown that records add to an archive with records, without the closing.
func archiveLines(member council.MemberID, records []StoredRecord) (text, page []byte, err error) {
	for _, m := range records {
		one, err := m.text()
		if err != nil {
			return nil, nil, err
		}
		text = append(append(text, archiveLead...), one...)
		page = append(page, memory.ArchivePageRecord(member, m.Root, m.Record)...)
	}
	return text, page, nil
}

// readArchive reads the records of an archive whose ids begin with a prefix. bad has an error for each record that was
// changed; ended is nil if the array ends as it should. All these errors wrap [ErrDamaged].
func readArchive(name string, data []byte, prefix string) (all []StoredRecord, bad []error, ended error) {
	n := 0
	end, err := chain.Array.Scan(data, func(line []byte) error {
		if len(line) == 0 {
			return errors.New("it was not finished")
		}
		if n++; prefix != "" && !bytes.Contains(line, []byte(`"id":"`+prefix)) {
			return nil
		}
		var m StoredRecord
		err := json.Unmarshal(line, &m)
		if err == nil {
			var again []byte
			if again, err = m.text(); err == nil && !bytes.Equal(again, line) {
				err = errors.New("it was changed since it was written")
			}
		}
		if err != nil {
			bad = append(bad, damagedError(name, "record %d: %v", n, err))
			return nil
		}
		all = append(all, m)
		return nil
	})
	if err != nil || end.Torn {
		ended = damagedError(name, "it does not end as it was written, after %d records", n)
	}
	return all, bad, ended
}

func (g *bookUpdate) archives(year int, records []StoredRecord) ([]derivedFile, error) {
	o := g.from.owner
	text, page, err := wholeArchive(g.book.Member, year, records)
	begun := func(whole []byte) func(held []byte) bool {
		return func(held []byte) bool { // cut short, or without later records
			return bytes.HasPrefix(whole, bytes.TrimSuffix(bytes.TrimRight(held, "\x00"), []byte(archiveClosing)))
		}
	}
	damaged := func(held []byte) bool {
		_, bad, ended := readArchive("", held, "")
		return len(bad) > 0 || ended != nil
	}
	return []derivedFile{{o.archive(year), text, false, begun(text), damaged, atomicfile.Write},
		{o.archivePage(year), page, true, begun(page), nil, atomicfile.Write}}, err
}

// moveOut moves records into the archive of their year. Unless over is set, after a kill or an unreadable file, it
// reads and writes no more than these records. [ErrDamaged], [ErrUnreadable]: the archive is as it was. With an error
// it returns the name of the file.
func (w *writer) moveOut(g *bookUpdate, folder atomicfile.Files, records []StoredRecord, over bool) (name string,
	err error) {
	o, year := g.from.owner, records[0].Year
	name = o.path(o.archive(year))
	if !over {
		if done, err := appendOnly(g, folder, records); done || err != nil {
			return name, err
		}
	}
	held, err := atomicfile.Read(folder, o.archive(year))
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return name, unreadable(name, err)
	}
	if _, err := folder.Lstat(o.archivePage(year)); absent && err == nil { // which is written later
		return name, damagedError(name, "it is missing, and %s is there", o.archivePage(year))
	}
	var before []StoredRecord
	var ended error
	if !absent {
		var bad []error
		if before, bad, ended = readArchive(name, held, ""); len(bad) > 0 {
			return name, bad[0]
		}
	}
	before = slices.DeleteFunc(before, func(m StoredRecord) bool {
		return slices.ContainsFunc(records, func(n StoredRecord) bool { return n.Step == m.Step && n.ID == m.ID })
	})
	files, err := g.archives(year, append(before, records...))
	if err != nil {
		return name, err
	}
	if ended != nil { // an append that was interrupted wrote over the bracket
		was, _, err := wholeArchive(g.book.Member, year, before)
		torn := len(before) > 0 && len(held) >= len(was) && bytes.HasPrefix(files[0].text, bytes.TrimRight(held, "\x00"))
		if err != nil || !over || !torn {
			return name, errors.Join(err, ended)
		}
	}
	_, name, err = w.placeFiles(o.folder(), folder, files)
	return name, err
}

// appendOnly adds records to an archive that ends well and has its page, without reading either.
func appendOnly(g *bookUpdate, folder atomicfile.Files, records []StoredRecord) (done bool, err error) {
	o, year := g.from.owner, records[0].Year
	info, err := folder.Lstat(o.archivePage(year))
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	file, err := folder.Open(o.archive(year))
	if err != nil {
		return false, nil
	}
	size, err := file.Size()
	end := make([]byte, len(archiveClosing)+1)
	if err == nil && size > int64(len(end)) {
		_, err = file.ReadAt(end, size-int64(len(end)))
	}
	if err := errors.Join(err, file.Close()); err != nil || string(end) != "}"+archiveClosing {
		return false, nil
	}
	text, page, err := archiveLines(g.book.Member, records)
	if err == nil { // over the bracket
		err = extend(folder, o.archive(year), size, append(text, archiveClosing...)[1:], int64(len(archiveClosing)-1))
	}
	if err == nil {
		err = extend(folder, o.archivePage(year), info.Size(), page, 0)
	}
	return true, err
}

func extend(folder atomicfile.Files, name string, size int64, text []byte, over int64) error {
	tail, err := atomicfile.OpenTail(folder, name, size)
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text, over), tail.Close())
}
