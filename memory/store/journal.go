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
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/recorder/chain"
	"github.com/council-engine/council/recorder/wire"
)

const journalFile = "journal.jsonl"

// journal is the journal as it was read: whole, or its end, which is enough to append.
type journal struct {
	chain.Log
	lines []journalLine // all, or the last of them
}

func newJournal() journal { return journal{Log: chain.Log{Sum: chain.Seed("memory", "journal")}} }

func (j *journal) last() (l journalLine) {
	if n := len(j.lines); n > 0 {
		l = j.lines[n-1]
	}
	return l
}

// scanJournal reads a part of the journal from an offset to its end. With [ErrDamaged] or [ErrNewer] it returns the
// lines before the place.
func scanJournal(text []byte, at int64) (j journal, err error) {
	j = newJournal()
	if at > 0 { // the first line may have begun earlier
		_, whole, _ := bytes.Cut(text, []byte("\n"))
		at += int64(len(text) - len(whole))
		j.Sum, j.Size, text = "", at, whole
	}
	err = j.Scan(text, func(one []byte) error {
		l, err := parseLine(one)
		if err == nil && j.Sum != "" {
			err = j.last().checkNext(l)
		}
		if err == nil {
			j.lines = append(j.lines, l)
		}
		return err
	})
	var damage *chain.DamageError
	if errors.As(err, &damage) {
		err = damagedError(journalFile, "the line at byte %d: %s", at+damage.Offset, damage.Problem)
	}
	return j, err
}

