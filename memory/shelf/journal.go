package shelf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/wire"
)

const journalFile = "journal.jsonl"

// line is one line of the journal, but for its sum.
type line struct {
	Format int `json:"format"`
	memory.Step
	Standing standing `json:"standing"`
}

// standing is what the journal up to a line comes to, so that nobody has to read it all.
type standing struct {
	Latest time.Time      `json:"latest"` // of the times of all steps
	Books  map[string]int `json:"books"`  // by owner: the last step that concerns the book
}

// owners lists whose books the line concerns.
func (l line) owners() []owner { return concerned(l.Step) }

// concerned lists whose books a step concerns: every session the council's, and its members'.
func concerned(s memory.Step) []owner {
	if s.Change != nil {
		return []owner{owner(s.Change.Member)}
	}
	all := []owner{""}
	for _, m := range s.Session.Members {
		all = append(all, owner(m))
	}
	return all
}

// follow places a step after what the journal holds.
func (st standing) follow(s memory.Step) line {
	l := line{Format: memory.Format, Step: s, Standing: standing{Latest: st.Latest, Books: maps.Clone(st.Books)}}
	if l.Standing.Books == nil {
		l.Standing.Books = map[string]int{}
	}
	if s.At.After(st.Latest) {
		l.Standing.Latest = s.At
	}
	for _, o := range concerned(s) {
		l.Standing.Books[o.key()] = s.N
	}
	return l
}

// sumKey stands between what a line says and its sum.
const sumKey = `"sum":"`

// sumLength is that of a sum in hexadecimal; endLength that of all that stands behind what a line says.
const (
	sumLength = 64
	endLength = len(sumKey) + sumLength + len(`"}`)
)

// bytes is the line as it is written after one with the previous sum.
func (l line) bytes(previous string) (text []byte, sum string, err error) {
	if l.Change != nil {
		c := *l.Change
		c.Put = append([]memory.Record{}, c.Put...)
		for i := range c.Put {
			c.Put[i] = filled(c.Put[i])
		}
		l.Change = &c
	}
	if l.Session != nil {
		f := *l.Session
		f.Members = some(f.Members)
		l.Session = &f
	}
	body, err := wire.JSON(l)
	if err != nil {
		return nil, "", err
	}
	body[len(body)-1] = ',' // the object goes on
	sum = wire.Link(previous, body)
	return append(body, sumKey+sum+"\"}\n"...), sum, nil
}

// seed stands in for the sum before the first line.
func seed() string { return wire.Seed("memory", "journal") }

// sumOf is the sum that a line ends with, or nothing.
func sumOf(text []byte) string {
	if len(text) < endLength || string(text[len(text)-endLength:len(text)-sumLength-2]) != sumKey {
		return ""
	}
	return string(text[len(text)-sumLength-2 : len(text)-2])
}

