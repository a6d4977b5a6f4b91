package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// Close folds closed sessions, one after the other, into the books that they concern: all of each, or what was ruled
// since it was folded in last. The From of a session does not matter: the journal knows it. When nothing is new nothing
// changes. However many sessions there are, the journal grows once and a book is written once; no session is given
// twice. Books that cannot be read are left as they are and caught up later: see [Report].
//
// [ErrNotClosed]; [ErrDamaged], [ErrNewer] or [ErrUnreadable]: the journal; [ErrRebuilding], [ErrBusy]; any other error
// is the disk's. A step that is in the journal counts: what is missing is made good by the next call that writes.
func (s *Store) Close(sessions ...memory.Session) (Report, error) {
	for _, session := range sessions {
		if _, _, ok := closedAt(session.Entries); !ok {
			return Report{}, fmt.Errorf("%w: %s", ErrNotClosed, session.ID)
		}
	}
	return s.holdSettled(func(w *writing, e journal) error {
		var of []owner
		var news []memory.Step
		w.load = atHand(sessions, w.load)
		for _, session := range sessions {
			closed, last, _ := closedAt(session.Entries)
			upTo, err := e.Folded(w.files, session.ID, memory.Precise(closed))
			if err != nil {
				return err
			}
			to, members := council.Seq(len(session.Entries)), w.rules.members(session.Entries)
			step := memory.Step{At: memory.Precise(last), Session: &memory.Fold{
				ID: session.ID, From: upTo + 1, To: to, Members: members,
			}}
			if of = append(of, concerns(step)...); upTo < to {
				news = append(news, step)
			}
		}
		return w.take(e, of, news...)
	})
}

// Change makes a person's change to one book. It is refused, and nothing changes, when the book cannot be read or is
// behind ([ErrDamaged], [ErrNewer], [ErrUnreadable], [ErrBehind]), or when the change is none that the book can hold
// (the sentinel of package memory). Errors of the journal and the disk are as for Close.
//
// With a change go the edits that it takes in: their files are written over, as nothing is lost with them. [ErrBusy]:
// the book has changed since they were looked at.
func (s *Store) Change(c memory.Change, at time.Time, taken ...Edit) (Report, error) {
	o, err := ownerOf(c.Member)
	if err != nil {
		return Report{}, err
	}
	c.Put, c.Before = filled(c.Put), filled(c.Before)
	return s.holdSettled(func(w *writing, e journal) error {
		w.taken = taken
		for _, t := range taken {
			if t.step != e.last().Standing.Last(o) {
				return fmt.Errorf("%w: %s has changed meanwhile", ErrBusy, o.path(o.book()))
			}
		}
		return w.take(e, []owner{o}, memory.Step{At: memory.Precise(at), Change: &c})
	})
}

// take brings books up to the journal, appends new steps, which concern no other books, and writes the books with them.
func (w *writing) take(e journal, of []owner, news ...memory.Step) error {
	ready, err := w.ready(e, distinct(of))
	if err != nil || len(news) == 0 { // all is there already: only what lagged was to be done
		return err
	}
	if news[0].Change != nil && len(ready) == 0 {
		return w.report.Left[0].Err
	}
	logs := &logs{load: w.load}
	for i := range news {
		news[i].N = e.last().N + 1 + i
		for _, g := range ready {
			if !slices.Contains(concerns(news[i]), g.from.owner) {
				continue
			}
			if err := g.fold(w.rules, news[i], logs); err != nil {
				return err
			}
			g.edits = w.taken
		}
	}
	if _, err := e.Append(w.files, news...); err != nil {
		return fmt.Errorf("cannot write the journal of memory: %w", err)
	}
	w.report.Step, w.report.Done = news[len(news)-1].N, true
	for _, g := range ready {
		if g.book.Step == g.from.book.Step {
			continue // no new step concerns it
		}
		if _, err := w.put(g); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns each owner once, in the order in which they are met.
func distinct(all []owner) (each []owner) {
	for _, o := range all {
		if !slices.Contains(each, o) {
			each = append(each, o)
		}
	}
	return each
}

// Report is the result of writing memory. Paths are within the folder of memory.
type Report struct {
	Step   int         // the last step of the journal now; 0 when there is none
	Done   bool        // something new came into the journal
	Wrote  []Written   // books that were written, each once
	Asides []Aside     // files that were kept under another name, because they were not what was written there
	Left   []Untouched // books that could not be brought up to the journal, and were left as they were
	Lacks  []Lacking   // sessions of the journal whose log could not be read
	Edits  []Edit      // what people changed by hand and is not accepted: only [Store.Recover] looks
}

// Written is a book that was written.
type Written struct {
	Member council.MemberID // empty for the council
	Caught int              // steps that it had lacked before
	Moved  []memory.Record  // what left it for an archive
}

// Aside is a file that was kept under another name.
type Aside struct {
	Path string
	Kept string // its path now
}

// Untouched is a book that was left as it was.
type Untouched struct {
	Member council.MemberID
	Path   string // of the file that is in the way
	Err    error  // wraps [ErrDamaged], [ErrNewer], [ErrUnreadable] or [ErrBehind]
}

// Lacking is a session that memory consists of and whose log could not be read.
type Lacking struct {
	Session council.SessionID
	Err     error
}

func (r *Report) wrote(member council.MemberID, caught int, moved []Held) {
	i := slices.IndexFunc(r.Wrote, func(w Written) bool { return w.Member == member })
	if i < 0 {
		i, r.Wrote = len(r.Wrote), append(r.Wrote, Written{Member: member})
	}
	r.Wrote[i].Caught += caught
	for _, m := range moved {
		r.Wrote[i].Moved = append(r.Wrote[i].Moved, m.Record)
	}
}

func (r *Report) leave(o owner, path string, err error) {
	r.Left = append(r.Left, Untouched{Member: council.MemberID(o), Path: path, Err: err})
}

func (r *Report) lack(id council.SessionID, err error) {
	if !slices.ContainsFunc(r.Lacks, func(l Lacking) bool { return l.Session == id }) {
		r.Lacks = append(r.Lacks, Lacking{Session: id, Err: err})
	}
}
