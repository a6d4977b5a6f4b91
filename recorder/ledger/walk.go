package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

func fullName(first int64) string { return fmt.Sprintf("audit-%d.jsonl", first) }

// open opens the file of the place: the current one, or a full one. It returns nil where no file follows yet.
func (p place) open(files atomicfile.Files) (f atomicfile.File, name string, err error) {
	follows := p.Size > 0
	for _, name = range []string{current, fullName(p.first)} {
		f, h, err := openFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || h.From == p.first {
			return f, name, err
		}
		if err := f.Close(); err != nil {
			return nil, name, err
		}
		follows = true
	}
	if follows {
		return nil, current, p.damage(current, "what belongs here, from entry %d on, is missing", p.next)
	}
	return nil, current, nil
}

// openFile opens a file of the ledger and reads its header, without checking its sum. [ErrNewer]; damage.
func openFile(files atomicfile.Files, name string) (atomicfile.File, header, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, header{}, err
	}
	text := make([]byte, 1<<10)
	n, _ := f.ReadAt(text, 0) // shorter files are usual
	one, _, _ := bytes.Cut(text[:n], []byte("\n"))
	h, err := parseHeader(one)
	if err == nil {
		return f, h, nil
	}
	if !errors.Is(err, ErrNewer) {
		err = place{}.damage(name, "line 1: %v", err)
	}
	return nil, h, errors.Join(err, f.Close())
}

// walk reads from the place to the end of the ledger, where the head must fit, and moves the place along. take is
// called with each entry until it returns false; the error means nothing then. A torn end is not mended.
func (p *place) walk(files atomicfile.Files, h head, take func(audit.Entry) bool) error {
	for more := true; more; {
		f, name, err := p.open(files)
		if err != nil {
			return err
		}
		if f == nil {
			break
		}
		more, err = p.read(f, name, &h, take)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if name == current {
			break
		}
		if p.Torn {
			return p.damage(name, "the file is full and ends with %d bytes that are not a line", len(p.Cut))
		}
		p.nextFile()
	}
	return h.check(*p)
}

// read is walk within one file. more is the last result of take.
func (p *place) read(f atomicfile.File, name string, h *head, take func(audit.Entry) bool) (more bool, err error) {
	text, err := atomicfile.ReadFrom(f, p.Size)
	if err != nil {
		return false, err
	}
	if text == nil {
		return false, p.damage(name, "the file ends before entry %d", p.next)
	}
	more = true
	err = p.Scan(text, func(line []byte) error {
		if p.Size == 0 {
			h, err := parseHeader(line)
			if err == nil && (h.From != p.next || h.After != p.header().After) {
				err = errors.New("it does not follow the file before")
			}
			return err
		}
		e, err := p.take(line)
		if err != nil {
			return err
		}
		if e.Seq == h.Seq {
			h.found = chain.SumOf(line)
		}
		more = more && take(e)
		return nil
	})
	if found := new(chain.DamageError); errors.As(err, &found) {
		line := 1 // the header
		if p.Size > 0 {
			line = int(2 + p.next - p.first)
		}
		err = p.damage(name, "line %d: %s", line, found.Problem)
	}
	return more, err
}

// seek returns the beginning of the newest file that is early enough, by its header, or else of the oldest.
func seek(files atomicfile.Files, enough func(header) bool) (p place, err error) {
	entries, err := files.List()
	if err != nil {
		return p, err
	}
	var firsts []int64
	for _, e := range entries {
		number := strings.TrimSuffix(strings.TrimPrefix(e.Name(), "audit-"), ".jsonl")
		if first, err := strconv.ParseInt(number, 10, 64); err == nil && e.Name() == fullName(first) {
			firsts = append(firsts, first)
		}
	}
	slices.Sort(firsts)
	names := []string{current}
	for _, first := range slices.Backward(firsts) {
		names = append(names, fullName(first))
	}
	p = firstPlace()
	for _, name := range names {
		f, h, err := openFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return p, err
		}
		if err := f.Close(); err != nil {
			return p, err
		}
		if p = firstPlace(); h.From > 1 {
			p = place{Log: chain.Log{Sum: h.After}, first: h.From, next: h.From, latest: h.Latest}
		}
		if enough(h) {
			break
		}
	}
	return p, nil
}

// Read yields the entries of a workspace's ledger from a number on, the oldest first; none where there is no ledger. It
// needs no lock: an append under way is seen as a whole or not at all. The chain is checked from there on. The error is
// the last that it yields: damage, an [ErrNewer], or one of the file system.
func Read(workspace atomicfile.Files, from int64) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(h header) bool { return h.From <= from },
		func(e audit.Entry) bool { return e.Seq >= from })
}

// Since is Read for the entries from a time on. Where the clock was set back, it is the latest time before that counts.
func Since(workspace atomicfile.Files, at time.Time) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(h header) bool { return h.Latest.Before(at) },
		func(e audit.Entry) bool { return !e.Effective().Before(at) })
}

// read yields the wanted entries, from a file on that is early enough.
func read(workspace atomicfile.Files, enough func(header) bool, wanted func(audit.Entry) bool,
) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		more := true
		_, err := walkFrom(workspace, func(files atomicfile.Files) (place, error) { return seek(files, enough) },
			func(e audit.Entry) bool {
				more = !wanted(e) || yield(e, nil)
				return more
			})
		if err != nil && more {
			yield(audit.Entry{}, err)
		}
	}
}

