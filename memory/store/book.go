package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

func newBook(o owner) memory.Book {
	return memory.Book{
		Format: memory.Format, Member: council.MemberID(o), Recent: []memory.Closed{}, Records: []memory.Record{},
	}
}

type diskBook struct {
	owner    owner
	book     memory.Book
	isAbsent bool // there is no file, and the book is fresh

	edit       []byte // the file after a person's edit: then the book is that of the journal
	isOutdated bool   // the edit is of an older book, or a newer one was about to be written
}

// read reads a book. An edited one comes as it was before: see findEdits. The error wraps [ErrDamaged], [ErrNewer]
// or [ErrUnreadable].
func (s *Store) read(files atomicfile.Files, o owner) (diskBook, error) {
	name := o.path(o.book())
	text, err := atomicfile.Read(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return diskBook{owner: o, book: newBook(o), isAbsent: true}, nil
	}
	if err != nil {
		return diskBook{owner: o}, unreadable(name, err)
	}
	b, err := decodeBook(council.MemberID(o), name, text)
	if !errors.Is(err, errEdited) {
		return diskBook{owner: o, book: b}, err
	}
	was, err := s.bookByJournal(files, o)
	if err != nil {
		err = damagedError(name, "it was changed since it was written, and what it was cannot be told: %v", err)
	}
	return diskBook{owner: o, book: was, edit: text, isOutdated: b.Step != was.Step}, err
}

// A book ends with a sum of the rest, which shows changes by persons and disks.
const (
	bookClosing   = "\n}\n"
	bookSumKey    = ",\n  \"sum\": \""
	bookSumEnd    = "\"" + bookClosing
	bookSumLength = 64
)

func encodeBook(b memory.Book) ([]byte, error) {
	text, err := plainBook(b)
	if err != nil {
		return nil, err
	}
	closing := bookSumKey + bookSum(b.Member, text) + bookSumEnd
	return append(bytes.TrimSuffix(text, []byte(bookClosing)), closing...), nil
}

func plainBook(b memory.Book) ([]byte, error) {
	b.Records = withLists(b.Records)
	return wire.IndentedJSON(b)
}

func bookSum(member council.MemberID, plain []byte) string {
	return chain.Sum(chain.Seed("book", string(member)), plain)
}

// splitBook splits the sum from the file of a book; other texts have none.
func splitBook(text []byte) (plain []byte, sum string) {
	end := len(text) - len(bookSumEnd)
	at := end - bookSumLength
	if at < len(bookSumKey) || string(text[end:]) != bookSumEnd || string(text[at-len(bookSumKey):at]) != bookSumKey {
		return text, ""
	}
	return append(text[:at-len(bookSumKey):at-len(bookSumKey)], bookClosing...), string(text[at:end])
}

// errEdited means that a book is valid JSON and was changed since it was written.
var errEdited = errors.New("the book was edited")

// decodeBook reads the book of a member, or the council's. [ErrDamaged], [ErrNewer], errEdited.
func decodeBook(member council.MemberID, name string, text []byte) (memory.Book, error) {
	b, ours := readWrittenBook(member, text)
	if !ours {
		var err error
		if b, err = readForeignBook(name, text); err != nil {
			return b, err
		}
	}
	if b.Member != member {
		return memory.Book{}, damagedError(name, "it is the book of %q", b.Member)
	}
	seen := make(map[string]bool, len(b.Records))
	for _, r := range b.Records {
		if seen[r.ID] {
			return memory.Book{}, damagedError(name, "it has two records %s", r.ID)
		}
		seen[r.ID] = true
	}
	return b, nil
}

// readWrittenBook reads a book with a valid sum and valid records. That takes a tenth of the time of a check by the
// schema.
func readWrittenBook(member council.MemberID, text []byte) (memory.Book, bool) {
	var b memory.Book
	plain, sum := splitBook(text)
	if sum == "" || sum != bookSum(member, plain) {
		return b, false
	}
	if json.Unmarshal(plain, &b) != nil || b.Format != memory.Format || b.Step < 0 || b.Sessions < 0 {
		return b, false
	}
	for _, r := range b.Records {
		if memory.CheckRecord(r) != nil {
			return b, false
		}
	}
	for _, c := range b.Recent {
		if c.Session == "" || c.At.IsZero() || c.UpTo < 1 {
			return b, false
		}
	}
	return b, true
}

// readForeignBook reads a book in another layout, or after an edit.
func readForeignBook(name string, text []byte) (memory.Book, error) {
	var b memory.Book
	err := json.Unmarshal(text, &b)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		line := 1 + bytes.Count(text[:syntax.Offset], []byte("\n"))
		return memory.Book{}, damagedError(fmt.Sprintf("%s:%d", name, line), "%v", atomicfile.Explain(err))
	}
	if b.Format > memory.Format {
		return memory.Book{}, newerError(name, b.Format)
	}
	if again, failed := encodeBook(b); errors.Join(err, failed) != nil || !isSameJSON(text, again) {
		return b, errEdited
	}
	return b, nil
}

// withLists returns records whose empty lists are not null in JSON.
func withLists(records []memory.Record) []memory.Record {
	all := make([]memory.Record, len(records))
	for i, r := range records {
		all[i] = r.Clone()
	}
	return all
}
