package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

// journalFile is the name of the journal.
const journalFile = "journal.jsonl"

// journalLine is one line of the journal, but for its sum.
type journalLine struct {
	Format int `json:"format"`
	memory.Step
	Standing standing `json:"standing"`
}

// standing sums up the journal up to a line, so that it need not be read whole.
type standing struct {
	Latest time.Time      `json:"latest"` // of the times of all steps
	Books  map[string]int `json:"books"`  // by owner: the last step that concerns the book
}

// sessionsOf lists the sessions that lines fold in, in their order.
func sessionsOf(lines []journalLine) (all []council.SessionID) {
	for _, l := range lines {
		if l.Session != nil {
			all = append(all, l.Session.ID)
		}
	}
	return slices.Compact(all)
}

// concerns lists whose books a step concerns: every session the council's, and its members'.
func concerns(s memory.Step) []owner {
	if s.Change != nil {
		return []owner{owner(s.Change.Member)}
	}
	all := []owner{""}
	for _, m := range s.Session.Members {
		all = append(all, owner(m))
	}
	return all
}

// key returns an owner in the standing. No member can be called like the council there.
func (o owner) key() string { return cmp.Or(string(o), "COUNCIL") }

// Last returns the last step that concerns a book; 0 when there is none.
func (st standing) Last(o owner) int { return st.Books[o.key()] }

// Owners lists those whose books the journal concerns, the council first.
func (st standing) Owners() []owner {
	var all []owner
	for name := range st.Books {
		if name == owner("").key() {
			name = ""
		}
		all = append(all, owner(name))
	}
	slices.Sort(all)
	return all
}

// follow puts a step after the others and numbers it.
func follow(lines []journalLine, s memory.Step) []journalLine {
	var before standing
	if n := len(lines); n > 0 {
		before = lines[n-1].Standing
	}
	s.N = len(lines) + 1
	return append(lines, before.follow(s))
}

// follow places a step after what the journal holds.
func (st standing) follow(s memory.Step) journalLine {
	l := journalLine{Format: memory.Format, Step: s, Standing: standing{Latest: st.Latest, Books: maps.Clone(st.Books)}}
	if l.Standing.Books == nil {
		l.Standing.Books = map[string]int{}
	}
	if s.At.After(st.Latest) {
		l.Standing.Latest = s.At
	}
	for _, o := range concerns(s) {
		l.Standing.Books[o.key()] = s.N
	}
	return l
}

// bytes returns the line as it is written after one with the previous sum.
func (l journalLine) bytes(previous string) (text []byte, sum string, err error) {
	if l.Change != nil {
		c := *l.Change
		c.Put, c.Before = filledAll(c.Put), filledAll(c.Before)
		l.Change = &c
	}
	if l.Session != nil {
		f := *l.Session
		f.Members = some(f.Members)
		l.Session = &f
	}
	object, err := wire.JSON(l)
	if err != nil {
		return nil, "", err
	}
	text, sum = chain.Seal(previous, object)
	return text, sum, nil
}

// journalSeed stands in for the sum before the first line.
func journalSeed() string { return chain.Seed("memory", "journal") }

// parseLine reads a line without its newline. The sum is checked unless previous is empty.
func parseLine(text []byte, previous string) (journalLine, error) {
	var l struct {
		journalLine
		Sum string `json:"sum"`
	}
	if previous != "" {
		if _, err := chain.Check(previous, text); err != nil {
			return journalLine{}, err
		}
	}
	if json.Unmarshal(text, &l) == nil && l.Format > memory.Format {
		return journalLine{}, newer(journalFile, l.Format)
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	l.journalLine = journalLine{}
	if err := strict.Decode(&l); err != nil {
		return journalLine{}, errors.New("it is not a valid journal entry")
	}
	if l.N < 1 || (l.Session == nil) == (l.Change == nil) || l.Standing.Books == nil {
		return journalLine{}, errors.New("it is neither a session nor a change")
	}
	for _, o := range concerns(l.Step) {
		if _, err := ownerOf(council.MemberID(o)); err != nil {
			return journalLine{}, fmt.Errorf("it names %.80q as a member", string(o))
		}
	}
	return l.journalLine, nil
}

// readSteps reads the whole journal and checks it. With an error it returns the steps before the place.
func readSteps(files atomicfile.Files) ([]journalLine, error) {
	text, err := atomicfile.Read(files, journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []journalLine
	previous, before := journalSeed(), standing{}
	_, err = chain.Lines.Scan(text, func(one []byte) error {
		l, err := parseLine(one, previous)
		if err == nil {
			err = before.check(l, len(all)+1)
		}
		if err == nil {
			all, previous, before = append(all, l), chain.SumOf(one), l.Standing
		}
		return err
	})
	return all, damaged(0, err)
}

// check holds a line against the place it stands at.
func (st standing) check(l journalLine, n int) error {
	if l.N != n {
		return fmt.Errorf("it is step %d in the place of step %d", l.N, n)
	}
	want := st.follow(l.Step).Standing
	if !maps.Equal(want.Books, l.Standing.Books) || !want.Latest.Equal(l.Standing.Latest) {
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}

// wholeLines takes what can be read of a damaged journal, numbered anew. [ErrNewer], [ErrUnreadable].
func wholeLines(files atomicfile.Files) ([]journalLine, error) {
	text, err := atomicfile.Read(files, journalFile)
	if err != nil {
		return nil, unread(journalFile, err)
	}
	var all []journalLine
	for one := range bytes.Lines(text) {
		l, err := parseLine(bytes.TrimSuffix(one, []byte("\n")), "")
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err == nil {
			all = follow(all, l.Step)
		}
	}
	return all, nil
}

// journalText returns the whole journal of lines.
func journalText(lines []journalLine) ([]byte, error) {
	var text []byte
	sum := journalSeed()
	for _, l := range lines {
		one, next, err := l.bytes(sum)
		if err != nil {
			return nil, err
		}
		text, sum = append(text, one...), next
	}
	return text, nil
}

// FoldedUpTo returns the last event of a session that the journal holds; 0 when it holds none, or there is no journal.
// Lines that cannot be read are passed over: [Store.Check] names them.
func (s *Store) FoldedUpTo(id council.SessionID) (last council.Seq, err error) {
	err = s.look(func(files atomicfile.Files) error {
		text, err := atomicfile.Read(files, journalFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		sought := fmt.Appendf(nil, `"session":{"id":%q,`, id)
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, sought) {
				continue
			}
			l, failed := parseLine(bytes.TrimSuffix(line, []byte("\n")), "")
			if failed == nil && l.Session != nil && l.Session.ID == id {
				last = max(last, l.Session.To)
			}
		}
		return err
	})
	return last, err
}
