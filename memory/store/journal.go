package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
)

// journalEnd is the end of the journal: what the next step follows. The zero journalEnd is not usable: see [readEnd].
type journalEnd struct {
	chain.End
	Last journalLine // its N is 0 when there is none
	sum  string      // of the last line
	size int64       // of the file
	cut  []byte      // what follows the last whole line: its newline, or an append that was interrupted
	none bool        // there is no journal
}

// readEnd reads the end of the journal: the last line and the sum of the one before it, and no more however long the
// journal is. [ErrDamaged], [ErrNewer], [ErrUnreadable].
func readEnd(files atomicfile.Files) (journalEnd, error) {
	f, err := files.Open(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return journalEnd{sum: journalSeed(), none: true}, nil
	}
	if err != nil {
		return journalEnd{}, unread(journalFile, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return journalEnd{}, unread(journalFile, err)
	}
	var e journalEnd
	err = chain.Back(f, size, func(text []byte, at int64) (enough bool, err error) {
		e, enough, err = judgeEnd(text, at)
		return enough, err
	})
	return e, unread(journalFile, err)
}

// judgeEnd reads the end of a journal from a part of it that begins at an offset. It is not enough when the part does
// not hold two whole lines before what is torn.
func judgeEnd(text []byte, at int64) (e journalEnd, enough bool, err error) {
	e = journalEnd{sum: journalSeed(), size: at + int64(len(text))}
	whole := bytes.TrimRight(text, "\x00")
	_, before := chain.LastLine(whole[:bytes.LastIndexByte(whole, '\n')+1])
	if at > 0 || len(before) > 0 {
		line, _ := chain.LastLine(before)
		if at > 0 && len(line) < chain.TailSize {
			return e, false, nil
		}
		if e.sum = chain.SumOf(line); e.sum == "" {
			return e, true, broken(journalFile, "the line before that at byte %d has no sum", at+int64(len(before)))
		}
	}
	e.End, err = chain.Lines.Scan(text[len(before):], func(line []byte) error {
		l, err := parseLine(line, e.sum)
		if err == nil && e.Last.N > 0 && l.N != e.Last.N+1 {
			err = fmt.Errorf("it is step %d in the place of step %d", l.N, e.Last.N+1)
		}
		if err == nil {
			e.Last, e.sum = l, chain.SumOf(line)
		}
		return err
	})
	e.cut = text[int64(len(before))+e.Good:]
	if e.Good > 0 {
		e.Good += at + int64(len(before))
	}
	return e, true, damaged(at+int64(len(before)), err)
}

// damaged returns what a scan found that began at an offset of the journal.
func damaged(at int64, err error) error {
	var damage *chain.DamageError
	if errors.As(err, &damage) {
		return broken(journalFile, "the line at byte %d: %s", at+damage.Offset, damage.Problem)
	}
	return err
}

// Append adds a step to the journal and returns its new end. When it returns the step is in force.
func (e journalEnd) Append(files atomicfile.Files, s memory.Step) (journalEnd, error) {
	l := e.Last.Standing.follow(s)
	text, sum, err := l.bytes(e.sum)
	if err != nil {
		return e, err
	}
	next := journalEnd{Last: l, sum: sum, size: e.size + int64(len(text))}
	var tail *atomicfile.Tail
	switch {
	case e.Torn:
		next.size, err = atomicfile.MendEnd(files, journalFile, e.Good, e.cut, e.Mended()+string(text))
	case e.none:
		tail, err = atomicfile.CreateTail(files, journalFile)
	default:
		tail, err = atomicfile.OpenTail(files, journalFile, e.size)
	}
	if err == nil && tail != nil {
		err = errors.Join(tail.Append(text, 0), tail.Close())
	}
	next.Good = next.size - 1
	return next, err
}

// Folded goes back through the journal as far as the session can be in it: no step is older than the close, and each
// line says how new the newest step before it was. For a session that has just closed that is the last line.
func (e journalEnd) Folded(files atomicfile.Files, id council.SessionID, closed time.Time) (council.Seq, error) {
	if e.Last.N == 0 || e.Last.Standing.Latest.Before(closed) {
		return 0, nil
	}
	f, err := files.Open(journalFile)
	if err != nil {
		return 0, unread(journalFile, err)
	}
	defer f.Close()
	var upTo council.Seq
	err = chain.Back(f, e.Good, func(text []byte, at int64) (found bool, err error) {
		upTo, found, err = searchBack(append(text, '\n'), at, id, closed)
		return found, err
	})
	return upTo, unread(journalFile, err)
}

// searchBack looks for the newest step of a session in the end of the journal, which begins at an offset. It reports
// whether it went back far enough.
func searchBack(text []byte, at int64, id council.SessionID, closed time.Time) (council.Seq, bool, error) {
	for len(text) > 0 {
		last, before := chain.LastLine(text)
		if len(before) == 0 && at > 0 {
			return 0, false, nil // it may have begun earlier
		}
		l, err := parseLine(last, "")
		if err != nil {
			if !errors.Is(err, ErrNewer) {
				err = broken(journalFile, "the line at byte %d: %v", at+int64(len(before)), err)
			}
			return 0, true, err
		}
		if l.Session != nil && l.Session.ID == id {
			return l.Session.To, true, nil
		}
		if l.Standing.Latest.Before(closed) {
			return 0, true, nil
		}
		text = before
	}
	return 0, true, nil
}
