package journal

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store/internal/fault"
)

// End is the end of the journal: what the next step follows. The zero End is not usable: see [ReadEnd].
type End struct {
	Last Line   // its N is 0 when there is none
	sum  string // of the last line
	good int64  // bytes up to the end of the last whole line
	cut  []byte // what follows: an append that was interrupted, or nothing
	bare bool   // the last line lacks its newline
	none bool   // there is no journal
}

// tailSize is how much of a journal's end is read at first: dozens of lines.
const tailSize = 16 << 10

// ReadEnd reads the end of the journal: the last line and the sum of the one before it, and no more however long the
// journal is. [fault.ErrDamaged], [fault.ErrNewer], [fault.ErrUnreadable].
func ReadEnd(files atomicfile.Files) (End, error) {
	f, err := files.Open(File)
	if errors.Is(err, fs.ErrNotExist) {
		return End{sum: seed(), none: true}, nil
	}
	if err != nil {
		return End{}, fault.Unread(File, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return End{}, fault.Unread(File, err)
	}
	for window := int64(tailSize); ; window *= 4 {
		at := max(0, size-window)
		text := make([]byte, size-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return End{}, fault.Unread(File, err)
		}
		e, enough, err := judgeEnd(text, at)
		if enough || at == 0 {
			return e, err
		}
	}
}

// judgeEnd reads the end of a journal from a part of it that begins at an offset. It is not enough when the part does
// not hold two whole lines before what is torn.
func judgeEnd(text []byte, at int64) (e End, enough bool, err error) {
	whole := bytes.TrimRight(text, "\x00")
	if len(whole) == 0 && at == 0 {
		return End{sum: seed(), cut: text}, true, nil
	}
	newline := bytes.LastIndexByte(whole, '\n')
	body, rest := whole[:newline+1], whole[newline+1:]
	last, before := lastLine(body)
	previous := seed()
	if at > 0 || len(before) > 0 {
		beforeText, _ := lastLine(before)
		if at > 0 && len(beforeText) < endLength {
			return End{}, false, nil
		}
		previous = sumOf(beforeText)
	}
	e = End{sum: seed(), good: at + int64(len(body)), cut: text[len(body):]}
	if len(last) > 0 {
		if e.Last, err = parse(last, previous); err != nil || previous == "" {
			return e, true, misplaced(err, at+int64(len(before)))
		}
		e.sum = sumOf(last)
	}
	if len(rest) == 0 {
		return e, true, nil
	}
	// A whole line that lacks only its newline is kept: books may hold its step.
	if l, err := parse(rest, e.sum); err == nil && l.N == e.Last.N+1 {
		e.Last, e.sum, e.bare = l, sumOf(rest), true
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
		return fault.Broken(File, "the line before that at byte %d has no sum", offset)
	case errors.Is(err, fault.ErrNewer):
		return err
	}
	return fault.Broken(File, "the line at byte %d: %v", offset, err)
}

// Torn reports whether an append was interrupted; the next one mends it.
func (e End) Torn() bool { return len(e.cut) > 0 || e.bare }

// Append adds a step to the journal. When it returns the step is in force.
func (e End) Append(files atomicfile.Files, s memory.Step) (End, error) {
	l := e.Last.Standing.follow(s)
	text, sum, err := l.bytes(e.sum)
	if err != nil {
		return e, err
	}
	next := End{Last: l, sum: sum}
	if e.bare {
		text = append([]byte("\n"), text...)
	}
	if e.none {
		tail, err := atomicfile.CreateTail(files, File)
		if err != nil {
			return e, err
		}
		err = errors.Join(tail.Append(text, 0), tail.Close())
		next.good = tail.End()
		return next, err
	}
	if len(e.cut) > 0 {
		next.good, err = atomicfile.MendEnd(files, File, e.good, e.cut, string(text))
		return next, err
	}
	tail, err := atomicfile.OpenTail(files, File, e.good)
	if err != nil {
		return e, err
	}
	err = errors.Join(tail.Append(text, 0), tail.Close())
	next.good = tail.End()
	return next, err
}
