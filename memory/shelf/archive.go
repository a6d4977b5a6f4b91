package shelf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory/markdown"
	"github.com/council-engine/council/recorder/wire"
)

// An archive is a JSON array that is valid after every append: one record a line, and the comma leads.
const (
	opening = "["
	lead    = "\n"
	further = "\n,"
	closing = "\n]"
)

// text is what stands in an archive for one record.
func (m moved) text() ([]byte, error) {
	m.Record = filled(m.Record)
	return wire.JSON(m)
}

// archive is one year of what left a book, as far as it could be read.
type archive struct {
	name string
	raw  [][]byte // the lines without what leads
	good int64
	rest []byte // what follows the last whole line
}

// scan reads an archive without looking into its lines. What does not hold is left in rest.
func scan(name string, data []byte) archive {
	a := archive{name: name}
	if !bytes.HasPrefix(data, []byte(opening)) {
		a.rest = data
		return a
	}
	a.good = int64(len(opening))
	for {
		rest := data[a.good:]
		next := []byte(further)
		if len(a.raw) == 0 {
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
		a.raw = append(a.raw, rest[len(next):len(next)+n])
		a.good += int64(len(next) + n)
	}
}

// whole reports whether the array ends as it should.
func (a archive) whole() bool { return string(a.rest) == closing }

// record reads one line. What would not have been written so is an error.
func (a archive) record(i int) (moved, error) {
	var m moved
	err := json.Unmarshal(a.raw[i], &m)
	if err == nil {
		var again []byte
		if again, err = m.text(); err == nil && !bytes.Equal(again, a.raw[i]) {
			err = errors.New("it is not in the form in which records are written")
		}
	}
	if err != nil {
		return m, broken(a.name, "record %d: %v", i+1, err)
	}
	return m, nil
}

// records reads all lines. A line that cannot be read hides no other.
func (a archive) records() iter.Seq2[moved, error] {
	return func(yield func(moved, error) bool) {
		for i := range a.raw {
			if !yield(a.record(i)) {
				return
			}
		}
		if !a.whole() {
			yield(moved{}, broken(a.name, "it does not end as it was written, after %d records", len(a.raw)))
		}
	}
}

// page is the Markdown of an archive with further lines.
func (a archive) page(o owner, year int, further []moved) ([]byte, error) {
	text := markdown.ArchiveHead(council.MemberID(o), year)
	for i := range a.raw {
		m, err := a.record(i)
		if err != nil {
			return nil, err
		}
		text = append(text, markdown.ArchiveRecord(council.MemberID(o), m.Record)...)
	}
	return append(text, pageEnd(o, further)...), nil
}

func pageEnd(o owner, further []moved) []byte {
	var text []byte
	for _, m := range further {
		text = append(text, markdown.ArchiveRecord(council.MemberID(o), m.Record)...)
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
	return append(text, closing...), nil
}

// file moves records into the archive of a year. Unless this is done over, after a kill or a file that could not be
// read, it reads and writes no more than what moves. [ErrDamaged], [ErrUnreadable]: the archive is as it was.
func (w *writing) file(o owner, room atomicfile.Files, year int, records []moved, over bool) error {
	name := o.path(o.archive(year))
	if !over {
		if done, err := w.appendOnly(o, room, year, records); done || err != nil {
			return unread(name, err)
		}
	}
	data, err := atomicfile.Read(room, o.archive(year))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unread(name, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		text, err := listing(0, records)
		if err == nil {
			err = atomicfile.Write(room, o.archive(year), append([]byte(opening), text...))
		}
		if err != nil {
			return err
		}
		return w.pageOf(o, room, year, archive{name: name}, records)
	}
	a := scan(name, data)
	there := map[string]bool{}
	for i := range a.raw {
		m, err := a.record(i)
		if err != nil {
			return err
		}
		there[fmt.Sprintf("%d %s", m.Step, m.ID)] = true
	}
	missing := slices.DeleteFunc(slices.Clone(records), func(m moved) bool { return there[fmt.Sprintf("%d %s", m.Step, m.ID)] })
	text, err := listing(len(a.raw), missing)
	if err != nil {
		return err
	}
	if !a.whole() && !bytes.HasPrefix(text, bytes.TrimRight(a.rest, "\x00")) {
		return broken(name, "it does not end as it was written, after %d records", len(a.raw))
	}
	if !a.whole() || len(missing) > 0 {
		if err := w.regrow(room, o.archive(year), a, text); err != nil {
			return err
		}
	}
	return w.pageOf(o, room, year, a, missing)
}

// regrow ends an archive anew.
func (w *writing) regrow(room atomicfile.Files, name string, a archive, text []byte) error {
	if !a.whole() {
		_, err := atomicfile.MendEnd(room, name, a.good, a.rest, string(text))
		return err
	}
	return extend(room, name, a.good+int64(len(closing)), text[1:], int64(len(closing)-1))
}

// extend writes text over the last bytes of a file of the given size.
func extend(room atomicfile.Files, name string, size int64, text []byte, over int64) error {
	tail, err := atomicfile.OpenTail(room, name, size)
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text, over), tail.Close())
}

// appendOnly adds records to an archive that ends well and has its page, without reading either.
func (w *writing) appendOnly(o owner, room atomicfile.Files, year int, records []moved) (done bool, err error) {
	info, err := room.Lstat(o.archived(year))
	if err != nil || !info.Mode().IsRegular() {
		return false, nil // pageOf knows what to do
	}
	f, err := room.Open(o.archive(year))
	if err != nil {
		return false, nil
	}
	size, err := f.Size()
	end := make([]byte, len(closing)+1)
	if err == nil && size > int64(len(end)) {
		_, err = f.ReadAt(end, size-int64(len(end)))
	}
	if err := errors.Join(err, f.Close()); err != nil || string(end) != "}"+closing {
		return false, nil
	}
	text, err := listing(1, records)
	if err != nil {
		return false, err
	}
	if err := extend(room, o.archive(year), size, text[1:], int64(len(closing)-1)); err != nil {
		return false, err
	}
	return true, extend(room, o.archived(year), info.Size(), pageEnd(o, records), 0)
}

// pageOf brings the Markdown of an archive in step with it.
func (w *writing) pageOf(o owner, room atomicfile.Files, year int, a archive, further []moved) error {
	text, err := a.page(o, year, further)
	if err != nil {
		return err
	}
	return w.render(o, room, o.archived(year), text, func(held []byte) bool {
		return bytes.HasPrefix(text, bytes.TrimRight(held, "\x00")) // it was not written to its end
	})
}
