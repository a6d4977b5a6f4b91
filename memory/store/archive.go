package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
)

// archiveFile is one year's archive of an owner.
type archiveFile struct {
	Room   atomicfile.Files
	Name   string // of the JSON in the room
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
	data, err := atomicfile.Read(f.Room, f.Name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unread(name, err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := f.Room.Lstat(f.Page); err == nil { // which is written later
			return broken(name, "it is missing, and %s is there", f.Page)
		}
		text, err := listing(0, records)
		if err == nil {
			err = atomicfile.Write(f.Room, f.Name, append([]byte(archiveOpening), text...))
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
	missing := slices.DeleteFunc(slices.Clone(records), func(m moved) bool { return there[fmt.Sprintf("%d %s", m.Step, m.ID)] })
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
		_, err := atomicfile.MendEnd(f.Room, f.Name, a.good, a.rest, string(text))
		return err
	}
	return extend(f.Room, f.Name, a.good+int64(len(archiveClosing)), text[1:], int64(len(archiveClosing)-1))
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
func (f archiveFile) appendOnly(records []moved) (done bool, err error) {
	info, err := f.Room.Lstat(f.Page)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil // page knows what to do
	}
	file, err := f.Room.Open(f.Name)
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
	if err := extend(f.Room, f.Name, size, text[1:], int64(len(archiveClosing)-1)); err != nil {
		return false, err
	}
	return true, extend(f.Room, f.Page, info.Size(), pageEnd(f.Member, records), 0)
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
