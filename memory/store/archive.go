package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

const (
	archiveOpening = "[\n"
	archiveLead    = "\n,"
	archiveClosing = "\n]"
)

// text returns the line of an archive for the record. It ends with a sum of the rest.
func (h StoredRecord) text() ([]byte, error) {
	h.Record = h.Clone()
	text, err := wire.JSON(h)
	if err != nil {
		return nil, err
	}
	sum := chain.Sum(chain.Seed("archive", ""), text)
	return append(bytes.TrimSuffix(text, []byte("}")), `,"sum":"`+sum+`"}`...), nil
}

func wholeArchive(member council.MemberID, year int, records []StoredRecord) (text, page []byte, err error) {
	text, page, err = archiveLines(member, records)
	return slices.Concat([]byte(archiveOpening), bytes.TrimPrefix(text, []byte(archiveLead)), []byte(archiveClosing)),
		append(memory.ArchivePageHead(member, year), page...), err
}

// archiveLines returns the JSON and the Markdown that records add to an archive with records, without the closing.
func archiveLines(member council.MemberID, records []StoredRecord) (text, page []byte, err error) {
	for _, m := range records {
		one, err := m.text()
		if err != nil {
			return nil, nil, err
		}
		text = append(append(text, archiveLead...), one...)
		page = append(page, memory.ArchivePageRecord(member, m.Root, m.Record)...)
	}
	return text, page, nil
}

// readArchive reads the records of an archive whose ids begin with a prefix. bad has an error for each record that was
// changed; ended is nil if the array ends as it should. All these errors wrap [ErrDamaged].
func readArchive(name string, data []byte, prefix string) (all []StoredRecord, bad []error, ended error) {
	n := 0
	end, err := chain.Array.Scan(data, func(line []byte) error {
		if len(line) == 0 {
			return errors.New("it was not finished")
		}
		if n++; prefix != "" && !bytes.Contains(line, []byte(`"id":"`+prefix)) {
			return nil
		}
		var m StoredRecord
		err := json.Unmarshal(line, &m)
		if err == nil {
			var again []byte
			if again, err = m.text(); err == nil && !bytes.Equal(again, line) {
				err = errors.New("it was changed since it was written")
			}
		}
		if err != nil {
			bad = append(bad, damagedError(name, "record %d: %v", n, err))
			return nil
		}
		all = append(all, m)
		return nil
	})
	if err != nil || end.Torn {
		ended = damagedError(name, "it does not end as it was written, after %d records", n)
	}
	return all, bad, ended
}

// archives returns the files of the archive of a year, in the order of writing.
func (g *bookUpdate) archives(year int, records []StoredRecord) ([]derivedFile, error) {
	o := g.from.owner
	text, page, err := wholeArchive(g.book.Member, year, records)
	begun := func(whole []byte) func(held []byte) bool {
		return func(held []byte) bool { // cut short, or without later records
			return bytes.HasPrefix(whole, bytes.TrimSuffix(bytes.TrimRight(held, "\x00"), []byte(archiveClosing)))
		}
	}
	damaged := func(held []byte) bool {
		_, bad, ended := readArchive("", held, "")
		return len(bad) > 0 || ended != nil
	}
	return []derivedFile{{o.archive(year), text, false, begun(text), damaged, atomicfile.Write},
		{o.archivePage(year), page, true, begun(page), nil, atomicfile.Write}}, err
}

// moveOut moves records into the archive of their year. Unless over is set, after a kill or an unreadable file, it
// reads and writes no more than these records. [ErrDamaged], [ErrUnreadable]: the archive is as it was. With an error
// it returns the name of the file.
func (w *writer) moveOut(g *bookUpdate, folder atomicfile.Files, records []StoredRecord, over bool) (name string,
	err error) {
	o, year := g.from.owner, records[0].Year
	name = o.path(o.archive(year))
	if !over {
		if done, err := appendOnly(g, folder, records); done || err != nil {
			return name, err
		}
	}
	held, err := atomicfile.Read(folder, o.archive(year))
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return name, unreadable(name, err)
	}
	if _, err := folder.Lstat(o.archivePage(year)); absent && err == nil { // which is written later
		return name, damagedError(name, "it is missing, and %s is there", o.archivePage(year))
	}
	var before []StoredRecord
	var ended error
	if !absent {
		var bad []error
		if before, bad, ended = readArchive(name, held, ""); len(bad) > 0 {
			return name, bad[0]
		}
	}
	before = slices.DeleteFunc(before, func(m StoredRecord) bool {
		return slices.ContainsFunc(records, func(n StoredRecord) bool { return n.Step == m.Step && n.ID == m.ID })
	})
	files, err := g.archives(year, append(before, records...))
	if err != nil {
		return name, err
	}
	if ended != nil { // an append that was interrupted wrote over the bracket
		was, _, err := wholeArchive(g.book.Member, year, before)
		torn := len(before) > 0 && len(held) >= len(was) && bytes.HasPrefix(files[0].text, bytes.TrimRight(held, "\x00"))
		if err != nil || !over || !torn {
			return name, errors.Join(err, ended)
		}
	}
	for _, d := range files {
		if _, err := w.placeFile(o.folder(), folder, d); err != nil {
			return o.path(d.name), err
		}
	}
	return "", nil
}

// appendOnly adds records to an archive that ends well and has its page, without reading either.
func appendOnly(g *bookUpdate, folder atomicfile.Files, records []StoredRecord) (done bool, err error) {
	o, year := g.from.owner, records[0].Year
	info, err := folder.Lstat(o.archivePage(year))
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	file, err := folder.Open(o.archive(year))
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
	text, page, err := archiveLines(g.book.Member, records)
	if err == nil { // over the bracket
		err = extend(folder, o.archive(year), size, append(text, archiveClosing...)[1:], int64(len(archiveClosing)-1))
	}
	if err == nil {
		err = extend(folder, o.archivePage(year), info.Size(), page, 0)
	}
	return true, err
}

func extend(folder atomicfile.Files, name string, size int64, text []byte, over int64) error {
	tail, err := atomicfile.OpenTail(folder, name, size)
	if err != nil {
		return err
	}
	return errors.Join(tail.Append(text, over), tail.Close())
}