// parse reads a line without its newline. The sum is checked unless previous is empty.
func parse(text []byte, previous string) (line, error) {
	var l struct {
		line
		Sum string `json:"sum"`
	}
	sum := sumOf(text)
	if previous != "" && (sum == "" || wire.Link(previous, text[:len(text)-endLength]) != sum) {
		return line{}, errors.New("its sum does not follow from the lines before it")
	}
	if json.Unmarshal(text, &l) == nil && l.Format > memory.Format {
		return line{}, newer(journalFile, l.Format)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	l.line = line{}
	if err := strict.Decode(&l); err != nil {
		return line{}, errors.New("it is no step of memory")
	}
	if l.N < 1 || (l.Session == nil) == (l.Change == nil) || l.Standing.Books == nil {
		return line{}, errors.New("it is neither a session nor a change")
	}
	for _, o := range l.owners() {
		if _, err := ownerOf(council.MemberID(o)); err != nil {
			return line{}, err
		}
	}
	return l.line, nil
}

// end is the end of the journal: what the next step follows.
type end struct {
	last line   // its N is 0 when there is none
	sum  string // of the last line
	good int64  // bytes up to the end of the last whole line
	cut  []byte // what follows: an append that was interrupted, or nothing
	bare bool   // the last line lacks its newline
	none bool   // there is no journal
}

// tailSize is how much of a journal's end is read at first: dozens of lines.
const tailSize = 16 << 10

// readEnd reads the end of the journal: the last line and the sum of the one before it, and no more however long the
// journal is. [ErrDamaged], [ErrNewer], [ErrUnreadable].
func readEnd(files atomicfile.Files) (end, error) {
	f, err := files.Open(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return end{sum: seed(), none: true}, nil
	}
	if err != nil {
		return end{}, unread(journalFile, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return end{}, unread(journalFile, err)
	}
	for window := int64(tailSize); ; window *= 4 {
		at := max(0, size-window)
		text := make([]byte, size-at)
		if _, err := f.ReadAt(text, at); err != nil {
			return end{}, unread(journalFile, err)
		}
		e, enough, err := judgeEnd(text, at)
		if enough || at == 0 {
			return e, err
		}
	}
}

// judgeEnd reads the end of a journal from a part of it that begins at an offset. It is not enough when the part does
// not hold two whole lines before what is torn.
func judgeEnd(text []byte, at int64) (e end, enough bool, err error) {
	whole := bytes.TrimRight(text, "\x00")
	if len(whole) == 0 && at == 0 {
		return end{sum: seed(), cut: text}, true, nil
	}
	newline := bytes.LastIndexByte(whole, '\n')
	body, rest := whole[:newline+1], whole[newline+1:]
	last, before := lastLine(body)
	previous := seed()
	if at > 0 || len(before) > 0 {
		beforeText, _ := lastLine(before)
		if at > 0 && len(beforeText) < endLength {
			return end{}, false, nil
		}
		previous = sumOf(beforeText)
	}
	e = end{sum: seed(), good: at + int64(len(body)), cut: text[len(body):]}
	if len(last) > 0 {
		if e.last, err = parse(last, previous); err != nil || previous == "" {
			return e, true, misplaced(err, at+int64(len(before)))
		}
		e.sum = sumOf(last)
	}
	if len(rest) == 0 {
		return e, true, nil
	}
	// A whole line that lacks only its newline is kept: books may hold its step.
	if l, err := parse(rest, e.sum); err == nil && l.N == e.last.N+1 {
		e.last, e.sum, e.bare = l, sumOf(rest), true
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

// append adds a step to the journal. When it returns the step is in force.
func (w *writing) append(e end, s memory.Step) (end, error) {
	l := e.last.Standing.follow(s)
	text, sum, err := l.bytes(e.sum)
	if err != nil {
		return e, err
	}
	next := end{last: l, sum: sum}
	if e.bare {
		text = append([]byte("\n"), text...)
	}
	if e.none {
		tail, err := atomicfile.CreateTail(w.files, journalFile)
		if err != nil {
			return e, err
		}
		err = errors.Join(tail.Append(text, 0), tail.Close())
		next.good = tail.End()
		return next, err
	}
	next.good, err = atomicfile.MendEnd(w.files, journalFile, e.good, e.cut, string(text))
	return next, err
}

// steps reads the whole journal and checks it. With an error it returns the steps before the place.
func steps(files atomicfile.Files) ([]line, error) {
	text, err := atomicfile.Read(files, journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []line
	previous, at := seed(), int64(0)
	var before standing
	for rest := bytes.TrimRight(text, "\x00"); len(rest) > 0; {
		one, after, whole := bytes.Cut(rest, []byte("\n"))
		l, err := parse(one, previous)
		if err == nil {
			err = before.check(l, len(all)+1)
		}
		if err != nil && !whole {
			return all, nil // torn: an append that was interrupted
		}
		if err != nil {
			return all, misplaced(err, at)
		}
		all, previous, before = append(all, l), sumOf(one), l.Standing
		at, rest = at+int64(len(one)+1), after
	}
	return all, nil
}

// check holds a line against the place it stands at.
func (st standing) check(l line, n int) error {
	if l.N != n {
		return fmt.Errorf("it is step %d in the place of step %d", l.N, n)
	}
	if want := st.follow(l.Step).Standing; !maps.Equal(want.Books, l.Standing.Books) || !want.Latest.Equal(l.Standing.Latest) {
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}
