package ledger

import (
	"iter"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
)

// Read yields the entries of a workspace's ledger from a number on, the oldest first. It needs no lock: what is being
// appended is either seen or not. The chain is checked from there on. The error is the last that it yields: damage, an
// [ErrNewer], or one of the file system. A workspace without a ledger has no entries.
func Read(workspace atomicfile.Files, from int64) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(h header) bool { return h.From <= from },
		func(e audit.Entry) bool { return e.Seq >= from })
}

// Since is Read for the entries from a time on. Where the clock was set back, it is the latest time before that counts.
func Since(workspace atomicfile.Files, at time.Time) iter.Seq2[audit.Entry, error] {
	return read(workspace, func(h header) bool { return h.Latest.Before(at) },
		func(e audit.Entry) bool { return !e.Effective().Before(at) })
}

// read yields the entries that are wanted from a file on that is early enough.
func read(workspace atomicfile.Files, enough func(header) bool, wanted func(audit.Entry) bool,
) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		more := true
		_, err := look(workspace, func(files atomicfile.Files) (place, error) { return seek(files, enough) },
			func(e audit.Entry) bool {
				more = !wanted(e) || yield(e, nil)
				return more
			})
		if err != nil && more {
			yield(audit.Entry{}, err)
		}
	}
}

// Report is what [Verify] looked at.
type Report struct {
	Entries int64
	Torn    bool // the last append was interrupted; the next one mends it
}

// Verify reads the whole ledger of a workspace and checks each line, and calls take with each entry; it may be nil. The
// error is a [*chain.DamageError], an [ErrNewer], or one of the file system; the report is then that of what comes
// before.
func Verify(workspace atomicfile.Files, take func(audit.Entry)) (r Report, err error) {
	r.Torn, err = look(workspace, func(atomicfile.Files) (place, error) { return beginning(), nil },
		func(e audit.Entry) bool {
			r.Entries++
			if take != nil {
				take(e)
			}
			return true
		})
	return r, err
}

// look reads a ledger from a place to its end, or until take returns false. The error means nothing then.
func look(workspace atomicfile.Files, from func(atomicfile.Files) (place, error), take func(audit.Entry) bool,
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
		end, err := p.walk(files, func(e audit.Entry, sum string) bool {
			h.see(e.Seq, sum)
			return take(e)
		})
		if torn = end.Torn; err == nil {
			err = h.holds(p)
		}
		return err
	})
	return torn, err
}
