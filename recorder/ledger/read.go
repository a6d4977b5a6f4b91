package ledger

import (
	"errors"
	"io/fs"
	"iter"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
)

// Read yields the entries of a workspace's ledger from a number on, the oldest first. It needs no lock: what is being
// appended is either seen or not. The chain is checked from there on. The error is the last that it yields: damage, an
// [ErrNewer], or one of the file system. A workspace without a ledger has no entries.
func Read(workspace atomicfile.Files, from int64) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(next int64, _ time.Time) bool { return next <= from },
		func(e audit.Entry) bool { return e.Seq >= from })
}

// Since is Read for the entries from a time on. Where the clock was set back, it is the latest time before that counts.
func Since(workspace atomicfile.Files, at time.Time) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(_ int64, latest time.Time) bool { return latest.Before(at) },
		func(e audit.Entry) bool { return !e.Effective().Before(at) })
}

// read yields the entries that are wanted from a place on that is early enough.
func read(workspace atomicfile.Files, enough func(int64, time.Time) bool, wanted func(audit.Entry) bool,
) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		files, err := workspace.Folder(Folder)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(audit.Entry{}, err)
			return
		}
		defer files.Close()
		more := true
		p, err := seek(files, enough)
		if err == nil {
			_, err = p.walk(files.Open, func(all []line) bool {
				for _, one := range all {
					if more = !wanted(one.Entry) || yield(one.Entry, nil); !more {
						break
					}
				}
				return more
			})
		}
		if err != nil && more {
			yield(audit.Entry{}, err)
		}
	}
}

// Report is what [Verify] looked at.
type Report struct {
	Entries int64
	Files   int
	Torn    bool // the last append was interrupted; the next one mends it
}

// Verify reads the whole ledger of a workspace and checks each line, and calls take with each entry; it may be nil. The
// error is a
// [*chain.DamageError], an [ErrNewer], or one of the file system; the report is then that of what comes before.
func Verify(workspace atomicfile.Files, take func(audit.Entry)) (r Report, err error) {
	files, err := workspace.Folder(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer files.Close()
	h, err := readHead(files) // first: it may lag behind, and must not be ahead
	if err != nil {
		return r, err
	}
	p := beginning()
	var replaced error
	r.Torn, err = p.walk(files.Open, func(all []line) bool {
		r.Files++
		for _, one := range all {
			if one.Seq == h.Seq && one.sum != h.Of {
				at := place{next: one.Seq}
				replaced = damage(at, current, "the chain is whole, but entry %d is not the one that was written", h.Seq)
			}
			if take != nil {
				take(one.Entry)
			}
		}
		r.Entries += int64(len(all))
		return true
	})
	if err == nil {
		err = replaced
	}
	if err == nil && h.Seq >= p.next {
		err = h.holds(p)
	}
	return r, err
}
