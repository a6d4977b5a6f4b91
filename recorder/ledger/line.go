package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// format is the version of the ledger's files.
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
	first  int64     // the entry that its file begins with
	at     int64     // the bytes before it in the file; 0 is before the header
	next   int64     // the entry that follows
	sum    string    // of the line before
	latest time.Time // of the times of all entries before
}

// beginning is the place before the first entry.
func beginning() place { return place{first: 1, next: 1, sum: chain.Seed("ledger", "workspace")} }

// header returns the header of the file that begins at the place.
func (p place) header() header {
	h := header{Format: format, From: p.next, Latest: p.latest}
	if p.next > 1 {
		h.After = p.sum
	}
	return h
}

// seal returns a line that stands at the place, and moves the place behind it.
func (p *place) seal(v any) ([]byte, error) {
	object, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	line, sum := chain.Seal(p.sum, object)
	p.at, p.sum = p.at+int64(len(line)), sum
	return line, nil
}

// take checks the line at a place, and moves the place behind it but for at. The entry is the zero Entry for a header.
func (p *place) take(line []byte, isHeader bool) (audit.Entry, error) {
	sum, err := chain.Check(p.sum, line)
	if err != nil {
		return audit.Entry{}, err
	}
	if isHeader {
		h, err := parseHeader(line)
		if err == nil && (h.From != p.next || h.After != p.header().After) {
			err = errors.New("it does not follow the file before")
		}
		if err == nil {
			p.sum = sum
		}
		return audit.Entry{}, err
	}
	e, err := parse(line)
	if err == nil && e.Seq != p.next {
		err = fmt.Errorf("it is entry %d in the place of entry %d", e.Seq, p.next)
	}
	if err == nil {
		p.sum, p.next, p.latest = sum, p.next+1, e.Effective()
	}
	return e, err
}

// parseHeader reads a header without checking its sum. [ErrNewer].
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

// parse reads an entry without checking its sum. Fields and types that it does not know are passed over.
func parse(line []byte) (e audit.Entry, err error) {
	if json.Unmarshal(line, &e) != nil || e.Seq < 1 {
		return e, errors.New("it is not an entry of a ledger")
	}
	return e, nil
}

// head is the newest entry as it stands outside the chain, so that the loss of the ledger's end is noticed. It is
// written after the entry and never synced, so it may lag behind; one that was cut off while it was written counts as
// none.
type head struct {
	Seq int64  `json:"n"`
	Of  string `json:"of"` // the entry's sum
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

// headSeed is what a head, a chain of one line, begins with.
var headSeed = chain.Seed("ledger", "head")

// openHead opens the file of the head to write it.
func openHead(files atomicfile.Files) (atomicfile.File, error) {
	f, err := files.Edit(headFile)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = files.Create(headFile)
	}
	return f, err
}

// write is best effort: the entry itself is durable.
func (h head) write(f atomicfile.File) {
	if object, err := json.Marshal(h); err == nil {
		line, _ := chain.Seal(headSeed, object)
		_, _ = f.WriteAt(line, 0) // no shorter than the line before it: numbers grow
	}
}

// holds checks an entry, or the end of the ledger, against the head: which entries are missing, or were replaced.
func (h head) holds(p place) error {
	switch {
	case h.Seq > 0 && h.Seq == p.next-1 && h.Of != p.sum:
		return damage(p, current, "entry %d is not the one that was written", h.Seq)
	case h.Seq >= p.next:
		return damage(p, current, "the entries up to %d that followed are missing", h.Seq)
	}
	return nil
}

// damage returns a [*chain.DamageError] at a place of a file.
func damage(p place, name, problem string, args ...any) error {
	return &chain.DamageError{
		File: Folder + "/" + name, Event: int(p.next), Offset: p.at, Problem: fmt.Sprintf(problem, args...),
	}
}
