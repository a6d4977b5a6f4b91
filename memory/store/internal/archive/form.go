// Package archive is what left a book in a year: a JSON array that grows by one append, and the same as Markdown.
package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store/internal/fault"
	"github.com/council-engine/council/memory/store/internal/journal"
	"github.com/council-engine/council/recorder/wire"
)

// Moved is a record that left its book, as it stands in an archive.
type Moved struct {
	Step int    `json:"step"`           // of the journal: when it left
	Root string `json:"root,omitempty"` // of its book
	memory.Record
	Year int `json:"-"` // of that step
}

// An archive is a JSON array that is valid after every append: one record a line, and the comma leads.
const (
	opening = "["
	lead    = "\n"
	further = "\n,"
	closing = "\n]"
)

// text is what stands in an archive for one record. It ends with a sum of what stands before it.
func (m Moved) text() ([]byte, error) {
	text, err := m.plain()
	if err != nil {
		return nil, err
	}
	sum := sumOf(text)
	return append(bytes.TrimSuffix(text, []byte("}")), sumKey+sum+sumEnd...), nil
}

// plain is a record without its sum, as earlier versions wrote it.
func (m Moved) plain() ([]byte, error) {
	m.Record = journal.Filled(m.Record)
	return wire.JSON(m)
}

// What stands around the sum at the end of a line.
const (
	sumKey    = `,"sum":"`
	sumEnd    = `"}`
	sumLength = 64
)

func sumOf(plain []byte) string { return wire.Link(wire.Seed("archive", ""), plain) }

// unsummed takes the sum off the end of a line that has one.
func unsummed(line []byte) []byte {
	end := len(line) - len(sumEnd)
	at := end - sumLength - len(sumKey)
	if at < 0 || string(line[end:]) != sumEnd || string(line[at:at+len(sumKey)]) != sumKey {
		return line
	}
	return append(line[:at:at], '}')
}

// Same reports whether an archive on disk is the one that is wanted, or would be but for the sums that earlier versions
// did not write.
func Same(held, wanted []byte) bool {
	if bytes.Equal(held, wanted) {
		return true
	}
	h, w := Scan("", held), Scan("", wanted)
	return h.whole() && w.whole() && slices.EqualFunc(h.Raw, w.Raw, func(held, wanted []byte) bool {
		return bytes.Equal(held, wanted) || bytes.Equal(held, unsummed(wanted))
	})
}

// List is an archive as far as it could be read.
type List struct {
	name string   // for messages
	Raw  [][]byte // the lines without what leads
	good int64
	rest []byte // what follows the last whole line
}

// Scan reads an archive without looking into its lines. What does not hold is left in rest.
func Scan(name string, data []byte) List {
	a := List{name: name}
	if !bytes.HasPrefix(data, []byte(opening)) {
		a.rest = data
		return a
	}
	a.good = int64(len(opening))
	for {
		rest := data[a.good:]
		next := []byte(further)
		if len(a.Raw) == 0 {
			next = []byte(lead)
		}
		if !bytes.HasPrefix(rest, append(next, '{')) {
			a.rest = rest
			return a
		}
		n := bytes.IndexByte(rest[len(next):], '\n')
		if n < 0 {
			a.rest = rest
			return a
		}
		a.Raw = append(a.Raw, rest[len(next):len(next)+n])
		a.good += int64(len(next) + n)
	}
}

// Ended is nil when the array ends as it should, or wraps [fault.ErrDamaged].
func (a List) Ended() error {
	if a.whole() {
		return nil
	}
	return fault.Broken(a.name, "it does not end as it was written, after %d records", len(a.Raw))
}

func (a List) whole() bool { return string(a.rest) == closing }

// torn reports whether the end is what an interrupted append of text leaves, which wrote over the bracket.
func (a List) torn(text []byte) bool {
	return len(a.Raw) > 0 && len(a.rest) > 1 && bytes.HasPrefix(text, bytes.TrimRight(a.rest, "\x00"))
}

// Record reads one line. What would not have been written so is an error.
func (a List) Record(i int) (Moved, error) {
	var m Moved
	err := json.Unmarshal(a.Raw[i], &m)
	if err == nil {
		var again, old []byte
		again, err = m.text()
		if old = unsummed(again); err == nil && !bytes.Equal(again, a.Raw[i]) && !bytes.Equal(old, a.Raw[i]) {
			err = errors.New("it was changed since it was written")
		}
	}
	if err != nil {
		return m, fault.Broken(a.name, "record %d: %v", i+1, err)
	}
	return m, nil
}

// Records reads all lines. A line that cannot be read hides no other.
func (a List) Records() iter.Seq2[Moved, error] {
	return func(yield func(Moved, error) bool) {
		for i := range a.Raw {
			if !yield(a.Record(i)) {
				return
			}
		}
		if err := a.Ended(); err != nil {
			yield(Moved{}, err)
		}
	}
}

// Intact reports whether every line of an archive can be read.
func Intact(data []byte) bool {
	for _, err := range Scan("", data).Records() {
		if err != nil {
			return false
		}
	}
	return true
}

// page is the Markdown of an archive with further lines.
func (a List) page(member council.MemberID, year int, more []Moved) ([]byte, error) {
	text := memory.ArchivePageHead(member, year)
	for i := range a.Raw {
		m, err := a.Record(i)
		if err != nil {
			return nil, err
		}
		text = append(text, memory.ArchivePageRecord(member, m.Root, m.Record)...)
	}
	return append(text, pageEnd(member, more)...), nil
}

func pageEnd(member council.MemberID, more []Moved) []byte {
	var text []byte
	for _, m := range more {
		text = append(text, memory.ArchivePageRecord(member, m.Root, m.Record)...)
	}
	return text
}

// listing is what puts records after n others, up to the end of the array.
func listing(n int, records []Moved) ([]byte, error) {
	var text []byte
	for _, m := range records {
		one, err := m.text()
		if err != nil {
			return nil, err
		}
		next := further
		if n == 0 {
			next = lead
		}
		text, n = append(append(text, next...), one...), n+1
	}
	return append(text, closing...), nil
}

// Whole returns the JSON and the Markdown of an archive of the records.
func Whole(member council.MemberID, year int, records []Moved) (text, page []byte, err error) {
	if text, err = listing(0, records); err != nil {
		return nil, nil, err
	}
	page, err = List{}.page(member, year, records)
	return append([]byte(opening), text...), page, err
}

// Begun is what an archive holds, without what ends it.
func Begun(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(text, "\x00"), []byte(closing))
}
