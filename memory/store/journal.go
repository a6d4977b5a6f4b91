package store

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
)

// journalEnd is the end of the journal: what the next step follows. The zero End is not usable: see [readEnd].
type journalEnd struct {
	Last journalLine // its N is 0 when there is none
	sum  string      // of the last line
	good int64       // bytes up to the end of the last whole line
	cut  []byte      // what follows: an append that was interrupted, or nothing
	bare bool        // the last line lacks its newline
	none bool        // there is no journal
}

// tailSize is how much of a journal's end is read at first: dozens of lines.
const tailSize = 16 << 10

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
	for window := int64(tailSize); ; window *= 4 {
		at := max(0, size-window)
		text := make([]byte, size-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return journalEnd{}, unread(journalFile, err)
		}
		e, enough, err := judgeEnd(text, at)
		if enough || at == 0 {
			return e, err
		}
	}
}

// judgeEnd reads the end of a journal from a part of it that begins at an offset. It is not enough when the part does
// not hold two whole lines before what is torn.
func judgeEnd(text []byte, at int64) (e journalEnd, enough bool, err error) {
	whole := bytes.TrimRight(text, "\x00")
	if len(whole) == 0 && at == 0 {
		return journalEnd{sum: journalSeed(), cut: text}, true, nil
	}
	newline := bytes.LastIndexByte(whole, '\n')
	body, rest := whole[:newline+1], whole[newline+1:]
	last, before := lastLine(body)
	previous := journalSeed()
	if at > 0 || len(before) > 0 {
		beforeText, _ := lastLine(before)
		if at > 0 && len(beforeText) < endLength {
			return journalEnd{}, false, nil
		}
		previous = lineSum(beforeText)
	}
	e = journalEnd{sum: journalSeed(), good: at + int64(len(body)), cut: text[len(body):]}
	if len(last) > 0 {
		if e.Last, err = parseLine(last, previous); err != nil || previous == "" {
			return e, true, misplaced(err, at+int64(len(before)))
		}
		e.sum = lineSum(last)
	}
	if len(rest) == 0 {
		return e, true, nil
	}
	// A whole line that lacks only its newline is kept: books may hold its step.
	if l, err := parseLine(rest, e.sum); err == nil && l.N == e.Last.N+1 {
		e.Last, e.sum, e.bare = l, lineSum(rest), true
		e.good, e.cut = e.good+int64(len(rest)), e.cut[len(rest):]
	}
	return e, true, nil
}

// lastLine cuts the last line, without its newline, off a text of whole lines.
func lastLine(text []byte) (last, before []byte) {
	if len(text) == 0 {
		return nil, nil
	}
	text = text[:len(text)-1]
	n := bytes.LastIndexByte(text, '\n')
	return text[n+1:], text[:n+1]
}

func misplaced(err error, offset int64) error {
	switch {
	case err == nil:
		return broken(journalFile, "the line before that at byte %d has no sum", offset)
	case errors.Is(err, ErrNewer):
		return err
	}
	return broken(journalFile, "the line at byte %d: %v", offset, err)
}

// Torn reports whether an append was interrupted; the next one mends it.
func (e journalEnd) Torn() bool { return len(e.cut) > 0 || e.bare }

// Append adds a step to the journal. When it returns the step is in force.
func (e journalEnd) Append(files atomicfile.Files, s memory.Step) (journalEnd, error) {
	l := e.Last.Standing.follow(s)
	text, sum, err := l.bytes(e.sum)
	if err != nil {
		return e, err
	}
	next := journalEnd{Last: l, sum: sum}
	if e.bare {
		text = append([]byte("\n"), text...)
	}
	if e.none {
		tail, err := atomicfile.CreateTail(files, journalFile)
		if err != nil {
			return e, err
		}
		err = errors.Join(tail.Append(text, 0), tail.Close())
		next.good = tail.End()
		return next, err
	}
	if len(e.cut) > 0 {
		next.good, err = atomicfile.MendEnd(files, journalFile, e.good, e.cut, string(text))
		return next, err
	}
	tail, err := atomicfile.OpenTail(files, journalFile, e.good)
	if err != nil {
		return e, err
	}
	err = errors.Join(tail.Append(text, 0), tail.Close())
	next.good = tail.End()
	return next, err
}
