// Package ledger keeps the ledger of a workspace on disk: one chained line for each entry, durable before its effect.
//
// The file audit/audit.jsonl begins with a header, {"format":1,"from":1}, and grows by [chain.Lines]. Any process may
// append: it takes the lock in audit_single_writer, reads the new entries of others, and writes after them. An append
// and a list of the latest entries read the end of the file alone, however long it is. audit.head names the newest
// entry, so that missing entries at the end are noticed.
//
// It is its own package because its lock and its chain have nothing to do with those of sessions.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/groupcommit"
	"github.com/council-engine/council/recorder/chain"
)

// Folder is the ledger's folder in that of the workspace.
const Folder = "audit"

const (
	current  = "audit.jsonl"
	lockFile = "audit_single_writer"
	headFile = "audit.head"

	maxStale = 100              // tries of an append that entries of another machine keep preceding
	patience = 30 * time.Second // for the lock, which is held for milliseconds
)

// Sentinels of the ledger.
var (
	// ErrUnwritten: the entry was not recorded, so its effect must not happen. The wrapped error is the reason, such as
	// [ErrDamaged].
	ErrUnwritten = errors.New("the ledger of the workspace cannot be written")
	// ErrDamaged: the ledger was changed or lost its end; see [chain.DamageError]. A new one is begun once the folder
	// audit is renamed.
	ErrDamaged = chain.ErrDamaged
	// ErrNewer: a newer version of council wrote the ledger. Use that version.
	ErrNewer = chain.ErrNewer
)

// Ledger appends entries. It is safe for concurrent use, and so are several Ledgers of one workspace, in several
// processes.
type Ledger struct {
	workspace atomicfile.Files
	now       func() time.Time

	queue groupcommit.Queue[*request]

	commits sync.Mutex       // guards the fields below
	files   atomicfile.Files // the ledger's folder
	head    atomicfile.File
	end     place
	day     *audit.Day // nil: the end has to be found first
	stopped error

	unsynced bool
}

type request struct {
	decide func(*audit.Day) (audit.Entry, error)
	seq    int64
	err    error
}

// Open returns the ledger of a workspace and takes over its files. Nothing is read or made before the first entry.
func Open(files atomicfile.Files, now func() time.Time) *Ledger {
	return &Ledger{workspace: files, now: now}
}

// Append records an entry and returns its number when it is durable. Seq, At and Latest are set. The error is an
// [ErrUnwritten].
//
// An entry of [audit.TypeSettled] is durable with the next one of another type, or with Close: where the machine fails
// before, the call counts with its estimate.
func (l *Ledger) Append(e audit.Entry) (int64, error) {
	return l.Decide(func(*audit.Day) (audit.Entry, error) { return e, nil })
}

// Decide is Append for an entry that depends on the spending of the last 24 hours: no entry comes between the decision
// and its own. decide must not keep the Day, nor call the ledger. An error of decide is returned as it is, and nothing
// is recorded.
func (l *Ledger) Decide(decide func(*audit.Day) (audit.Entry, error)) (int64, error) {
	r := &request{decide: decide}
	l.queue.Do(r, func(group []*request) {
		l.commits.Lock()
		defer l.commits.Unlock()
		err := l.commit(group)
		for tries := 0; errors.Is(err, atomicfile.ErrStale) && tries < maxStale; tries++ { // read others first
			err = l.commit(group)
		}
		for _, one := range group {
			if err != nil && one.err == nil {
				one.seq, one.err = 0, fmt.Errorf("%w: %w", ErrUnwritten, err)
			}
		}
	})
	return r.seq, r.err
}

// Close makes all entries durable and releases the files. Nothing may be appended later.
func (l *Ledger) Close() (err error) {
	l.commits.Lock()
	defer l.commits.Unlock()
	if l.unsynced && l.stopped == nil {
		err = l.sync()
	}
	if l.files != nil {
		err = errors.Join(err, l.head.Close(), l.files.Close())
	}
	return errors.Join(err, l.workspace.Close())
}

// sync makes durable the entries that were written without an fsync.
func (l *Ledger) sync() error {
	f, err := l.files.Edit(current)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	l.end.writeHead(l.head)
	return nil
}

func (l *Ledger) commit(group []*request) (err error) {
	if l.stopped != nil {
		return l.stopped
	}
	if l.files == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	lock, err := atomicfile.BriefLock(l.files, lockFile, patience)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			l.day, l.unsynced = nil, false // both count entries that were not written
		}
		_ = lock.Release() // the entries are durable whether or not this fails
	}()
	if err := l.catchUp(); err != nil {
		return err
	}
	before, text := l.end, []byte(nil)
	if l.end.Size == 0 {
		if text, err = l.end.seal(header{format, 1}); err != nil {
			return err
		}
	}
	began, must := len(text), false
	for _, r := range group {
		now := l.now().UTC().Truncate(time.Microsecond)
		l.day.Advance(now)
		e, err := r.decide(l.day)
		if r.err = err; err != nil {
			continue
		}
		e.Seq, e.At, e.Latest = l.end.next, now, time.Time{}
		if l.end.latest.After(now) {
			e.Latest = l.end.latest
		}
		one, err := l.end.seal(e)
		if err != nil {
			return err
		}
		l.end.next, l.end.latest, r.seq = e.Seq+1, e.Effective(), e.Seq
		l.day.Take(e)
		text, must = append(text, one...), must || e.Type != audit.TypeSettled
	}
	if len(text) == began {
		l.end = before
		return nil
	}
	if err := l.write(text, before.Size, must); err != nil {
		return err
	}
	if l.unsynced = !must; must {
		l.end.writeHead(l.head)
	}
	return nil
}

// write appends lines to the ledger, which has so many bytes, and syncs them if they must last.
func (l *Ledger) write(text []byte, size int64, must bool) error {
	if size == 0 {
		return atomicfile.Write(l.files, current, text)
	}
	f, err := l.files.Edit(current)
	if err != nil {
		return err
	}
	if _, err = f.WriteAt(text, size); err != nil {
		_ = f.Truncate(size) // else the next append cuts off the torn end
	} else if must {
		err = f.Sync()
		l.stopped = err // the state of the disk is unknown, so nothing is tried again
	}
	return errors.Join(err, f.Close())
}

// catchUp reads the entries of others, or the last 24 hours at first, and mends a torn end.
func (l *Ledger) catchUp() (err error) {
	if l.day == nil {
		if err := atomicfile.Tidy(l.files); err != nil {
			return err
		}
		from := l.now().Add(-audit.Span)
		if l.end, err = seek(l.files, func(e audit.Entry) bool { return e.Effective().Before(from) }); err != nil {
			return err
		}
		l.day = new(audit.Day)
	}
	err = l.end.walk(l.files, func(e audit.Entry) bool { l.day.Take(e); return true })
	if err == nil {
		err = l.end.Mend(l.files, current)
	}
	return err
}

func (l *Ledger) open() error {
	files, err := atomicfile.OpenFolder(l.workspace, Folder)
	if err != nil {
		return err
	}
	if l.head, err = files.Create(headFile); errors.Is(err, fs.ErrExist) {
		l.head, err = files.Edit(headFile)
	}
	if err != nil {
		return errors.Join(err, files.Close())
	}
	l.files = files
	return nil
}
