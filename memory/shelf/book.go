package shelf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/shelf/internal/fault"
	"github.com/council-engine/council/memory/shelf/internal/journal"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// fresh is the book of an owner of whom nothing is remembered yet.
func fresh(o owner) memory.Book {
	return memory.Book{Format: memory.Format, Member: council.MemberID(o), Recent: []memory.Closed{}, Records: []memory.Record{}}
}

// encode writes a book as it stands on disk: indented, in one way only, so that equal books are equal bytes.
func encode(b memory.Book) ([]byte, error) {
	b.Recent = journal.Some(b.Recent)
	b.Records = append([]memory.Record{}, b.Records...)
	for i := range b.Records {
		b.Records[i] = journal.Filled(b.Records[i])
	}
	text, err := wire.JSON(b)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// decode reads a book. name is for messages.
func decode(o owner, name string, text []byte) (memory.Book, error) {
	var head struct{ Format int }
	if json.Unmarshal(text, &head) == nil && head.Format > memory.Format {
		return memory.Book{}, fault.Newer(name, head.Format)
	}
	if err := schemas.Validate("memory.book", text); err != nil {
		return memory.Book{}, fault.Broken(name, "%s", problem(err))
	}
	var b memory.Book
	if err := json.Unmarshal(text, &b); err != nil {
		return memory.Book{}, fault.Broken(name, "%v", err)
	}
	if b.Member != council.MemberID(o) {
		return memory.Book{}, fault.Broken(name, "it is the book of %q", b.Member)
	}
	seen := map[string]bool{}
	for _, r := range b.Records {
		if seen[r.ID] {
			return memory.Book{}, fault.Broken(name, "it has two records %s", r.ID)
		}
		seen[r.ID] = true
	}
	return b, nil
}

// problem is what is wrong with a document, in one sentence.
func problem(err error) string {
	var bad *schemas.Error
	if !errors.As(err, &bad) {
		return err.Error()
	}
	if bad.Pointer == "" {
		return bad.Problem
	}
	return fmt.Sprintf("at %s: %s", bad.Pointer, bad.Problem)
}

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
		return volume{owner: o}, fault.Unread(name, err)
	}
	b, err := decode(o, name, text)
	return volume{owner: o, book: b, text: text}, err
}
