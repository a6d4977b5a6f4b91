package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
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

// text returns the line of an archive for one record. It ends with a sum of what stands before it.
func (m moved) text() ([]byte, error) {
	m.Record = filled(m.Record)
	text, err := wire.JSON(m)
	if err != nil {
		return nil, err
	}
	sum := chain.Sum(chain.Seed("archive", ""), text)
	return append(bytes.TrimSuffix(text, []byte("}")), `,"sum":"`+sum+`"}`...), nil
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
		var again []byte
		if again, err = m.text(); err == nil && !bytes.Equal(again, a.Raw[i]) {
			err = errors.New("it was changed since it was written")
		}
	}
	if err != nil {
		return m, broken(a.name, "record %d: %v", i+1, err)
	}
	return m, nil
}

// intactArchive reports whether every line of an archive can be read.
func intactArchive(data []byte) bool {
	a := scanArchive("", data)
	for i := range a.Raw {
		if _, err := a.Record(i); err != nil {
			return false
		}
	}
	return a.whole()
}

// page returns the Markdown of an archive with further lines.
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

// listing returns the bytes that put records after n others, up to the end of the array.
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

// begunArchive returns an archive without its end.
func begunArchive(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(text, "\x00"), []byte(archiveClosing))
}

// archiveFile is one year's archive of an owner.
type archiveFile struct {
	Folder atomicfile.Files
	Name   string // of the JSON in the folder
	Page   string // of the Markdown
	Shown  string // what the JSON is called in messages
	Member council.MemberID
	Year   int
	// Render makes text the content of a page. What stands there is kept aside, unless derived says that it is ours.
	Render func(page string, text []byte, derived func(held []byte) bool) error
}

// Add moves records into the archive. Unless this is done over, after a kill or a file that could not be
// read, it reads and writes no more than what moves. [ErrDamaged], [ErrUnreadable]: the archive is as it was.
func (f archiveFile) Add(records []moved, over bool) error {
	name := f.Shown
	if !over {
		if done, err := f.appendOnly(records); done || err != nil {
			return err
		}
	}
	data, err := atomicfile.Read(f.Folder, f.Name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unread(name, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := f.Folder.Lstat(f.Page); err == nil { // which is written later
			return broken(name, "it is missing, and %s is there", f.Page)
		}
		text, err := listing(0, records)
		if err == nil {
			err = atomicfile.Write(f.Folder, f.Name, append([]byte(archiveOpening), text...))
		}
		if err != nil {
			return err
		}
		return f.page(archiveList{name: name}, records)
	}
	a := scanArchive(name, data)
	there := map[string]bool{}
	for i := range a.Raw {
		m, err := a.Record(i)
		if err != nil {
			return err
		}
		there[fmt.Sprintf("%d %s", m.Step, m.ID)] = true
	}
	missing := slices.DeleteFunc(slices.Clone(records), func(m moved) bool {
		return there[fmt.Sprintf("%d %s", m.Step, m.ID)]
	})
	text, err := listing(len(a.Raw), missing)
	if err != nil {
		return err
	}
	if !a.whole() && (!over || !a.torn(text)) {
		return a.Ended()
	}
	if !a.whole() || len(missing) > 0 {
		if err := f.regrow(a, text); err != nil {
			return err
		}
	}
	return f.page(a, missing)
}

// regrow ends an archive anew.
func (f archiveFile) regrow(a archiveList, text []byte) error {
	if !a.whole() {
		_, err := atomicfile.MendEnd(f.Folder, f.Name, a.good, a.rest, string(text))
		return err
	}
	return extend(f.Folder, f.Name, a.good+int64(len(archiveClosing)), text[1:], int64(len(archiveClosing)-1))
}

// extend writes text over the last bytes of a file of the given size.
func extend(folder atomicfile.Files, name string, size int64, text []byte, over int64) error {
	tail, err := atomicfile.OpenTail(folder, name, size)
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text, over), tail.Close())
}

// appendOnly adds records to an archive that ends well and has its page, without reading either.
func (f archiveFile) appendOnly(records []moved) (done bool, err error) {
	info, err := f.Folder.Lstat(f.Page)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil // page knows what to do
	}
	file, err := f.Folder.Open(f.Name)
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
	text, err := listing(1, records)
	if err != nil {
		return false, err
	}
	if err := extend(f.Folder, f.Name, size, text[1:], int64(len(archiveClosing)-1)); err != nil {
		return false, err
	}
	return true, extend(f.Folder, f.Page, info.Size(), pageEnd(f.Member, records), 0)
}

// page brings the Markdown of an archive in step with it.
func (f archiveFile) page(a archiveList, more []moved) error {
	text, err := a.page(f.Member, f.Year, more)
	if err != nil {
		return err
	}
	return f.Render(f.Page, text, func(held []byte) bool {
		return bytes.HasPrefix(text, bytes.TrimRight(held, "\x00")) // it was not written to its end
	})
}
