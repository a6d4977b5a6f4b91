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

// seal returns the next line of the file, and moves the place behind it.
func (p *place) seal(v any) ([]byte, error) {
	object, err := wire.JSON(v)
	if err != nil {
		return nil, err
	}
	return p.Seal(object), nil
}

// nextFile moves the place from the end of a file to the beginning of the next.
func (p *place) nextFile() { p.first, p.Size = p.next, 0 }

// take reads the entry at the place and moves the place behind it.
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