// Report is the result of [Verify].
type Report struct {
	Entries int64
	Torn    bool // the last append was interrupted; the next one mends it
}

// Verify checks the whole ledger of a workspace and calls take, which may be nil, with each entry. The error is a
// [*chain.DamageError], an [ErrNewer], or one of the file system; the report then covers the entries before the place.
func Verify(workspace atomicfile.Files, take func(audit.Entry)) (r Report, err error) {
	r.Torn, err = walkFrom(workspace, func(atomicfile.Files) (place, error) { return firstPlace(), nil },
		func(e audit.Entry) bool {
			r.Entries++
			if take != nil {
				take(e)
			}
			return true
		})
	return r, err
}

// walkFrom reads a ledger from a place to its end, or until take returns false: then the error means nothing.
func walkFrom(workspace atomicfile.Files, from func(atomicfile.Files) (place, error), take func(audit.Entry) bool,
) (torn bool, err error) {
	err = atomicfile.WithinAny(workspace, Folder, func(files atomicfile.Files) error {
		h, err := readHead(files) // first: it may lag behind, and must not be ahead
		if err != nil {
			return err
		}
		p, err := from(files)
		if err != nil {
			return err
		}
		err = p.walk(files, h, take)
		torn = p.Torn
		return err
	})
	return torn, err
}

const format = 1

// header is the first line of a file.
type header struct {
	Format int       `json:"format"`
	From   int64     `json:"from"`            // the entry that follows
	After  string    `json:"after,omitempty"` // the sum that the file before ends with
	Latest time.Time `json:"latest,omitzero"` // of the times of all entries before
}

// place is a place between two entries of the ledger.
type place struct {
	chain.Log           // the file up to the place; its size is 0 before the header
	first     int64     // the entry that the file begins with
	next      int64     // the entry that follows
	latest    time.Time // of the times of all entries before
}

func firstPlace() place {
	return place{Log: chain.Log{Sum: chain.Seed("ledger", "workspace")}, first: 1, next: 1}
}

// header returns the header of the file that begins at the place.
func (p place) header() header {
	h := header{Format: format, From: p.next, Latest: p.latest}
	if p.next > 1 {
		h.After = p.Sum
	}
	return h
}

func (p *place) seal(v any) ([]byte, error) {
	object, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return p.Seal(object), nil
}

func (p *place) nextFile() { p.first, p.Size = p.next, 0 }

func (p *place) take(line []byte) (e audit.Entry, err error) {
	if json.Unmarshal(line, &e) != nil { // fields and types that are not known are passed over
		return e, errors.New("it is not an entry of a ledger")
	}
	if e.Seq != p.next {
		return e, fmt.Errorf("it is entry %d in the place of entry %d", e.Seq, p.next)
	}
	p.next, p.latest = e.Seq+1, e.Effective()
	return e, nil
}

func parseHeader(line []byte) (header, error) {
	var h header
	if json.Unmarshal(line, &h) != nil || h.Format < 1 {
		return h, errors.New("it is not the header of a ledger")
	}
	if h.Format > format {
		return h, fmt.Errorf("%w: the ledger has format %d, and this version reads formats up to %d",
			ErrNewer, h.Format, format)
	}
	return h, nil
}

// head is the newest entry as noted outside the chain, by which a missing end of the ledger is noticed. It is written
// after the entry and never synced, so it may lag behind; one that was cut off counts as none.
type head struct {
	Seq int64  `json:"n"`
	Of  string `json:"of"` // the entry's sum

	found string // the sum of this entry in the chain; "" where it was not read
}

func readHead(files atomicfile.Files) (h head, err error) {
	text, err := atomicfile.Read(files, headFile)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if _, torn := chain.Check(headSeed, line); torn != nil || json.Unmarshal(line, &h) != nil {
		return head{}, err
	}
	return h, err
}

// headSeed begins the chain of a head, which has one line.
var headSeed = chain.Seed("ledger", "head")

// write is best effort: the entry itself is durable already.
func (h head) write(f atomicfile.File) {
	if object, err := json.Marshal(h); err == nil {
		line, _ := chain.Seal(headSeed, object)
		_, _ = f.WriteAt(line, 0) // never shorter than the line before: numbers grow
	}
}

// check returns damage where entries that the head names are missing or replaced, in a chain that ends at a place.
func (h head) check(p place) error {
	switch {
	case h.Seq >= p.next:
		return p.damage(current, "the entries up to %d that followed are missing", h.Seq)
	case h.found != "" && h.found != h.Of:
		return place{next: h.Seq}.damage(current, "the chain is whole, but entry %d is not the one that was written", h.Seq)
	}
	return nil
}

// damage returns a [*chain.DamageError] at the place in a file.
func (p place) damage(name, problem string, args ...any) error {
	at := p.Size
	if p.Torn {
		at = p.Good
	}
	return &chain.DamageError{
		File: Folder + "/" + name, Event: int(p.next), Offset: at, Problem: fmt.Sprintf(problem, args...),
	}
}
