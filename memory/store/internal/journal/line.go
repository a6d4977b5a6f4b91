package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/memory/store/internal/fault"
	"github.com/council-engine/council/recorder/wire"
)

// File is the name of the journal.
const File = "journal.jsonl"

// Line is one line of the journal, but for its sum.
type Line struct {
	Format int `json:"format"`
	memory.Step
	Standing Standing `json:"standing"`
}

// Standing is what the journal up to a line comes to, so that nobody has to read it all.
type Standing struct {
	Latest time.Time      `json:"latest"` // of the times of all steps
	Books  map[string]int `json:"books"`  // by owner: the last step that concerns the book
}

// Sessions lists the sessions that lines fold in, in their order.
func Sessions(lines []Line) (all []council.SessionID) {
	for _, l := range lines {
		if l.Session != nil {
			all = append(all, l.Session.ID)
		}
	}
	return slices.Compact(all)
}

// Concerns lists whose books a step concerns: every session the council's, and its members'.
func Concerns(s memory.Step) []council.MemberID {
	if s.Change != nil {
		return []council.MemberID{s.Change.Member}
	}
	return append([]council.MemberID{""}, s.Session.Members...)
}

// key is an owner in the standing. No member can be called like the council there.
func key(member council.MemberID) string { return cmp.Or(string(member), "COUNCIL") }

// Last is the last step that concerns a book; 0 when there is none.
func (st Standing) Last(member council.MemberID) int { return st.Books[key(member)] }

// Owners lists those whose books the journal concerns, the council first.
func (st Standing) Owners() []council.MemberID {
	var all []council.MemberID
	for name := range st.Books {
		if name == key("") {
			name = ""
		}
		all = append(all, council.MemberID(name))
	}
	slices.Sort(all)
	return all
}

// Follow puts a step after the others and numbers it.
func Follow(lines []Line, s memory.Step) []Line {
	var before Standing
	if n := len(lines); n > 0 {
		before = lines[n-1].Standing
	}
	s.N = len(lines) + 1
	return append(lines, before.follow(s))
}

// follow places a step after what the journal holds.
func (st Standing) follow(s memory.Step) Line {
	l := Line{Format: memory.Format, Step: s, Standing: Standing{Latest: st.Latest, Books: maps.Clone(st.Books)}}
	if l.Standing.Books == nil {
		l.Standing.Books = map[string]int{}
	}
	if s.At.After(st.Latest) {
		l.Standing.Latest = s.At
	}
	for _, member := range Concerns(s) {
		l.Standing.Books[key(member)] = s.N
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
func (l Line) bytes(previous string) (text []byte, sum string, err error) {
	if l.Change != nil {
		c := *l.Change
		c.Put = append([]memory.Record{}, c.Put...)
		for i := range c.Put {
			c.Put[i] = Filled(c.Put[i])
		}
		l.Change = &c
	}
	if l.Session != nil {
		f := *l.Session
		f.Members = Some(f.Members)
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

// Session is the session that a line with its newline folds in, if it does and is whole by itself.
func Session(line []byte) (memory.Fold, bool) {
	l, err := parse(bytes.TrimSuffix(line, []byte("\n")), "")
	if err != nil || l.Session == nil {
		return memory.Fold{}, false
	}
	return *l.Session, true
}

// parse reads a line without its newline. The sum is checked unless previous is empty.
func parse(text []byte, previous string) (Line, error) {
	var l struct {
		Line
		Sum string `json:"sum"`
	}
	sum := sumOf(text)
	if previous != "" && (sum == "" || wire.Link(previous, text[:len(text)-endLength]) != sum) {
		return Line{}, errors.New("its sum does not follow from the lines before it")
	}
	if json.Unmarshal(text, &l) == nil && l.Format > memory.Format {
		return Line{}, fault.Newer(File, l.Format)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	l.Line = Line{}
	if err := strict.Decode(&l); err != nil {
		return Line{}, errors.New("it is not a valid journal entry")
	}
	if l.N < 1 || (l.Session == nil) == (l.Change == nil) || l.Standing.Books == nil {
		return Line{}, errors.New("it is neither a session nor a change")
	}
	for _, member := range Concerns(l.Step) {
		if member != "" && !Member(member) {
			return Line{}, fmt.Errorf("it names %.80q as a member", string(member))
		}
	}
	return l.Line, nil
}
