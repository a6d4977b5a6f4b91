package store

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
)

// Report is what writing memory did, beside what was asked for. Paths are within the folder of memory.
type Report struct {
	Step   int         // the last step of the journal now; 0 when there is none
	Done   bool        // something new came into the journal
	Wrote  []Written   // books that were written, each once
	Asides []Aside     // files that were kept under another name, because they were not what was written there
	Left   []Untouched // books that could not be brought up to the journal, and were left as they were
	Lacks  []Lacking   // sessions of the journal whose log could not be read
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

func (r *Report) wrote(member council.MemberID, caught int, moved []moved) {
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
	for _, l := range r.Lacks {
		if l.Session == id {
			return
		}
	}
	r.Lacks = append(r.Lacks, Lacking{Session: id, Err: err})
}
