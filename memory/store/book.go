package store

import (
	"errors"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// fresh is the book of an owner of whom nothing is remembered yet.
func fresh(o owner) memory.Book { return freshBook(council.MemberID(o)) }

// volume is a book as it is on disk.
type volume struct {
	owner  owner
	book   memory.Book
	text   []byte
	absent bool // there is none: the book is fresh
}

// read reads a book. The error wraps [ErrDamaged], [ErrNewer] or [ErrUnreadable].
func read(files atomicfile.Files, o owner) (volume, error) {
	name := o.path(o.book())
	text, err := atomicfile.Read(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return volume{owner: o, book: fresh(o), absent: true}, nil
	}
	if err != nil {
		return volume{owner: o}, unread(name, err)
	}
	b, err := decodeBook(council.MemberID(o), name, text)
	return volume{owner: o, book: b, text: text}, err
}
