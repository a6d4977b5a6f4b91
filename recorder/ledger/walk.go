package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
)

// rotated returns the name that a file gets when it is full.
func rotated(first int64) string { return fmt.Sprintf("audit-%d.jsonl", first) }

// fits reports whether the place lies in the file: the line before it is there. Before a file's header it fits if that
// header follows.
func (p place) fits(f atomicfile.File, name string) (bool, error) {
	if p.at == 0 {
		h, _, err := readHeader(f, name)
		return h.From == p.next, err
	}
	text := make([]byte, chain.TailSize)
	if size, err := f.Size(); err != nil || size < p.at {
		return false, err
	}
	_, err := f.ReadAt(text, p.at-1-int64(chain.TailSize))
	return chain.SumOf(text) == p.sum, err
}

// opener opens a file: to read it, or to append to it as well.
type opener func(name string) (atomicfile.File, error)

// open opens the file that the place lies in: under its own name, or as the one that is still written. No file and no
// error: nothing follows the place yet.
func (p place) open(files opener) (f atomicfile.File, name string, err error) {
	for range 2 { // a file may be rotated between the two looks
		for _, name = range []string{rotated(p.first), current} {
			f, err = files(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, name, err
			}
			fits, err := p.fits(f, name)
			if fits && err == nil {
				return f, name, nil
			}
			if err := errors.Join(err, f.Close()); err != nil {
				return nil, name, err
			}
		}
	}
	if err != nil && p.at == 0 {
		return nil, current, nil
	}
	return nil, current, damage(p, current, "what belongs here, from entry %d on, is missing", p.next)
}

// line is an entry and its sum.
type line struct {
	audit.Entry
	sum string
}

// part is what stands in a file from a place on.
type part struct {
	name    string // of the file; "" where there is none yet
	entries []line
	torn    bool   // it does not end with a whole line: instead of
	cut     []byte // these bytes behind the place
	mended  string // there has to stand this
}

// readNext reads the file that the place lies in from there to its end.
func (p *place) readNext(files opener) (part, error) {
	f, name, err := p.open(files)
	if f == nil || err != nil {
		return part{}, err
	}
	defer f.Close()
	return p.read(f, name)
}

// read reads a file from the place to its end, and moves the place there. An error comes with the entries before it.
func (p *place) read(f atomicfile.File, name string) (part, error) {
	all := part{name: name}
	size, err := f.Size()
	if err != nil {
		return all, err
	}
	text := make([]byte, size-p.at)
	if _, err := f.ReadAt(text, p.at); err != nil {
		return all, err
	}
	from, before := p.at, int64(0) // bytes and lines
	if p.at > 0 {
		before = 1 + p.next - p.first
	}
	isHeader := before == 0
	end, err := chain.Lines.Scan(text, func(one []byte) error {
		e, err := p.take(one, isHeader)
		if err == nil && !isHeader {
			all.entries = append(all.entries, line{e, p.sum})
		}
		isHeader = false
		return err
	})
	if found := new(chain.DamageError); errors.As(err, &found) {
		p.at = from + found.Offset
		return all, damage(*p, name, "line %d: %s", before+int64(found.Event), found.Problem)
	}
	p.at = from + end.Good
	if all.torn = end.Torn; end.Torn {
		all.cut, all.mended = text[end.Good:], end.Mended()
	} else if end.Good > 0 {
		p.at++
	}
	return all, err
}

// nextFile moves the place from the end of a file to the beginning of the next.
func (p *place) nextFile() { p.first, p.at = p.next, 0 }

// full reports whether a part that was read is the end of a full file, so that the place is moved to the next one. A
// full file that ends torn is damage.
func (p *place) full(read part) (bool, error) {
	if read.name == "" || read.name == current {
		return false, nil
	}
	if read.torn {
		return false, damage(*p, read.name, "the file is full and ends with %d bytes that are not a line", len(read.cut))
	}
	p.nextFile()
	return true, nil
}

// walk reads from the place to the end of the ledger, and calls take with the entries of each file. Whether the end is
// torn is up to a writer.
func (p *place) walk(files opener, take func([]line) bool) (torn bool, err error) {
	for more := true; more; {
		read, err := p.readNext(files)
		if !take(read.entries) || err != nil {
			return read.torn, err
		}
		if more, err = p.full(read); err != nil || !more {
			return read.torn, err
		}
	}
	return false, nil
}

// readHeader reads the header of a file without checking its sum, and the length of its line. [ErrNewer]; damage.
func readHeader(f atomicfile.File, name string) (h header, length int64, err error) {
	text := make([]byte, 1<<10)
	n, _ := f.ReadAt(text, 0) // shorter files are usual
	one, _, _ := bytes.Cut(text[:n], []byte("\n"))
	h, err = parseHeader(one)
	if err != nil && !errors.Is(err, ErrNewer) {
		err = damage(place{}, name, "line 1: %v", err)
	}
	return h, int64(len(one)) + 1, err
}

// seek returns a place that is early enough, and not much earlier than that: it looks from the end of the ledger.
// enough is asked whether what follows an entry, before the entry next, will do when no entry before it is dated later
// than latest. Where nothing is early enough it returns the oldest place.
func seek(files atomicfile.Files, enough func(next int64, latest time.Time) bool) (place, error) {
	entries, err := files.List()
	if err != nil {
		return place{}, err
	}
	firsts := []int64{0} // of the file that is still written
	for _, e := range entries {
		var first int64
		if _, err := fmt.Sscanf(e.Name(), "audit-%d.jsonl", &first); err == nil && e.Name() == rotated(first) {
			firsts = append(firsts, first)
		}
	}
	slices.Sort(firsts[1:])
	p := beginning()
	for i := range firsts {
		name := current
		if i > 0 {
			name = rotated(firsts[len(firsts)-i])
		}
		found, ok, err := seekIn(files, name, enough)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if p = found; ok || err != nil {
			return found, err
		}
	}
	return p, nil
}

// seekIn is seek within one file.
func seekIn(files atomicfile.Files, name string, enough func(int64, time.Time) bool) (p place, ok bool, err error) {
	f, err := files.Open(name)
	if err != nil {
		return p, false, err
	}
	defer f.Close()
	h, length, err := readHeader(f, name)
	if err != nil {
		return p, false, err
	}
	p = place{first: h.From, next: h.From, sum: h.After, latest: h.Latest}
	if h.From == 1 {
		p.sum = beginning().sum
	}
	size, err := f.Size()
	if err != nil || !enough(h.From, h.Latest) {
		return p, false, err
	}
	return p, true, chain.Back(f, size, func(text []byte, at int64) (bool, error) {
		if at <= length {
			return true, nil
		}
		_, text, _ = bytes.Cut(text, []byte("\n"))
		one, _, whole := bytes.Cut(text, []byte("\n"))
		e, err := parse(one)
		if !whole || err != nil || !enough(e.Seq+1, e.Effective()) { // damage is found when the part is read
			return false, nil
		}
		behind := size - int64(len(text)) + int64(len(one)) + 1
		p = place{first: h.From, at: behind, next: e.Seq + 1, sum: chain.SumOf(one), latest: e.Effective()}
		return true, nil
	})
}
