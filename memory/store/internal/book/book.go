// Package book is the form of a book on disk: one way to write it, so that equal books are equal bytes.
package book

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store/internal/fault"
	"github.com/council-engine/council/memory/store/internal/journal"
	"github.com/council-engine/council/recorder/wire"
	"github.com/council-engine/council/schemas"
)

// Fresh is the book of a member, or of the council, of whom nothing is remembered yet.
func Fresh(member council.MemberID) memory.Book {
	return memory.Book{Format: memory.Format, Member: member, Recent: []memory.Closed{}, Records: []memory.Record{}}
}

// A book ends with a sum of what stands before it, so that one that somebody changed, or a disk, is not taken for what
// was written. Books of earlier versions have none, and get one when they are written next.
const (
	closing   = "\n}\n"
	sumKey    = ",\n  \"sum\": \""
	sumEnd    = "\"" + closing
	sumLength = 64
)

// Encode writes a book as it stands on disk: indented, in one way only, so that equal books are equal bytes.
func Encode(b memory.Book) ([]byte, error) {
	text, err := plain(b)
	if err != nil {
		return nil, err
	}
	sum := sumOf(b.Member, text)
	return append(bytes.TrimSuffix(text, []byte(closing)), sumKey+sum+sumEnd...), nil
}

// plain is a book without its sum, as earlier versions wrote it.
func plain(b memory.Book) ([]byte, error) {
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

func sumOf(member council.MemberID, plain []byte) string {
	return wire.Link(wire.Seed("book", string(member)), plain)
}

// split takes the sum off a book that was written by [Encode]; there is none in other texts.
func split(text []byte) (plain []byte, sum string) {
	end := len(text) - len(sumEnd)
	at := end - sumLength
	if at < len(sumKey) || string(text[end:]) != sumEnd || string(text[at-len(sumKey):at]) != sumKey {
		return text, ""
	}
	return append(text[:at-len(sumKey):at-len(sumKey)], closing...), string(text[at:end])
}

// Same reports whether a book on disk is the one that was encoded, or would be but for the sum that earlier versions did
// not write.
func Same(held, encoded []byte) bool {
	if bytes.Equal(held, encoded) {
		return true
	}
	plain, _ := split(encoded)
	return bytes.Equal(held, plain)
}

// Decode reads the book of a member, or the council's. name is for messages. [fault.ErrDamaged], [fault.ErrNewer].
func Decode(member council.MemberID, name string, text []byte) (memory.Book, error) {
	b, ours := written(member, text)
	if !ours {
		var err error
		if b, err = foreign(name, text); err != nil {
			return memory.Book{}, err
		}
	}
	if b.Member != member {
		return memory.Book{}, fault.Broken(name, "it is the book of %q", b.Member)
	}
	seen := make(map[string]bool, len(b.Records))
	for _, r := range b.Records {
		if seen[r.ID] {
			return memory.Book{}, fault.Broken(name, "it has two records %s", r.ID)
		}
		seen[r.ID] = true
	}
	return b, nil
}

// written reads a book that stands as [Encode] writes it, which its sum says, and whose records are whole. To see that
// takes a tenth of what the schema takes.
func written(member council.MemberID, text []byte) (memory.Book, bool) {
	var b memory.Book
	plain, sum := split(text)
	if sum == "" || sum != sumOf(member, plain) {
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

// foreign reads a book that stands in another form: an earlier version wrote it, a tool laid it out again, or it is
// damaged. The schema says what is wrong.
func foreign(name string, text []byte) (memory.Book, error) {
	var head struct{ Format int }
	if json.Unmarshal(text, &head) == nil && head.Format > memory.Format {
		return memory.Book{}, fault.Newer(name, head.Format)
	}
	if err := schemas.Validate("memory.book", text); err != nil {
		return memory.Book{}, fault.Broken(name, "%s", problem(err))
	}
	var b struct {
		memory.Book
		Sum string `json:"sum"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return memory.Book{}, fault.Broken(name, "%v", err)
	}
	if again, err := plain(b.Book); b.Sum != "" && (err != nil || b.Sum != sumOf(b.Member, again)) {
		return memory.Book{}, fault.Broken(name, "it was changed since it was written")
	}
	return b.Book, nil
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
