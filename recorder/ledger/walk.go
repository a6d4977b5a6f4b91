package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// open opens the ledger and checks the format in its header. f is nil where the ledger has not begun.
func (p place) open(files atomicfile.Files) (f atomicfile.File, err error) {
	f, err = files.Open(current)
	if errors.Is(err, fs.ErrNotExist) {
		if p.Size > 0 {
			return nil, p.damage("what belongs here, from entry %d on, is missing", p.next)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := make([]byte, 1<<10)
	n, _ := f.ReadAt(text, 0) // shorter files are usual
	line, _, _ := bytes.Cut(text[:n], []byte("\n"))
	if err := checkHeader(line); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// walk reads from the place to the end of the ledger, where its head must fit, and moves the place along. take is
// called with each entry until it returns false; the error means nothing then. A torn end is not mended.
func (p *place) walk(files atomicfile.Files, take func(audit.Entry) bool) error {
	f, err := p.open(files)
	if err == nil && f != nil {
		err = errors.Join(p.read(f, take), f.Close())
	}
	switch h := p.head; {
	case err != nil:
		return err
	case h.Seq >= p.next:
		return p.damage("the entries up to %d that followed are missing", h.Seq)
	case h.found != "" && h.found != h.Of:
		return place{next: h.Seq}.damage("the chain is whole, but entry %d is not the one that was written", h.Seq)
	}
	return nil
}

func (p *place) read(f atomicfile.File, take func(audit.Entry) bool) error {
	text, err := atomicfile.ReadFrom(f, p.Size)
	if err != nil {
		return err
	}
	if text == nil {
		return p.damage("the file ends before entry %d", p.next)
	}
	more := true
	err = p.Scan(text, func(line []byte) error {
		if p.Size == 0 {
			return nil // the header
		}
		e, err := readEntry(line)
		if err == nil && e.Seq != p.next {
			err = fmt.Errorf("it is entry %d in the place of entry %d", e.Seq, p.next)
		}
		if err != nil {
			return err
		}
		p.next, p.latest = e.Seq+1, e.Effective()
		if e.Seq == p.head.Seq {
			p.head.found = chain.SumOf(line)
		}
		more = more && take(e)
		return nil
	})
	if found := new(chain.DamageError); errors.As(err, &found) {
		line := 1 // the header
		if p.Size > 0 {
			line += int(p.next)
		}
		err = p.damage("line %d: %s", line, found.Problem)
	}
	return err
}

// seek returns a place in the ledger: behind the last entry that is early enough, as near as the steps of [chain.Back]
// come to it, or else the beginning; that too where enough is nil. The sum of that entry is not checked.
func seek(files atomicfile.Files, enough func(audit.Entry) bool) (p place, err error) {
	h, err := readHead(files) // first: it may lag behind, and must not be ahead
	if err != nil {
		return p, err
	}
	first := place{Log: chain.Log{Sum: chain.Seed("ledger", "workspace")}, next: 1, head: h}
	if enough == nil {
		return first, nil
	}
	f, err := first.open(files)
	if err != nil || f == nil {
		return first, err
	}
	size, err := f.Size()
	if err == nil {
		err = chain.Back(f, size, func(text []byte, at int64) (bool, error) {
			_, lines, _ := bytes.Cut(text, []byte("\n")) // the first one may have begun earlier
			line, rest, whole := bytes.Cut(lines, []byte("\n"))
			if at == 0 || !whole {
				p = first
				return false, nil
			}
			p = place{Log: chain.Log{Sum: chain.SumOf(line), Size: at + int64(len(text)-len(rest))}, head: h}
			e, err := readEntry(line)
			p.next, p.latest = e.Seq+1, e.Effective()
			if err != nil || p.Sum == "" {
				return false, p.damage("the line before is not one of a ledger")
			}
			return enough(e), nil
		})
	}
	return p, errors.Join(err, f.Close())
}

// Read yields the entries of a workspace's ledger from a number on, the oldest first; none where there is no ledger. It
// needs no lock: an append under way is seen as a whole or not at all. The chain is checked from there on. The error is
// the last that it yields: damage, an [ErrNewer], or one of the file system.
func Read(workspace atomicfile.Files, from int64) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(e audit.Entry) bool { return e.Seq < from },
		func(e audit.Entry) bool { return e.Seq >= from })
}

// Since is Read for the entries from a time on. Where the clock was set back, it is the latest time before that counts.
func Since(workspace atomicfile.Files, at time.Time) iter.Seq2[audit.Entry, error] {
	before := func(e audit.Entry) bool { return e.Effective().Before(at) }
	return read(workspace, before, func(e audit.Entry) bool { return !before(e) })
}

// read yields the wanted entries, from one on that is early enough.
func read(workspace atomicfile.Files, enough, wanted func(audit.Entry) bool) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		more := true
		_, err := walkFrom(workspace, enough, func(e audit.Entry) bool {
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
	r.Torn, err = walkFrom(workspace, nil, func(e audit.Entry) bool {
		r.Entries++
		if take != nil {
			take(e)
		}
		return true
	})
	return r, err
}

// walkFrom reads a ledger from the place that [seek] finds to its end, or until take returns false: then the error
// means nothing.
func walkFrom(workspace atomicfile.Files, enough, take func(audit.Entry) bool) (torn bool, err error) {
	err = atomicfile.WithinAny(workspace, Folder, func(files atomicfile.Files) error {
		p, err := seek(files, enough)
		if err == nil {
			err = p.walk(files, take)
		}
		torn = p.Torn
		return err
	})
	return torn, err
}

const format = 1

type header struct {
	Format int   `json:"format"`
	From   int64 `json:"from"` // the entry that follows
}

type place struct {
	chain.Log           // the file up to the place; its size is 0 before the header
	next      int64     // the entry that follows
	latest    time.Time // of the times of all entries before
	head      head
}

func (p *place) seal(v any) ([]byte, error) {
	object, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return p.Seal(object), nil
}

func readEntry(line []byte) (e audit.Entry, err error) {
	if json.Unmarshal(line, &e) != nil { // fields and types that are not known are passed over
		err = errors.New("it is not an entry of a ledger")
	}
	return e, err
}

// checkHeader returns an [ErrNewer], or damage, for a line that is not the header of a ledger. Its sum is not checked.
func checkHeader(line []byte) error {
	var h header
	if json.Unmarshal(line, &h) != nil || h.Format < 1 || h.From != 1 {
		return place{}.damage("line 1: it is not the header of a ledger")
	}
	if h.Format > format {
		return fmt.Errorf("%w: the ledger has format %d, and this version reads formats up to %d", ErrNewer, h.Format, format)
	}
	return nil
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

// writeHead notes the last entry before the place. It is best effort: the entry itself is durable already.
func (p *place) writeHead(f atomicfile.File) {
	if object, err := json.Marshal(head{Seq: p.next - 1, Of: p.Sum}); err == nil {
		line, _ := chain.Seal(headSeed, object)
		_, _ = f.WriteAt(line, 0) // never shorter than the line before: numbers grow
	}
}

func (p place) damage(problem string, args ...any) error {
	at := p.Size
	if p.Torn {
		at = p.Good
	}
	return &chain.DamageError{File: Folder + "/" + current, Event: int(p.next), Offset: at,
		Problem: fmt.Sprintf(problem, args...)}
}
