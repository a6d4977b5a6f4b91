// Package ledger keeps the ledger of a workspace on disk: one chained line for each entry, durable before what it
// announces is done.
//
// The folder audit/ holds audit.jsonl, which grows, and the files before it, which are full and never change:
// audit-<number of their first entry>.jsonl. A file begins with a header, {"format":1,"from":1,…}, that follows the
// last line of the file before; so all of them are one chain of [chain.Lines]. Any process may append: it takes the
// lock in audit_single_writer, reads what others appended, and writes behind it. audit.head names the newest entry, so
// that entries which are missing at the end are noticed.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/recorder/chain"
)

// Folder is the ledger's folder in that of the workspace.
const Folder = "audit"

const (
	current  = "audit.jsonl"
	lockFile = "audit_single_writer"
	headFile = "audit.head"

	full     = 8 << 20          // bytes of a file, from which on the next line goes to another
	patience = 30 * time.Second // for others who append; they hold the lock for milliseconds
)

// Sentinels of the ledger.
var (
	// ErrUnwritten: the entry was not recorded, so that nothing of what it announces may be done. The error that it is
	// wrapped with says why, such as [ErrDamaged].
	ErrUnwritten = errors.New("the ledger of the workspace cannot be written")
	// ErrDamaged: the ledger is not what was written. See [chain.DamageError]. A new one is begun where the folder audit
	// is put aside.
	ErrDamaged = chain.ErrDamaged
	// ErrNewer: a newer version of council wrote the ledger. Use that version.
	ErrNewer = chain.ErrNewer
)

// Ledger appends entries. It is safe for concurrent use, and so are several Ledgers of one workspace, in several
// processes.
type Ledger struct {
	workspace atomicfile.Files
	now       func() time.Time
	full      int64

	queue   sync.Mutex
	waiting []*request

	commits sync.Mutex       // guards what follows, and what requests come to
	files   atomicfile.Files // the ledger's folder, during a commit
	end     place
	day     *audit.Day // nil: the end has to be found first
	stopped error
}

// request is an entry on its way.
type request struct {
	decide func(*audit.Day) (audit.Entry, error)
	done   bool
	seq    int64
	err    error
}

// Open returns the ledger of a workspace. Nothing is read or made before the first entry. The caller keeps
// files open.
func Open(files atomicfile.Files, now func() time.Time) *Ledger {
	return &Ledger{workspace: files, now: now, full: full}
}

var _ audit.Ledger = (*Ledger)(nil)

// Append records an entry and returns its number when it is durable. Seq, At and Latest are set. The error is an
// [ErrUnwritten].
func (l *Ledger) Append(e audit.Entry) (int64, error) {
	return l.Decide(func(*audit.Day) (audit.Entry, error) { return e, nil })
}

// Decide is Append for an entry that depends on what was spent within the last 24 hours: nobody appends between the
// decision and its entry. decide must not keep the Day, nor call the ledger. An error of decide is returned as it is,
// and nothing is recorded.
func (l *Ledger) Decide(decide func(*audit.Day) (audit.Entry, error)) (int64, error) {
	r := &request{decide: decide}
	l.queue.Lock()
	l.waiting = append(l.waiting, r)
	l.queue.Unlock()

	// Whoever comes first writes the entries of all who wait.
	l.commits.Lock()
	defer l.commits.Unlock()
	if !r.done {
		l.queue.Lock()
		group := l.waiting
		l.waiting = nil
		l.queue.Unlock()
		err := l.commit(group)
		for _, one := range group {
			one.done = true
			if err != nil && one.err == nil {
				one.seq, one.err = 0, fmt.Errorf("%w: %w", ErrUnwritten, err)
			}
		}
	}
	return r.seq, r.err
}

// commit writes the entries of a group and syncs them together.
func (l *Ledger) commit(group []*request) (err error) {
	if l.stopped != nil {
		return l.stopped
	}
	if l.files, err = folder(l.workspace); err != nil {
		return err
	}
	defer l.files.Close()
	lock, err := atomicfile.WaitLock(l.files, lockFile, patience)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			l.day = nil // it counted what was not written
		}
		_ = lock.Release() // what was written is durable, whoever is said to hold the lock
	}()
	if err := l.catchUp(); err != nil {
		return err
	}
	rotate := l.end.at >= l.full
	before, text := l.end, []byte(nil)
	if rotate {
		l.end.nextFile()
	}
	if l.end.at == 0 {
		if text, err = l.end.seal(l.end.header()); err != nil {
			return err
		}
	}
	began := len(text)
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
		text = append(text, one...)
	}
	if len(text) == began {
		l.end = before
		return nil
	}
	if err := l.write(text, before, rotate); err != nil {
		return err
	}
	head{l.end.next - 1, l.end.sum}.write(l.files)
	return nil
}

// write puts lines at the end of the ledger, which lay before them.
func (l *Ledger) write(text []byte, before place, rotate bool) error {
	if rotate {
		if err := l.files.Rename(current, rotated(before.first)); err != nil {
			return err
		}
	}
	if rotate || before.at == 0 {
		return atomicfile.Write(l.files, current, text)
	}
	f, err := l.files.Edit(current)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(text, before.at); err != nil {
		_ = f.Truncate(before.at) // else the next who appends cuts off what is torn
		return err
	}
	l.stopped = f.Sync() // what reached the disk is unknown from then on, so nothing is tried again
	return l.stopped
}

// catchUp reads what was appended since, or finds the end and reads the last 24 hours, and mends a torn end.
func (l *Ledger) catchUp() error {
	if l.day == nil {
		if err := l.load(); err != nil {
			return err
		}
	}
	for {
		all, name, cut, mended, err := l.end.read(l.files)
		if err != nil {
			return err
		}
		for _, one := range all {
			l.day.Take(one.Entry)
		}
		switch {
		case mended != "" && name == current:
			l.end.at, err = atomicfile.MendEnd(l.files, current, l.end.at, cut, mended)
			return err
		case mended != "":
			return damage(l.end, name, "the file is full and ends with %d bytes that are not a line", len(cut))
		case name == "", name == current:
			return nil
		}
		l.end.nextFile()
	}
}

// load finds a place that is 24 hours before the newest entry.
func (l *Ledger) load() error {
	if err := atomicfile.Tidy(l.files); err != nil {
		return err
	}
	h, err := readHead(l.files)
	if err != nil {
		return err
	}
	newest, err := seek(l.files, func(int64, time.Time) bool { return true })
	if err != nil {
		return err
	}
	if _, err := newest.walk(l.files, func([]line) bool { return true }); err != nil {
		return err
	}
	if err := h.holds(newest); err != nil {
		return err
	}
	from := l.now()
	if newest.latest.After(from) {
		from = newest.latest
	}
	l.end, err = seek(l.files, func(_ int64, latest time.Time) bool { return from.Sub(latest) >= audit.Span })
	l.day = new(audit.Day)
	return err
}

// folder opens the ledger's folder, and makes it if there is none.
func folder(workspace atomicfile.Files) (atomicfile.Files, error) {
	files, err := workspace.Folder(Folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return files, err
	}
	if err := atomicfile.EnsureFolder(workspace, Folder); err != nil {
		return nil, err
	}
	return workspace.Folder(Folder)
}