// readEnd reads the end of the journal, two lines at least, and no more however long it is. [ErrDamaged], [ErrNewer],
// [ErrUnreadable].
func readEnd(files atomicfile.Files) (j journal, err error) {
	f, err := files.Open(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return newJournal(), nil
	}
	if err != nil {
		return j, unreadable(journalFile, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err == nil {
		err = chain.Back(f, size, func(text []byte, at int64) (enough bool, err error) {
			j, err = scanJournal(text, at)
			return len(j.lines) > 1, err
		})
	}
	return j, unreadable(journalFile, err)
}

// readJournal reads and checks the whole journal. With an error it returns the lines before the place.
func readJournal(files atomicfile.Files) (journal, error) {
	text, err := atomicfile.Read(files, journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, nil
	}
	if err != nil {
		return journal{}, unreadable(journalFile, err)
	}
	return scanJournal(text, 0)
}

func (j journal) steps() []memory.Step {
	return council.Map(j.lines, func(l journalLine) memory.Step { return l.Step })
}

func readSteps(files atomicfile.Files) ([]memory.Step, error) {
	j, err := readJournal(files)
	return j.steps(), err
}

// salvageSteps reads the valid lines of a damaged journal, numbered anew. [ErrNewer], [ErrUnreadable].
func salvageSteps(files atomicfile.Files) (steps []memory.Step, err error) {
	text, err := atomicfile.Read(files, journalFile)
	for one := range bytes.Lines(text) {
		l, err := parseLine(bytes.TrimSuffix(one, []byte("\n")))
		if errors.Is(err, ErrNewer) {
			return nil, err
		}
		if err == nil {
			steps = append(steps, l.Step)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return renumber(steps), unreadable(journalFile, err)
}

func renumber(steps []memory.Step) []memory.Step {
	for i := range steps {
		steps[i].N = i + 1
	}
	return steps
}

// linesAfter returns the lines of steps for the end of the journal.
func (j journal) linesAfter(steps []memory.Step) (text []byte, err error) {
	l := j.last()
	for _, s := range steps {
		l = l.nextLine(s)
		object, err := wire.JSON(l)
		if err != nil {
			return nil, err
		}
		text = append(text, j.Seal(object)...)
	}
	return text, nil
}

// Append adds steps to the journal, by one write. When it returns they are in force. If it is cut off, the first of
// them may be.
func (j journal) Append(files atomicfile.Files, steps ...memory.Step) error {
	text, err := j.linesAfter(steps)
	if err != nil {
		return err
	}
	if j.Torn {
		return j.Mend(files, journalFile, text...)
	}
	tail, err := j.Open(files, journalFile)
	if err == nil {
		err = errors.Join(tail.Append(text, 0), tail.Close())
	}
	return err
}

// Folded returns the last event of a session in the journal. It searches back only as far as the session can be: no
// step is older than the close, and each line has the time of the newest step. For a session that has just closed that
// is the last line.
func (j journal) Folded(files atomicfile.Files, id council.SessionID, closed time.Time) (council.Seq, error) {
	for _, l := range slices.Backward(j.lines) {
		if l.Session != nil && l.Session.ID == id {
			return l.Session.To, nil
		}
		if l.Standing.Latest.Before(closed) {
			return 0, nil
		}
	}
	if len(j.lines) == 0 || j.lines[0].N == 1 {
		return 0, nil
	}
	whole, err := readJournal(files)
	if err != nil {
		return 0, err
	}
	return whole.Folded(files, id, closed)
}

// FoldedUpTo returns the last event of a session in the journal, or 0. It skips lines that cannot be read:
// [Store.Check] names them. [ErrNewer], [ErrUnreadable].
func (s *Store) FoldedUpTo(id council.SessionID) (last council.Seq, err error) {
	steps, err := inFolder(s, salvageSteps)
	for _, step := range steps {
		if step.Session != nil && step.Session.ID == id {
			last = max(last, step.Session.To)
		}
	}
	return last, err
}

type journalLine struct {
	Format int `json:"format"`
	memory.Step
	Standing journalState `json:"standing"`
}

// journalState sums up the journal up to a line.
type journalState struct {
	Latest time.Time      `json:"latest"` // of the times of all steps
	Books  map[string]int `json:"books"`  // by owner: the last step that concerns the book
}

// ownersOf lists the owners of the books that a step concerns: of a session the council and its members.
func ownersOf(s memory.Step) []owner {
	if s.Change != nil {
		return []owner{owner(s.Change.Member)}
	}
	return append([]owner{""}, council.Map(s.Session.Members, func(m council.MemberID) owner { return owner(m) })...)
}

// key returns the name of an owner in the standing. No member can have the name of the council.
func (o owner) key() string { return cmp.Or(string(o), "COUNCIL") }

// Last returns the last step of a book; 0 when there is none.
func (st journalState) Last(o owner) int { return st.Books[o.key()] }

// Owners lists the owners of all books, the council first.
func (st journalState) Owners() []owner {
	all := council.Map(slices.Collect(maps.Keys(st.Books)), func(name string) owner {
		return owner(strings.TrimPrefix(name, owner("").key())) // no member has this name
	})
	slices.Sort(all)
	return all
}

func (l journalLine) nextLine(s memory.Step) journalLine {
	s.N = l.N + 1
	next := journalLine{Format: memory.Format, Step: s, Standing: journalState{l.Standing.Latest, map[string]int{}}}
	maps.Copy(next.Standing.Books, l.Standing.Books)
	if s.At.After(next.Standing.Latest) {
		next.Standing.Latest = s.At
	}
	for _, o := range ownersOf(s) {
		next.Standing.Books[o.key()] = s.N
	}
	return next
}

func (l journalLine) checkNext(next journalLine) error {
	want := l.nextLine(next.Step)
	switch {
	case next.N != want.N:
		return fmt.Errorf("it is step %d in the place of step %d", next.N, want.N)
	case !maps.Equal(want.Standing.Books, next.Standing.Books) || !want.Standing.Latest.Equal(next.Standing.Latest):
		return errors.New("it does not say what the steps up to it come to")
	}
	return nil
}

// parseLine reads a line without its newline, and does not check its sum.
func parseLine(text []byte) (journalLine, error) {
	var l struct {
		journalLine
		Sum string `json:"sum"`
	}
	err := council.ReadJSON(text, &l)
	if (err == nil || json.Unmarshal(text, &l) == nil) && l.Format > memory.Format {
		return journalLine{}, newerError(journalFile, l.Format)
	}
	if err != nil {
		return journalLine{}, errors.New("it is not a valid journal entry")
	}
	if l.N < 1 || (l.Session == nil) == (l.Change == nil) || l.Standing.Books == nil {
		return journalLine{}, errors.New("it is neither a session nor a change")
	}
	for _, o := range ownersOf(l.Step) {
		if _, err := ownerOf(council.MemberID(o)); err != nil {
			return journalLine{}, fmt.Errorf("it names %.80q as a member", string(o))
		}
	}
	return l.journalLine, nil
}
