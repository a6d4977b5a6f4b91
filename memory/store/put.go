package store

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"syscall"

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
	if inTheWay(err) {
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
		err = w.outdate()
	}
	if err != nil {
		return o.folder(), err
	}
	if over {
		if err := tidy(folder, o); err != nil {
			return o.folder(), err
		}
	}
	for rest := g.moved; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Year == rest[0].Year {
			n++
		}
		year := rest[0].Year
		file := archiveFile{
			Folder: folder, Name: o.archive(year), Page: o.archived(year), Shown: o.path(o.archive(year)),
			Member: g.book.Member, Year: year,
			Render: func(page string, text []byte, derived func([]byte) bool) error {
				return w.render(o, folder, page, text, derived)
			},
		}
		if err := file.Add(rest[:n], over); err != nil {
			return file.Shown, err
		}
		rest = rest[n:]
	}
	if g.member != nil {
		text := memory.ProfilePage(*g.member)
		was := func(held []byte) bool { return w.wasProfile(g, held) }
		if err := w.render(o, folder, profile, text, was); err != nil {
			return o.path(profile), err
		}
	}
	if err := w.render(o, folder, o.page(), memory.BookPage(g.book), g.rendered); err != nil {
		return o.path(o.page()), err
	}
	text, err := encodeBook(g.book)
	if err == nil && g.from.edited != nil && !g.accepts(g.from.edited) {
		err = w.aside(o.folder(), folder, o.book(), atomicfile.Edited)
	}
	if err != nil {
		return o.path(o.book()), err
	}
	return o.path(o.book()), atomicfile.Write(folder, o.book(), text)
}

// render makes text the content of a derived file. What stands there is kept aside, unless it was derived too.
func (w *writing) render(o owner, folder atomicfile.Files, name string, text []byte,
	derived func(held []byte) bool) error {
	is, err := w.makeWay(o.folder(), folder, name, text, derived)
	if err != nil || is {
		return err
	}
	return atomicfile.Write(folder, name, text)
}

// makeWay reports whether a derived file, in a folder of that name, is text. What else stands there is kept aside,
// unless it was derived too.
func (w *writing) makeWay(in string, folder atomicfile.Files, name string, text []byte,
	derived func(held []byte) bool) (is bool, err error) {
	held, err := atomicfile.Read(folder, name)
	switch {
	case err == nil && bytes.Equal(held, text):
		return true, nil
	case errors.Is(err, fs.ErrNotExist), err == nil && derived(held):
		return false, nil
	}
	return false, w.aside(in, folder, name, atomicfile.Edited)
}

// aside keeps a file of a folder of that name under another name, which the report says.
func (w *writing) aside(in string, folder atomicfile.Files, name, kind string) error {
	kept, err := atomicfile.Aside(folder, name, kind, w.now())
	if err == nil {
		w.report.Asides = append(w.report.Asides, Aside{Path: path.Join(in, name), Kept: path.Join(in, kept)})
	}
	return err
}

// wasProfile reports whether a page is the member as the charter of the session before had it.
func (w *writing) wasProfile(g *growth, held []byte) bool {
	recent := g.from.book.Recent
	if len(recent) == 0 {
		return false
	}
	id := recent[len(recent)-1].Session
	entries, err := w.load(id)
	if err != nil {
		return false
	}
	m := seatOf(entries, g.book.Member)
	return m != nil && bytes.Equal(held, memory.ProfilePage(*m))
}

// tidy removes what unfinished writes have left of an owner's files, and nothing of the user's.
func tidy(folder atomicfile.Files, o owner) error {
	entries, err := folder.List()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if atomicfile.Temporary(e.Name()) && e.Type().IsRegular() && o.ours(e.Name()) {
			if err := folder.Remove(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}
