package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// moved is a record that left its book, as it stands in an archive.
type moved struct {
	Step int    `json:"step"`           // of the journal: when it left
	Root string `json:"root,omitempty"` // of its book
	memory.Record
	Year int `json:"-"` // of that step
}

// An archive is a JSON array that is valid after every append: one record a line, and the comma leads.
const (
	archiveOpening = "["
	lead           = "\n"
	further        = "\n,"
	archiveClosing = "\n]"
)

// text is what stands in an archive for one record. It ends with a sum of what stands before it.
func (m moved) text() ([]byte, error) {
	text, err := m.plain()
	if err != nil {
		return nil, err
	}
	sum := archiveSum(text)
	return append(bytes.TrimSuffix(text, []byte("}")), archiveSumKey+sum+archiveSumEnd...), nil
}

// plain is a record without its sum, as earlier versions wrote it.
func (m moved) plain() ([]byte, error) {
	m.Record = filled(m.Record)
	return wire.JSON(m)
}

// What stands around the sum at the end of a line.
const (
	archiveSumKey    = `,"sum":"`
	archiveSumEnd    = `"}`
	archiveSumLength = 64
)

func archiveSum(plain []byte) string { return chain.Sum(chain.Seed("archive", ""), plain) }

// unsummed takes the sum off the end of a line that has one.
func unsummed(line []byte) []byte {
	end := len(line) - len(archiveSumEnd)
	at := end - archiveSumLength - len(archiveSumKey)
	if at < 0 || string(line[end:]) != archiveSumEnd || string(line[at:at+len(archiveSumKey)]) != archiveSumKey {
		return line
	}
	return append(line[:at:at], '}')
}

// sameArchive reports whether an archive on disk is the one that is wanted, or would be but for the sums that earlier versions
// did not write.
func sameArchive(held, wanted []byte) bool {
	if bytes.Equal(held, wanted) {
		return true
	}
	h, w := scanArchive("", held), scanArchive("", wanted)
	return h.whole() && w.whole() && slices.EqualFunc(h.Raw, w.Raw, func(held, wanted []byte) bool {
		return bytes.Equal(held, wanted) || bytes.Equal(held, unsummed(wanted))
	})
}

// archiveList is an archive as far as it could be read.
type archiveList struct {
	name string   // for messages
	Raw  [][]byte // the lines without what leads
	good int64
	rest []byte // what follows the last whole line
}

// scanArchive reads an archive without looking into its lines. What does not hold is left in rest.
func scanArchive(name string, data []byte) archiveList {
	a := archiveList{name: name}
	if !bytes.HasPrefix(data, []byte(archiveOpening)) {
		a.rest = data
		return a
	}
	a.good = int64(len(archiveOpening))
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

// Ended is nil when the array ends as it should, or wraps [ErrDamaged].
func (a archiveList) Ended() error {
	if a.whole() {
		return nil
	}
	return broken(a.name, "it does not end as it was written, after %d records", len(a.Raw))
}

func (a archiveList) whole() bool { return string(a.rest) == archiveClosing }

// torn reports whether the end is what an interrupted append of text leaves, which wrote over the bracket.
func (a archiveList) torn(text []byte) bool {
	return len(a.Raw) > 0 && len(a.rest) > 1 && bytes.HasPrefix(text, bytes.TrimRight(a.rest, "\x00"))
}

// Record reads one line. What would not have been written so is an error.
func (a archiveList) Record(i int) (moved, error) {
	var m moved
	err := json.Unmarshal(a.Raw[i], &m)
	if err == nil {
		var again, old []byte
		again, err = m.text()
		if old = unsummed(again); err == nil && !bytes.Equal(again, a.Raw[i]) && !bytes.Equal(old, a.Raw[i]) {
			err = errors.New("it was changed since it was written")
		}
	}
	if err != nil {
		return m, broken(a.name, "record %d: %v", i+1, err)
	}
	return m, nil
}

// Records reads all lines. A line that cannot be read hides no other.
func (a archiveList) Records() iter.Seq2[moved, error] {
	return func(yield func(moved, error) bool) {
		for i := range a.Raw {
			if !yield(a.Record(i)) {
				return
			}
		}
		if err := a.Ended(); err != nil {
			yield(moved{}, err)
		}
	}
}

// intactArchive reports whether every line of an archive can be read.
func intactArchive(data []byte) bool {
	for _, err := range scanArchive("", data).Records() {
		if err != nil {
			return false
		}
	}
	return true
}

// page is the Markdown of an archive with further lines.
func (a archiveList) page(member council.MemberID, year int, more []moved) ([]byte, error) {
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

func pageEnd(member council.MemberID, more []moved) []byte {
	var text []byte
	for _, m := range more {
		text = append(text, memory.ArchivePageRecord(member, m.Root, m.Record)...)
	}
	return text
}

// listing is what puts records after n others, up to the end of the array.
func listing(n int, records []moved) ([]byte, error) {
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
	return append(text, archiveClosing...), nil
}

// wholeArchive returns the JSON and the Markdown of an archive of the records.
func wholeArchive(member council.MemberID, year int, records []moved) (text, page []byte, err error) {
	if text, err = listing(0, records); err != nil {
		return nil, nil, err
	}
	page, err = archiveList{}.page(member, year, records)
	return append([]byte(archiveOpening), text...), page, err
}

// begunArchive is what an archive holds, without what ends it.
func begunArchive(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(text, "\x00"), []byte(archiveClosing))
}
