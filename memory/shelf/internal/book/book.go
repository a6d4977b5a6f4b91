// Package book is the form of a book on disk: one way to write it, so that equal books are equal bytes.
package book

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/fold"
	"github.com/council-engine/council/memory/shelf/internal/fault"
	"github.com/council-engine/council/memory/shelf/internal/journal"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// Fresh is the book of a member, or of the council, of whom nothing is remembered yet.
func Fresh(member council.MemberID) memory.Book {
	return memory.Book{Format: memory.Format, Member: member, Recent: []memory.Closed{}, Records: []memory.Record{}}
}

// Encode writes a book as it stands on disk: indented, in one way only, so that equal books are equal bytes.
func Encode(b memory.Book) ([]byte, error) {
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

// Decode reads the book of a member, or the council's. name is for messages. [fault.ErrDamaged], [fault.ErrNewer].
func Decode(member council.MemberID, name string, text []byte) (memory.Book, error) {
	var head struct{ Format int }
	if json.Unmarshal(text, &head) == nil && head.Format > memory.Format {
		return memory.Book{}, fault.Newer(name, head.Format)
	}
	b, ours := written(text)
	if !ours { // somebody wrote it in another way, or it is damaged: the schema says what is wrong
		if err := schemas.Validate("memory.book", text); err != nil {
			return memory.Book{}, fault.Broken(name, "%s", problem(err))
		}
		b = memory.Book{}
		if err := json.Unmarshal(text, &b); err != nil {
			return memory.Book{}, fault.Broken(name, "%v", err)
		}
	}
	if b.Member != member {
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

// written reads a book that stands exactly as [Encode] writes it and whose records are whole. To see that takes a tenth
// of what the schema takes.
func written(text []byte) (memory.Book, bool) {
	var b memory.Book
	if json.Unmarshal(text, &b) != nil || b.Format != memory.Format || b.Step < 0 || b.Sessions < 0 {
		return b, false
	}
	for _, r := range b.Records {
		if fold.Check(r) != nil {
			return b, false
		}
	}
	for _, c := range b.Recent {
		if c.Session == "" || c.At.IsZero() || c.UpTo < 1 {
			return b, false
		}
	}
	again, err := Encode(b)
	return b, err == nil && bytes.Equal(again, text)
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
